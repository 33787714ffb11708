/// Lists of real numbers, and where they stand in names.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "config/decimal_range.h"
#include "rezero/config/list.h"
#include "rezero/core/error.h"
#include "rezero/core/swept_spec.h"

namespace rezero {
namespace {

using Reals = std::vector<Real>;
using Names = std::vector<std::string>;
constexpr Real largest = std::numeric_limits<Real>::max();

Reals reals(const char* text) {
  return parse_real_list(text, "x").values;
}

std::string text_of(const Reals& values) {
  std::string text;
  for (const Real value : values) text += (text.empty() ? "" : " ") + shortest(value);
  return text;
}

std::string error_of(const std::string& text) {
  try {
    parse_real_list(text, "x");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(RealList, PointsAreTheDoublesThatAPersonWouldWrite) {
  EXPECT_EQ(text_of(reals("0:1:0.1")), "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1");
  EXPECT_EQ(text_of(reals("0.5:1.2:0.1")), "0.5 0.6 0.7 0.8 0.9 1 1.1 1.2");
  EXPECT_EQ(text_of(reals("-0.3:0.3:0.1")), "-0.3 -0.2 -0.1 0 0.1 0.2 0.3");
  EXPECT_EQ(text_of(reals("-1:-0.7:0.1")), "-1 -0.9 -0.8 -0.7");
  EXPECT_EQ(text_of(reals("1e-3:1:x10")), "0.001 0.01 0.1 1");
  EXPECT_EQ(text_of(reals("0.01:0.1:x1.5")), "0.01 0.015 0.0225 0.03375 0.050625 0.0759375");
  EXPECT_EQ(text_of(reals("0.1:1.6:x2")), "0.1 0.2 0.4 0.8 1.6");
  EXPECT_EQ(text_of(reals("1e22:1.3e22:1e21")), "1e+22 1.1e+22 1.2e+22 1.3e+22");
}

/// Every point is the double of k hundredths, also after many steps.
TEST(RealList, LongRangesDoNotDrift) {
  const Reals all = reals("-500:500:0.01");
  ASSERT_EQ(all.size(), 100001u);
  for (std::size_t i = 0; i < all.size(); ++i)
    ASSERT_EQ(all[i], (static_cast<Real>(i) - 50000) / 100) << i;  // one correctly rounded division
  const Reals powers = reals("1:1e300:x10");
  ASSERT_EQ(powers.size(), 301u);
  for (std::size_t k = 0; k < powers.size(); ++k)
    ASSERT_EQ(powers[k], parse_real("1e" + std::to_string(k), "power"));
}

TEST(RealList, TheLastPointIsReachedUpToRounding) {
  EXPECT_EQ(text_of(reals("0:1:0.3333333333333333")), "0 0.3333333333333333 0.6666666666666666 1");
  EXPECT_EQ(reals("0:1:0.14285714285714285").back(), 1);  // a seventh
  EXPECT_EQ(reals("0:1:0.14285714285714285").size(), 8u);
  EXPECT_EQ(reals("0:1:0.16666666666666666").back(), 1);
  EXPECT_EQ(text_of(reals("1:2:x1.4142135623730951")), "1 1.4142135623730951 2");
  EXPECT_EQ(reals("0.1:1:x1.2589254117941673").back(), 1);  // tenth powers of ten
  EXPECT_EQ(reals("0.1:1:x1.2589254117941673").size(), 11u);
  EXPECT_EQ(text_of(reals("0:1:0.33")), "0 0.33 0.66 0.99") << "a point that is not the end stays";
  EXPECT_EQ(text_of(reals("0:1:0.4")), "0 0.4 0.8");
  EXPECT_EQ(text_of(reals("0:1:2")), "0");
  EXPECT_EQ(text_of(reals("0.7:0.7:0.1")), "0.7");
}

TEST(RealList, AMillionValuesAreTheMost) {
  EXPECT_EQ(reals("1:1000000:1").size(), longest_list);
  EXPECT_NE(error_of("0:1000000:1"), "no error");
  EXPECT_NE(error_of("1:1000000:1,0.5"), "no error");
}

TEST(RealList, EntriesAreJoinedInTheOrderWritten) {
  const RealList list = parse_real_list(" 2, 0:0.30:1e-1 ,0.1,1:4:x2.0,+0.20", "x");
  EXPECT_EQ(text_of(list.values), "2 0 0.1 0.2 0.3 1 4");
  EXPECT_EQ(list.text, "2,0:0.3:0.1,0.1,1:4:x2,0.2");
  EXPECT_EQ(parse_real_list(list.text, "x").values, list.values);
  EXPECT_FALSE(std::signbit(reals("-0")[0]));
}

TEST(RealList, BadTextIsRefusedByName) {
  for (const char* bad :
       {"",           ",",         "1,",      "a",       "1:",      ":2",       "0:1",
        "0:1:0",      "0:1:-1",    "1:0:0.1", "0:1:x2",  "-1:1:x2", "1:2:x1",   "1:2:x0.5",
        "1:2:x",      "1:2:xnan",  "0:inf:1", "nan:1:1", "0:1:inf", "1:2:3:4",  "0:1:1e-9",
        "1e400",      "0:1e400:1", "1 2",     "0x1",     "auto",    "-inf:0:1", "1:2:x1.0000001",
        "0:1:5e-324", "--1",       "0:1:x-2", "1:2:xx2"})
    EXPECT_EQ(error_of(bad).substr(0, 3), "x: ") << bad << ": " << error_of(bad);
  EXPECT_EQ(error_of("1:0:0.1"),
            "x: the range '1:0:0.1' ends before it begins (write the smaller number first)");
  EXPECT_EQ(error_of("0:1:0"), "x: the step of '0:1:0' must be larger than 0");
  EXPECT_EQ(error_of("0:1"), "x: the range '0:1' has no step (write 0:1:STEP)");
  EXPECT_EQ(error_of("1:2"),
            "x: the range '1:2' has no step (write 1:2:STEP, or 1:2:xFACTOR for a geometric range)");
  EXPECT_EQ(error_of("0:1:1e-7"), "x: '0:1:1e-7' has more than 1000000 values (use a larger step)");
  EXPECT_EQ(error_of("0:inf:1"), "x: 'inf' is not finite");
}

TEST(RealList, TheExtremesOfDoublesAreNumbers) {
  EXPECT_EQ(text_of(reals("-1e308:1e308:1e308")), "-1e+308 0 1e+308");
  EXPECT_EQ(reals("5e-324:2e-323:5e-324").size(), 4u);
  EXPECT_EQ(reals("5e-324:1.7e308:x1e10").size(), 64u);
  EXPECT_EQ(text_of(reals("1:1.0000000000000004:2.220446049250313e-16")),
            "1 1.0000000000000002 1.0000000000000004");
  EXPECT_EQ(detail::arithmetic_range(-largest, largest, largest, 10), (Reals{-largest, 0, largest}));
  EXPECT_EQ(detail::geometric_range(1, largest, largest, 10), (Reals{1, largest}));
  // Steps below the resolution repeat numbers, which are listed once.
  EXPECT_EQ(reals("1:1.0000000000000002:1e-17").size(), 2u);
  EXPECT_NE(error_of("1e300:1.1e300:1"), "no error");
}

TEST(SweptNames, NumbersAfterACommaContinueTheParameter) {
  const auto split = [](const char* text) { return parse_swept_name_list(text, "--scheme"); };
  EXPECT_EQ(split("fixed:alpha=0.1,0.3, 1:2:0.5, plain"), (Names{"fixed:alpha=0.1,0.3,1:2:0.5", "plain"}));
  EXPECT_EQ(split("gaussian:sigma_w=0.5,1:3:x2:sigma_b=0,-.5,he"),
            (Names{"gaussian:sigma_w=0.5,1:3:x2:sigma_b=0,-.5", "he"}));
  EXPECT_EQ(split("plain,0.3"), (Names{"plain", "0.3"})) << "nothing to continue";
  EXPECT_EQ(split("0.3,plain"), (Names{"0.3", "plain"}));
  EXPECT_THROW(split("fixed:alpha=0.1,,0.3"), UsageError);
}

TEST(SweptNames, PartsWithoutAnEqualsSignContinueARange) {
  const NamedSpec spec = parse_swept_spec("depth-power:c=0.1:1:x2:p=0:1:0.25");
  EXPECT_EQ(spec.name, "depth-power");
  EXPECT_EQ(spec.params,
            (std::vector<std::pair<std::string, std::string>>{{"c", "0.1:1:x2"}, {"p", "0:1:0.25"}}));
  for (const char* bad : {"fixed:0.1", "fixed:alpha=0.1:", "fixed:alpha=0.1:beta", "fixed:alpha=1:x",
                          "fixed:", "fixed:alpha=1:2:alpha=3", "", ":alpha=1", "fixed:=1:2"})
    EXPECT_THROW(parse_swept_spec(bad), UsageError) << bad;
  for (const char* one : {"fixed:alpha=0:1:0.1", "fixed:alpha=0.1:x2", "isometry:tol=0:inf:1"})
    EXPECT_THROW(parse_named_spec(one), UsageError) << one;
}

}  // namespace
}  // namespace rezero
