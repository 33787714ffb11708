#pragma once
/// A real number beyond the range of double: mantissa · 2^exponent.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>

#include "rezero/core/types.h"

namespace rezero {

/// x · 2^k for any k, rounded once; ±infinity or 0 outside the range of double. No two doubles are more than
/// 2^2098 apart, so k beyond ±4000 makes no difference.
inline Real shifted(Real x, std::int64_t k) {
  if (k >= -1022 && k <= 1023) {  // 2^k is a normal number: same bits as ldexp, without a call
    const std::uint64_t bits = static_cast<std::uint64_t>(k + 1023) << 52;
    Real power = 0;
    std::memcpy(&power, &bits, sizeof power);
    return x * power;
  }
  return std::ldexp(x, static_cast<int>(std::clamp<std::int64_t>(k, -4000, 4000)));
}

/// value = mantissa · 2^exponent with |mantissa| in [0.5, 1), or both zero. Keeps every bit of the double
/// from which it was made. Arithmetic rounds like that of doubles, but neither overflows nor underflows.
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
  /// The nearest double: ±infinity or 0 outside the range.
  Real nearest() const { return rezero::shifted(mantissa, exponent); }
  /// The nearest double with its exponent clamped to ±1000: neither infinite nor 0 (unless the value is 0),
  /// so that it can still be multiplied by, divided by and compared with numbers of ordinary size.
  Real clamped_double() const {
    return std::ldexp(mantissa, static_cast<int>(std::clamp<std::int64_t>(exponent, -1000, 1000)));
  }
  /// The value as a double, if it is a normal double or zero.
  std::optional<Real> to_real() const {
    if (mantissa == 0) return Real{0};
    if (exponent > 1024 || exponent < -1021) return std::nullopt;
    return std::ldexp(mantissa, static_cast<int>(exponent));
  }
  /// value · 2^k (exact).
  ScaledReal shifted(std::int64_t k) const { return is_zero() ? *this : ScaledReal{mantissa, exponent + k}; }

  friend ScaledReal operator*(const ScaledReal& a, const ScaledReal& b) {
    return make(a.mantissa * b.mantissa, a.exponent + b.exponent);
  }
  friend ScaledReal operator*(const ScaledReal& a, Real b) { return make(a.mantissa * b, a.exponent); }
  friend ScaledReal operator/(const ScaledReal& a, const ScaledReal& b) {
    return make(a.mantissa / b.mantissa, a.exponent - b.exponent);
  }
  friend ScaledReal operator/(const ScaledReal& a, Real b) { return make(a.mantissa / b, a.exponent); }
  friend ScaledReal operator+(const ScaledReal& a, const ScaledReal& b) {
    if (a.is_zero() || b.is_zero()) return a.is_zero() ? b : a;
    if (a.exponent < b.exponent) return b + a;
    const std::int64_t gap = a.exponent - b.exponent;
    if (gap > 100) return a;  // far below the last bit of a
    return make(a.mantissa + std::ldexp(b.mantissa, -static_cast<int>(gap)), a.exponent);
  }
  /// a/b as a clamped double, 0 only if a is; b ≠ 0.
  friend Real quotient(const ScaledReal& a, const ScaledReal& b) {
    return ScaledReal{a.mantissa / b.mantissa, a.exponent - b.exponent}.clamped_double();
  }
  friend ScaledReal sqrt(const ScaledReal& a) {
    const std::int64_t half = a.exponent >= 0 ? a.exponent / 2 : (a.exponent - 1) / 2;
    return make(std::sqrt(std::ldexp(a.mantissa, static_cast<int>(a.exponent - 2 * half))), half);
  }

  friend bool operator==(const ScaledReal& a, const ScaledReal& b) {
    return a.mantissa == b.mantissa && a.exponent == b.exponent;
  }
  friend bool operator!=(const ScaledReal& a, const ScaledReal& b) { return !(a == b); }
  friend bool operator<(const ScaledReal& a, const ScaledReal& b) {
    const bool one_sign = a.mantissa * b.mantissa > 0;
    if (!one_sign || a.exponent == b.exponent) return a.mantissa < b.mantissa;
    return a.mantissa > 0 ? a.exponent < b.exponent : a.exponent > b.exponent;
  }
  friend bool operator>(const ScaledReal& a, const ScaledReal& b) { return b < a; }
};

}  // namespace rezero
