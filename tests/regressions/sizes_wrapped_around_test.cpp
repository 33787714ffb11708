/// The sizes of a state were multiplied as integers before any check: 2^64 numbers became none, the memory
/// estimate was zero, and the process ended by a signal.

#include <gtest/gtest.h>

#include "config/plan_support.h"

namespace rezero {
namespace {

TEST(Regression, SizesWrappedAround) {
  const test::World world;
  PlanOptions tokens;
  tokens.tokens = Index{1} << 53, tokens.width = std::vector<Index>{2048};
  EXPECT_EQ(world.error(tokens), "a state of 18446744073709551616 numbers is too large (--width × --tokens)");
  PlanOptions image;
  image.family = "conv", image.width = std::vector<Index>{4};
  image.image = "4294967296x4294967296";
  EXPECT_NE(world.error(image).find("is too large (channels × --image × --batch)"), std::string::npos);
  image.image = "2x2", image.batch = Index{1} << 53;
  EXPECT_NE(world.error(image).find("is too large"), std::string::npos);
  image.batch = 1, image.kernel = (Index{1} << 32) + 1;
  EXPECT_EQ(world.error(image), "--kernel 4294967297 is too large for 4 channels");
  image.kernel = 3;
  EXPECT_EQ(world.error(image), "no error");
}

}  // namespace
}  // namespace rezero
