#include "rezero/config/list.h"

#include <gtest/gtest.h>

#include <limits>

#include "rezero/core/error.h"

namespace rezero {
namespace {

using Indices = std::vector<Index>;
using Seeds = std::vector<std::uint64_t>;

Indices indices(const char* text) {
  return parse_index_list(text, "--depth");
}
Seeds seeds(const char* text) {
  return parse_seed_list(text, "--seed");
}

std::string error_of(const std::string& text) {
  try {
    parse_index_list(text, "--depth");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(List, NumbersAndRanges) {
  EXPECT_EQ(indices("1,2,4"), (Indices{1, 2, 4}));
  EXPECT_EQ(indices("3:6"), (Indices{3, 4, 5, 6}));
  EXPECT_EQ(indices("7:7"), (Indices{7}));
  EXPECT_EQ(indices("1:10:4"), (Indices{1, 5, 9}));
  EXPECT_EQ(indices("1:64:x2"), (Indices{1, 2, 4, 8, 16, 32, 64}));
  EXPECT_EQ(indices("3:100:x3"), (Indices{3, 9, 27, 81}));
  EXPECT_EQ(indices("1:4,8,16:64:x2"), (Indices{1, 2, 3, 4, 8, 16, 32, 64}));
  EXPECT_EQ(indices("1e3"), (Indices{1000}));
}

TEST(List, BlanksAroundCommasAreLeftOut) {
  EXPECT_EQ(indices(" 1, 2 ,4 "), (Indices{1, 2, 4}));
  EXPECT_EQ(parse_name_list("plain, rezero:alpha=0.1", "--scheme"),
            (std::vector<std::string>{"plain", "rezero:alpha=0.1"}));
  EXPECT_THROW(parse_name_list("plain, ,rezero", "--scheme"), UsageError);
}

TEST(List, GeometricRangesWithRealFactorsAreRoundedAndDistinct) {
  EXPECT_EQ(indices("1:10:x1.5"), (Indices{1, 2, 3, 5, 8}));
  EXPECT_EQ(indices("100:200:x1.25"), (Indices{100, 125, 156, 195}));
  const Indices all = indices("1:1000:x1.0001");
  EXPECT_EQ(all.size(), 1000u);
  EXPECT_EQ(all.back(), 1000);
  EXPECT_EQ(indices("1:3:x1e300"), (Indices{1}));
}

TEST(List, IndicesAreSortedAndDistinct) {
  EXPECT_EQ(indices("8,1:3,2,8"), (Indices{1, 2, 3, 8}));
}

TEST(List, SeedsKeepTheirOrderAndAre64Bits) {
  EXPECT_EQ(seeds("7,0,7,3"), (Seeds{7, 0, 3}));
  EXPECT_EQ(seeds("0:99").size(), 100u);
  EXPECT_EQ(seeds("18446744073709551614:18446744073709551615"),
            (Seeds{18446744073709551614u, std::numeric_limits<std::uint64_t>::max()}));
  EXPECT_THROW(seeds("18446744073709551616"), UsageError);
  EXPECT_THROW(seeds("-1"), UsageError);
  EXPECT_THROW(seeds("0:8:x2"), UsageError);
}

TEST(List, BadTextIsRefusedByName) {
  for (const char* bad : {"",        ",",      "1,",       "0",     "-1",
                          "1.5",     "a",      "1:",       ":2",    "4:1",
                          "1:9:0",   "1:9:x1", "1:9:x0.5", "1:9:x", "1:9:xnan",
                          "1:2:3:4", "1 2",    "1e400",    "0x10",  "99999999999999999999",
                          "nan"})
    EXPECT_EQ(error_of(bad).substr(0, 9), "--depth '") << bad << ": " << error_of(bad);
  EXPECT_EQ(error_of("4:1"), "--depth '4:1': the range '4:1' ends before it begins");
  EXPECT_EQ(error_of("-3"), "--depth '-3': '-3' is less than 1");
  EXPECT_EQ(error_of("a\nb").find('\n'), std::string::npos);
}

TEST(List, LongListsAreRefusedBeforeTheyAreMade) {
  EXPECT_EQ(error_of("1:1e15"), "--depth '1:1e15': more than 1000000 values");
  EXPECT_THROW(seeds("0:18446744073709551615"), UsageError);
  EXPECT_EQ(indices("1:1000000").size(), longest_list);
  EXPECT_THROW(indices("1:1000000,5"), UsageError);
  EXPECT_THROW(indices("1:9e15:x1.0000001"), UsageError);
}

TEST(List, NamesAreSplitAtCommas) {
  EXPECT_EQ(parse_name_list("plain,rezero:alphas=a/b.json:alpha=1", "--scheme"),
            (std::vector<std::string>{"plain", "rezero:alphas=a/b.json:alpha=1"}));
  EXPECT_THROW(parse_name_list("plain,,rezero", "--scheme"), UsageError);
  EXPECT_THROW(parse_name_list("", "--scheme"), UsageError);
}

TEST(List, Counts) {
  EXPECT_EQ(parse_count("12", "--top"), 12);
  EXPECT_THROW(parse_count("0", "--top"), UsageError);
  EXPECT_THROW(parse_count("1:2", "--top"), UsageError);
}

}  // namespace
}  // namespace rezero
