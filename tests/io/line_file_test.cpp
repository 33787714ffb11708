#include "rezero/io/line_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <thread>

#include "io/io_support.h"

namespace rezero {
namespace {

TEST(LineBuffer, HandsOnWholeLinesTogether) {
  LineBuffer lines;
  std::vector<std::string> written;
  for (const char* piece : {"a", "b\n", "", "c\nd", "\ne\nf"})
    lines.append(piece, [&](std::string_view text) { written.emplace_back(text); });
  EXPECT_EQ(written, (std::vector<std::string>{"ab\n", "c\n", "d\ne\n"}));
}

TEST(LineFile, HoldsEachLineOnceItIsWhole) {
  const TemporaryFolder folder;
  spill(folder / "a", "something old and longer");
  LineFile file(folder / "a");
  EXPECT_EQ(slurp(folder / "a"), "");
  file.append("one\ntw");
  EXPECT_EQ(slurp(folder / "a"), "one\n");
  file.append("o\n");
  EXPECT_EQ(slurp(folder / "a"), "one\ntwo\n");
  file.commit();
  EXPECT_EQ(slurp(folder / "a"), "one\ntwo\n");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(LineFile, WhatIsNoWholeLineIsNeverWritten) {
  const TemporaryFolder folder;
  {
    LineFile file(folder / "a");
    file.append("one\n" + std::string(300000, 'x'));
  }
  EXPECT_EQ(slurp(folder / "a"), "one\n");
}

TEST(LineFile, FollowsLinksAndKeepsPermissions) {
  const TemporaryFolder folder;
  spill(folder / "real", "old");
  ASSERT_EQ(::chmod((folder / "real").c_str(), 0604), 0);
  std::filesystem::create_symlink("real", folder / "link");
  LineFile file(folder / "link");
  file.append("new\n");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(slurp(folder / "real"), "new\n");
  struct stat info {};
  ASSERT_EQ(::stat((folder / "real").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0604u);
}

TEST(LineFile, RefusesWhatCannotBeWritten) {
  const TemporaryFolder folder;
  EXPECT_MESSAGE(message_of([&] { LineFile(folder / "missing/a"); }), "No such file");
  EXPECT_MESSAGE(message_of([&] { LineFile(folder / "."); }), "directory");
  LineFile full("/dev/full");
  EXPECT_MESSAGE(message_of([&] { full.append("x\n"); }), "No space left");
}

TEST(LineFile, WritesPipes) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = slurp(folder / "fifo"); });
  {
    LineFile file(folder / "fifo");
    file.append("a\nb\n");
    file.commit();
  }
  reader.join();
  EXPECT_EQ(got, "a\nb\n");
}

/// A line that exceeds the limit is removed again.
TEST(LineFile, FileSizeLimitLeavesWholeLines) {
  const TemporaryFolder folder;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit limit{10000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  LineFile file(folder / "a");
  const std::string first = std::string(4000, '1') + "\n", second = std::string(4000, '2') + "\n";
  file.append(first);
  EXPECT_MESSAGE(message_of([&] { file.append(second + second); }), "File too large");
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(slurp(folder / "a"), first + second);
}

}  // namespace
}  // namespace rezero
