#include "io/file_pattern.h"

#include <algorithm>

#include "io_support.h"

namespace rezero {
namespace {

using detail::Matches;
using detail::matching_files;
using detail::natural_less;
using Names = std::vector<std::string>;

TEST(FilePattern, NumbersInNamesAreComparedAsNumbers) {
  const Names ordered = {"",
                         "a",
                         "a0",
                         "a00",
                         "a01",
                         "a1",
                         "a2",
                         "a9",
                         "a10",
                         "a10b",
                         "a10c",
                         "a010c2",
                         "a11",
                         "a99999999999999999999998",
                         "a99999999999999999999999",
                         "run_2/b",
                         "run_10/a",
                         "step_2.onnx",
                         "step_10.onnx"};
  for (std::size_t i = 0; i < ordered.size(); ++i)
    for (std::size_t k = 0; k < ordered.size(); ++k)
      EXPECT_EQ(natural_less(ordered[i], ordered[k]), i < k) << ordered[i] << " " << ordered[k];
}

TEST(FilePattern, AnyOrderOfNamesIsSortedTheSame) {
  Names names = {"s10", "s9", "s010", "s1", "s01", "s1a", "t", "s"};
  std::sort(names.begin(), names.end(), natural_less);
  const Names sorted = names;
  std::sort(names.begin(), names.end());
  do {
    Names shuffled = names;
    std::sort(shuffled.begin(), shuffled.end(), natural_less);
    ASSERT_EQ(shuffled, sorted);
  } while (std::next_permutation(names.begin(), names.begin() + 6));
}

TEST(FilePattern, WhatIsAPattern) {
  for (const char* text : {"*", "a?b", "step_[0-9].onnx"}) EXPECT_TRUE(detail::is_pattern(text)) << text;
  for (const char* text : {"", "a.onnx", "a]b", "{a,b}", "~"}) EXPECT_FALSE(detail::is_pattern(text)) << text;
}

TEST(FilePattern, FilesInNaturalOrderAndFoldersCounted) {
  const TemporaryFolder folder;
  for (const char* name : {"step_10.onnx", "step_2.onnx", "step_1.npy", ".step_3.onnx"})
    spill(folder / name, "");
  std::filesystem::create_directory(folder / "step_5.onnx");
  const Matches matches = matching_files(folder / "step_*.onnx");
  EXPECT_EQ(matches.files, (Names{folder / "step_2.onnx", folder / "step_10.onnx"}));
  EXPECT_EQ(matches.folders, 1u);
  EXPECT_EQ(matching_files(folder / "step_?.*").files,
            (Names{folder / "step_1.npy", folder / "step_2.onnx"}));
  EXPECT_TRUE(matching_files(folder / "none*").files.empty());
  EXPECT_TRUE(matching_files(folder / "no_folder/*").files.empty());
}

}  // namespace
}  // namespace rezero
