/// Equal bits on every level of the instruction set.

#include <gtest/gtest.h>

#include "random/pairs_kernel.h"
#include "rezero/random/sample.h"
#include "rezero/random/simulated_rounding.h"
#include "support/fnv.h"
#include "support/kernel_levels.h"

namespace rezero {
namespace {

using Pairs = void (*)(double*, std::size_t, const StreamKey&, std::uint64_t);

std::uint64_t checksum(Pairs draw) {
  Vector out(2 * 300007);
  draw(out.data(), 300007, {0xfeedfacecafebeef, 0x102, 17}, 0xfffffff0);
  return fnv1a(out);
}

TEST(RandomVariants, BitsDoNotDependOnTheLevel) {
  const std::uint64_t normal = checksum(detail::pair_kernel().normal),
                      uniform = checksum(detail::pair_kernel().uniform);
  testing::for_each_kernel_level([&] {
    EXPECT_EQ(checksum(detail::pair_kernel().normal), normal);
    EXPECT_EQ(checksum(detail::pair_kernel().uniform), uniform);
  });
}

TEST(RandomVariants, SimulatedRoundingDoesNotDependOnTheLevel) {
  const Vector x = normal_vector(1003, {7, 0x102, 3});
  const Vector rounded = SimulatedRounding(5, 1)(x), factors = SimulatedRounding(5, 2).factors(77);
  testing::for_each_kernel_level([&] {
    EXPECT_EQ(SimulatedRounding(5, 1)(x), rounded);
    EXPECT_EQ(SimulatedRounding(5, 2).factors(77), factors);
  });
}

}  // namespace
}  // namespace rezero
