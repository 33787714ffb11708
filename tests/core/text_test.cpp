#include "rezero/core/text.h"

#include <gtest/gtest.h>

namespace rezero {
namespace {

TEST(Text, WidthCountsCharacters) {
  EXPECT_EQ(display_width("aé€😀"), 4u);
  EXPECT_EQ(pad_right("é", 3), "é  ");
  EXPECT_EQ(pad_left("é", 3), "  é");
  EXPECT_EQ(pad_left("long", 3), "long");
}

TEST(Text, LinesBreakAtSpacesAndKeepSeparators) {
  EXPECT_EQ(wrapped("one two three", 8, 2), "one two\n  three");
  EXPECT_EQ(wrapped("unbreakable word", 4, 1), "unbreakable\n word");
  EXPECT_EQ(wrapped("a first part · b c", 16, 2), "a first part ·\n  b c");
  EXPECT_EQ(wrapped("", 8, 2), "");
}

TEST(Text, ListsAreJoined) {
  EXPECT_EQ(joined({"a", "b"}), "a, b");
  EXPECT_EQ(joined(std::vector<Index>{3, 4}, "x"), "3x4");
  EXPECT_EQ(joined(std::vector<std::string_view>{}), "");
}

TEST(Text, AFileNameHasSomethingBeforeItsExtension) {
  EXPECT_TRUE(ends_with("x.npy", ".npy"));
  EXPECT_FALSE(ends_with(".npy", ".npy"));
  EXPECT_FALSE(ends_with("npy", ".npy"));
}

}  // namespace
}  // namespace rezero
