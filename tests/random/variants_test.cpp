/// Equal bits on every instruction set: tests/random/variants.cmake compiles the loops once for each.

#ifdef REZERO_TEST_RANDOM_VARIANTS

#include <gtest/gtest.h>

#include "random/kernel.h"
#include "support/fnv.h"

namespace rezero {
namespace detail {

#define REZERO_DECLARE_VARIANT(variant)                                                          \
  namespace variant {                                                                            \
  void normal_pairs(double* out, std::size_t pairs, const StreamKey& key, std::uint64_t first);  \
  void uniform_pairs(double* out, std::size_t pairs, const StreamKey& key, std::uint64_t first); \
  }
REZERO_DECLARE_VARIANT(x86_64)
REZERO_DECLARE_VARIANT(x86_64_v3)
REZERO_DECLARE_VARIANT(x86_64_v4)

}  // namespace detail

namespace {

using Kernel = void (*)(double*, std::size_t, const StreamKey&, std::uint64_t);

std::uint64_t checksum(Kernel kernel) {
  Vector out(2 * 300007);
  kernel(out.data(), 300007, {0xfeedfacecafebeef, 0x102, 17}, 0xfffffff0);
  return fnv1a(out);
}

void expect_equal_bits(Kernel normal, Kernel uniform) {
  EXPECT_EQ(checksum(normal), checksum(detail::native::normal_pairs));
  EXPECT_EQ(checksum(uniform), checksum(detail::native::uniform_pairs));
}

TEST(RandomVariants, Sse2HasTheLibrarysBits) {
  expect_equal_bits(detail::x86_64::normal_pairs, detail::x86_64::uniform_pairs);
}

TEST(RandomVariants, Avx2HasTheLibrarysBits) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) GTEST_SKIP() << "no AVX2 here";
  expect_equal_bits(detail::x86_64_v3::normal_pairs, detail::x86_64_v3::uniform_pairs);
}

TEST(RandomVariants, Avx512HasTheLibrarysBits) {
  if (!__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
    GTEST_SKIP() << "no AVX-512";
  expect_equal_bits(detail::x86_64_v4::normal_pairs, detail::x86_64_v4::uniform_pairs);
}

}  // namespace
}  // namespace rezero

#endif
