/// A seed written as 9007199254740993e0 was converted to double and became …992, and 1e19 was reported as too
/// large.

#include <gtest/gtest.h>

#include "rezero/config/list.h"
#include "rezero/config/plan_options.h"
#include "rezero/core/error.h"

namespace rezero {
namespace {

using Seeds = std::vector<std::uint64_t>;

std::string refusal(const std::string& plan) {
  try {
    plan_options_from_json(plan, "p");
  } catch (const IoError& error) {
    return error.what();
  }
  return "";
}

TEST(Regression, SeedLostItsLastBit) {
  EXPECT_EQ(parse_seed_list("9007199254740993e0", "--seed"), Seeds{9007199254740993u});
  EXPECT_EQ(parse_seed_list("9007199254740993.0", "--seed"), Seeds{9007199254740993u});
  EXPECT_EQ(parse_seed_list("1e19", "--seed"), Seeds{10000000000000000000u});
  EXPECT_THROW(parse_seed_list("1e20", "--seed"), UsageError);
  EXPECT_THROW(parse_seed_list("2.9999999999999999999", "--seed"), UsageError);
  EXPECT_EQ(*plan_options_from_json(R"({"seed": "9007199254740993e0"})", "p").seed, Seeds{9007199254740993u});
}

TEST(Regression, SeedOfAPlanLostItsLastBit) {
  for (const char* seed : {"9007199254740993", "9007199254740993e0", "9007199254740993.0"})
    EXPECT_EQ(refusal("{\"seed\": [1, " + std::string(seed) + "]}"),
              "plan 'p': seed[1]: a seed above 2^53 must be a string (as a number it may have been rounded): "
              "\"9007199254740993\"");
}

TEST(Regression, WholeNumberOfAPlanWasRounded) {
  EXPECT_EQ(plan_options_from_json(R"({"depth": 3e0, "width": 16.0})", "p").depth, std::vector<Index>{3});
  EXPECT_NE(refusal(R"({"depth": 2.9999999999999999999})").find("depth: expected a whole number"),
            std::string::npos);
}

}  // namespace
}  // namespace rezero
