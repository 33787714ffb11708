#pragma once
/// A real number beyond the range of double: mantissa · 2^exponent.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "rezero/core/types.h"

namespace rezero {

/// value = mantissa · 2^exponent with |mantissa| in [0.5, 1), or both zero. Keeps every bit of the double it
/// came from.
struct ScaledReal {
  Real mantissa = 0;
  std::int64_t exponent = 0;

  /// value · 2^exponent, normalized (exact). value must be finite.
  static ScaledReal make(Real value, std::int64_t exponent = 0) {
    if (value == 0) return {};
    int shift = 0;
    const Real mantissa = std::frexp(value, &shift);
    return {mantissa, exponent + shift};
  }

  bool is_zero() const { return mantissa == 0; }
  /// Natural logarithm of |value|; −∞ for zero.
  Real log() const {
    return std::log(std::abs(mantissa)) + static_cast<Real>(exponent) * 0.69314718055994530942;
  }
  /// log₁₀ |value|; −∞ for zero.
  Real log10() const {
    return std::log10(std::abs(mantissa)) + static_cast<Real>(exponent) * 0.30102999566398119521;
  }
  /// The nearest double: ±infinity or 0 beyond their range.
  Real nearest() const {
    return std::ldexp(
        mantissa, static_cast<int>(std::min<std::int64_t>(std::max<std::int64_t>(exponent, -4000), 4000)));
  }
  /// The value as a double if it is a normal double or zero, else nothing.
  std::optional<Real> to_real() const {
    if (mantissa == 0) return Real{0};
    if (exponent > 1024 || exponent < -1021) return std::nullopt;
    return std::ldexp(mantissa, static_cast<int>(exponent));
  }

  friend ScaledReal operator*(const ScaledReal& a, const ScaledReal& b) {
    return make(a.mantissa * b.mantissa, a.exponent + b.exponent);
  }
  friend ScaledReal operator+(const ScaledReal& a, const ScaledReal& b) {
    if (a.is_zero() || b.is_zero()) return a.is_zero() ? b : a;
    if (a.exponent < b.exponent) return b + a;
    const std::int64_t gap = a.exponent - b.exponent;
    if (gap > 100) return a;  // far below its last bit
    return make(a.mantissa + std::ldexp(b.mantissa, -static_cast<int>(gap)), a.exponent);
  }
  friend ScaledReal square_root(const ScaledReal& a) {
    const std::int64_t half = a.exponent >= 0 ? a.exponent / 2 : (a.exponent - 1) / 2;
    return make(std::sqrt(std::ldexp(a.mantissa, static_cast<int>(a.exponent - 2 * half))), half);
  }
  friend bool operator==(const ScaledReal& a, const ScaledReal& b) {
    return a.mantissa == b.mantissa && a.exponent == b.exponent;
  }
  friend bool operator!=(const ScaledReal& a, const ScaledReal& b) { return !(a == b); }
};

}  // namespace rezero
