#pragma once
/// The arithmetic of Box–Muller, branch-free and without libm, so that a loop over it vectorizes and its bits
/// are the same on every instruction set. Only +, −, ×, / and integer operations: compile without
/// contraction. Static, so that each level keeps its own copy.

#include <cstdint>
#include <cstring>

namespace rezero::detail {

static inline double as_double(std::uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

static inline std::uint64_t as_bits(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// Natural logarithm of a normal positive double, within 1 ulp. u = 2^k m with m in [√½, √2), f = m − 1,
/// s = f/(2+f): log m = 2 atanh s = f − s (f − R(s²)), R(z) = z (2 atanh(√z)/√z − 2)/z. The last form keeps
/// the rounding of s out of the leading term. R(z)/z is interpolated at the 7 Chebyshev nodes of
/// [0, (√2−1)⁴]: relative error of the logarithm 2^-57.5. ln 2 = high + low with 13 zero bits at the end of
/// high, so k·high is exact.
static inline double log_positive(double u) {
  constexpr std::uint64_t sqrt_half = 0x3FE6A09E00000000;  // √½ without its low word
  const std::uint64_t shifted = as_bits(u) + (0x3FF0000000000000 - sqrt_half);
  // Writing the biased exponent into the mantissa of 2^52 makes it a double; AVX2 cannot convert integers.
  const double k = as_double(0x4330000000000000 | (shifted >> 52)) - (4503599627370496.0 + 1023.0);
  const double f = as_double((shifted & 0x000FFFFFFFFFFFFF) + sqrt_half) - 1.0;
  const double s = f / (2.0 + f), z = s * s;
  double p = 0.14616449685043406;
  p = p * z + 0.15331721600556042;
  p = p * z + 0.18182889125261723;
  p = p * z + 0.2222221113479508;
  p = p * z + 0.28571428625975487;
  p = p * z + 0.39999999999899505;
  p = p * z + 0.666666666666667;
  constexpr double ln2_high = 0x1.62e42fefa2p-1, ln2_low = 0x1.9ef35793c7673p-41;
  return k * ln2_high - ((s * (f - z * p) - k * ln2_low) - f);
}

/// sin(π r/2) for |r| ≤ ½, within 1.7 ulp: r (π/2 + r² P(r²)), P interpolated at 6 Chebyshev nodes of [0, ¼]
/// (relative error 2^-56); π/2 = high + low.
static inline double sin_quarter(double r) {
  constexpr double half_pi = 1.5707963267948966, half_pi_low = 6.123233995736766e-17;
  const double z = r * r;
  double p = 5.642225369163528e-08;
  p = p * z - 3.5987029509735105e-06;
  p = p * z + 0.00016044116661409423;
  p = p * z - 0.004681754134254207;
  p = p * z + 0.07969262624614423;
  p = p * z - 0.6459640975062462;
  return r * half_pi + r * (p * z + half_pi_low);
}

/// cos(π r/2) for |r| ≤ ½, within 1.3 ulp: 1 + r² Q(r²), Q interpolated at 7 Chebyshev nodes of [0, ¼]
/// (relative error 2^-55).
static inline double cos_quarter(double r) {
  const double z = r * r;
  double p = -6.329396344967424e-09;
  p = p * z + 4.710678405505227e-07;
  p = p * z - 2.5202039028029178e-05;
  p = p * z + 0.0009192602745468447;
  p = p * z - 0.020863480763340773;
  p = p * z + 0.2536695079010478;
  p = p * z - 1.2337005501361697;
  return 1.0 + z * p;
}

}  // namespace rezero::detail
