/// The library's logarithm, sine and cosine against long double. Compiled without contraction, as the library
/// does (CMakeLists.txt).

#include "random/box_muller.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "rezero/random/philox.h"
#include "rezero/random/sample.h"

namespace rezero {
namespace {

constexpr long double half_pi = 1.57079632679489661923132169163975144L;

/// |value − exact| in units in the last place of the exact value rounded to double.
Real ulps(Real value, long double exact) {
  const Real rounded = std::abs(static_cast<Real>(exact));
  const Real ulp = std::nextafter(rounded, INFINITY) - rounded;
  return static_cast<Real>(std::abs(value - exact) / ulp);
}

/// Points of (0, 1) that the draws can take: a grid, near the ends, near √½, and powers of two.
template <class F>
void for_unit_points(F f) {
  for (int i = 1; i < 2000000; ++i) f(i / 2000000.0);
  for (int i = 1; i < 2000; ++i) f(i * 0x1p-52), f(1 - i * 0x1p-52), f(std::sqrt(0.5) + (i - 1000) * 0x1p-40);
  for (int k = 1; k < 52; ++k) f(std::ldexp(1.0, -k)), f(std::ldexp(1.0 + 0x1p-40, -k));
}

TEST(ReferenceBoxMuller, LogarithmIsWithinOneUlp) {
  Real worst = 0;
  for_unit_points([&](Real u) {
    worst = std::max(worst, ulps(detail::log_positive(u), std::log(static_cast<long double>(u))));
  });
  EXPECT_LT(worst, 1.0);
  EXPECT_EQ(detail::log_positive(1.0), 0);
  RecordProperty("worst_ulp", std::to_string(worst));
}

TEST(ReferenceBoxMuller, SineAndCosineAreWithinTwoUlp) {
  Real worst_sine = 0, worst_cosine = 0;
  for_unit_points([&](Real u) {
    const Real r = u - 0.5;
    const long double angle = half_pi * static_cast<long double>(r);
    if (r != 0) worst_sine = std::max(worst_sine, ulps(detail::sin_quarter(r), std::sin(angle)));
    worst_cosine = std::max(worst_cosine, ulps(detail::cos_quarter(r), std::cos(angle)));
    EXPECT_EQ(detail::sin_quarter(-r), -detail::sin_quarter(r));
  });
  EXPECT_LT(worst_sine, 1.7);
  EXPECT_LT(worst_cosine, 1.3);
  RecordProperty("worst_sine_ulp", std::to_string(worst_sine));
  RecordProperty("worst_cosine_ulp", std::to_string(worst_cosine));
}

/// The pair as src/random/pairs_kernel.h defines it, in long double.
void exact_pair(const PhiloxWords& w, long double (&out)[2]) {
  const std::uint64_t a = w[0] | std::uint64_t{w[1]} << 32, b = w[2] | std::uint64_t{w[3]} << 32;
  const long double u = 1 - 0x1p-52L * static_cast<long double>(2 * (a >> 13) + 1);
  const std::uint64_t fraction = b & ((std::uint64_t{1} << 62) - 1);
  const long double angle = half_pi * (0x1p-52L * static_cast<long double>(2 * (fraction >> 11) + 1) - 0.5L);
  const long double radius = std::sqrt(-2 * std::log(u)) * (b >> 63 ? -1 : 1);
  const int sine = b >> 62 & 1 ? 0 : 1;  // exchanged: cos(π/2 − θ) = sin θ without the error of π/2
  out[sine] = radius * std::sin(angle);
  out[1 - sine] = radius * std::cos(angle);
}

TEST(ReferenceBoxMuller, DrawsAreTheDocumentedMapWithinThreeUlp) {
  const std::uint32_t pairs = 300000;
  const Vector drawn = normal_vector(2 * pairs, {77, 0x100, 9});
  Real worst = 0;
  for (std::uint32_t j = 0; j < pairs; ++j) {
    long double exact[2];
    exact_pair(philox4x32_10({j, 0, 0x100, 9}, {77, 0}), exact);
    for (int k = 0; k < 2; ++k) worst = std::max(worst, ulps(drawn[2 * j + k], exact[k]));
  }
  EXPECT_LT(worst, 3.0);
  RecordProperty("worst_ulp", std::to_string(worst));
}

}  // namespace
}  // namespace rezero
