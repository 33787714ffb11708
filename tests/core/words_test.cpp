#include "rezero/core/words.h"

#include <gtest/gtest.h>

namespace rezero {

enum class Signal { red, green, dark };
template <>
inline constexpr auto words<Signal> = closed_set<Signal>("signal", {{Signal::green, "green"},
                                                                    {Signal::red, "red"},
                                                                    {Signal::dark, "dark", SaidBy::reports}});

namespace {

TEST(Words, ValuesAndWordsAreFoundFromEachOther) {
  static_assert(to_string(Signal::red) == "red");
  EXPECT_EQ(to_string(Signal::dark), "dark");
  EXPECT_EQ(lookup<Signal>("green"), Signal::green);
  EXPECT_EQ(lookup<Signal>("Red"), Signal::red);
  EXPECT_THROW(to_string(static_cast<Signal>(7)), std::logic_error);
}

TEST(Words, OnlyWhatUsersMaySayIsOffered) {
  EXPECT_EQ(choices<Signal>(), (std::vector<std::string_view>{"green", "red"}));
  try {
    lookup<Signal>("dark");
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "unknown signal 'dark' (known: green, red)");
  }
}

}  // namespace
}  // namespace rezero
