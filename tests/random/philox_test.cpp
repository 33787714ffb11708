#include "rezero/random/philox.h"

#include <gtest/gtest.h>

#include "rezero/random/sample.h"

namespace rezero {
namespace {

// Known answers published with Random123 1.14 (kat_vectors, philox4x32 10).
TEST(ReferencePhilox, KnownAnswers) {
  EXPECT_EQ(philox4x32_10({0, 0, 0, 0}, {0, 0}),
            (PhiloxWords{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox4x32_10({ones, ones, ones, ones}, {ones, ones}),
            (PhiloxWords{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxWords{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, StreamRolesKeepTheirNumbers) {
  const StreamKey key = stream_key(9, StreamRole::weight, 3, 7);
  EXPECT_EQ(key.seed, 9u);
  EXPECT_EQ(key.role, 0x103u);
  EXPECT_EQ(key.block, 7u);
  EXPECT_EQ(stream_key(1, StreamRole::bias).role, 0x200u);
  EXPECT_EQ(stream_key(1, StreamRole::probe).role, 3u);
}

// The address of every draw: key = seed, counter = (pair low, pair high, role, block).
TEST(Philox, UniformsAreTheTopBitsOfTheAddressedWords) {
  const StreamKey key = {0x0123456789abcdef, 0x101, 0xfedc};
  for (const std::uint64_t pair : {std::uint64_t{0}, std::uint64_t{5}, std::uint64_t{0x7edcba9876543210}}) {
    const PhiloxWords w = philox4x32_10(
        {static_cast<std::uint32_t>(pair), static_cast<std::uint32_t>(pair >> 32), key.role, key.block},
        {0x89abcdef, 0x01234567});
    Real drawn[2];
    fill_uniform(drawn, 2, key, 2 * pair);
    for (int k = 0; k < 2; ++k) {
      const std::uint64_t word = w[2 * k] | std::uint64_t{w[2 * k + 1]} << 32;
      const auto odd = static_cast<long double>(2 * (word >> 12) + 1);
      EXPECT_EQ(static_cast<long double>(drawn[k]), odd / 4503599627370496.0L - 1) << pair << " " << k;
    }
  }
}

}  // namespace
}  // namespace rezero
