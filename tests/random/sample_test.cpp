#include "rezero/random/sample.h"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "support/fnv.h"

namespace rezero {
namespace {

using Fill = void (*)(Real*, Index, const StreamKey&, std::uint64_t);
const StreamKey key = {0x9E3779B97F4A7C15, 0x100, 3};

bool same_bits(const Real* a, const Real* b, Index count) {
  return std::memcmp(a, b, static_cast<std::size_t>(count) * sizeof(Real)) == 0;
}

class AnyFill : public testing::TestWithParam<Fill> {};
INSTANTIATE_TEST_SUITE_P(Sample, AnyFill, testing::Values(&fill_normal, &fill_uniform));

TEST_P(AnyFill, PartsHaveTheBitsOfTheWhole) {
  const Index count = 5000;
  Vector whole(count), parts(count);
  GetParam()(whole.data(), count, key, 0);
  for (const Index step : {2, 6, 30, 254, 510, 512, 514, 1026, 4998}) {
    for (Index at = 0; at < count; at += step)
      GetParam()(parts.data() + at, std::min(step, count - at), key, static_cast<std::uint64_t>(at));
    EXPECT_TRUE(same_bits(whole.data(), parts.data(), count)) << step;
  }
}

TEST_P(AnyFill, OddCountsAndSingleElementsAgreeWithTheWhole) {
  Vector whole(1200), part(1200);
  GetParam()(whole.data(), whole.size(), key, 40);
  for (const Index count : {0, 1, 3, 7, 511, 513, 1023}) {
    part.setConstant(7);
    GetParam()(part.data(), count, key, 40);
    EXPECT_TRUE(same_bits(whole.data(), part.data(), count)) << count;
    EXPECT_EQ(part[count], 7) << "wrote past the end";
  }
  for (Index i = 0; i < whole.size(); i += 2) {
    GetParam()(part.data(), 1, key, static_cast<std::uint64_t>(40 + i));
    EXPECT_TRUE(same_bits(whole.data() + i, part.data(), 1)) << i;
  }
}

TEST_P(AnyFill, PairsBeyondTheLowWordDiffer) {
  const std::uint64_t edge = std::uint64_t{1} << 33;  // pair 2^32: the counter's second word
  Real across[8], after[4], origin[4];
  GetParam()(across, 8, key, edge - 4);
  GetParam()(after, 4, key, edge);
  GetParam()(origin, 4, key, 0);
  EXPECT_TRUE(same_bits(across + 4, after, 4));
  EXPECT_FALSE(same_bits(origin, after, 4));
}

TEST_P(AnyFill, EveryPartOfTheKeyMatters) {
  Real base[4], other[4];
  GetParam()(base, 4, key, 0);
  for (const StreamKey& changed :
       {StreamKey{key.seed + 1, key.role, key.block},
        StreamKey{key.seed ^ (std::uint64_t{1} << 63), key.role, key.block},
        StreamKey{key.seed, key.role + 1, key.block}, StreamKey{key.seed, key.role, key.block + 1}}) {
    GetParam()(other, 4, changed, 0);
    for (int i = 0; i < 4; ++i) EXPECT_NE(base[i], other[i]);
  }
}

TEST_P(AnyFill, OddFirstElementsAreRefused) {
  Real out[2];
  EXPECT_THROW(GetParam()(out, 2, key, 1), std::logic_error);
  EXPECT_THROW(GetParam()(out, -1, key, 0), std::logic_error);
}

TEST(Sample, MatricesAreTheStreamColumnByColumn) {
  const Vector stream = normal_vector(35, key);
  const Matrix a = normal_matrix(5, 7, key);
  EXPECT_TRUE(same_bits(stream.data(), a.data(), 35));
  Vector uniform(35);
  fill_uniform(uniform.data(), 35, key);
  EXPECT_TRUE(same_bits(uniform.data(), uniform_matrix(7, 5, key).data(), 35));
  EXPECT_EQ(normal_matrix(0, 3, key).size(), 0);
}

// Produced by this library with g++ 12, and equal for clang++ 14 and -march x86-64, x86-64-v3, x86-64-v4 and
// native. A difference means that the same seed gives other weights, so earlier reports are no longer
// reproducible.
TEST(ReferenceSample, GoldenBits) {
  const Index count = 1000000;
  EXPECT_EQ(fnv1a(normal_vector(count, key)), 0x218fd83553b6b24eu);
  EXPECT_EQ(fnv1a(uniform_matrix(count, 1, key)), 0xe48550f3fe44efa1u);
}

}  // namespace
}  // namespace rezero
