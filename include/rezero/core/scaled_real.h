#pragma once
/// A real number beyond the range of double: mantissa · 2^exponent.

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
  /// The value as a double if it is a normal double or zero, else nothing.
  std::optional<Real> to_real() const {
    if (mantissa == 0) return Real{0};
    if (exponent > 1024 || exponent < -1021) return std::nullopt;
    return std::ldexp(mantissa, static_cast<int>(exponent));
  }

  friend bool operator==(const ScaledReal& a, const ScaledReal& b) {
    return a.mantissa == b.mantissa && a.exponent == b.exponent;
  }
  friend bool operator!=(const ScaledReal& a, const ScaledReal& b) { return !(a == b); }
};

}  // namespace rezero
