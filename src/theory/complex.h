#pragma once
/// Complex functions that stay relatively exact near 0: narrow laws live there.

#include <cmath>
#include <complex>

#include "rezero/core/types.h"

namespace rezero::theory::detail {

using Complex = std::complex<Real>;

/// 1/z, |z|² within the range of doubles: no scaling, unlike operator/.
inline Complex inverse(Complex z) {
  const Real scale = 1 / std::norm(z);
  return {z.real() * scale, -z.imag() * scale};
}

/// log(1 + z), principal branch; exact near z = 0 and near z = −1.
inline Complex log1p(Complex z) {
  const Real x = z.real(), y = z.imag();
  const Real log_square = x > -0.5 ? std::log1p(x * (2 + x) + y * y) : std::log((1 + x) * (1 + x) + y * y);
  return {log_square / 2, std::atan2(y, 1 + x)};
}

/// e^z − 1.
inline Complex expm1(Complex z) {
  const Real half = std::sin(z.imag() / 2), growth = std::expm1(z.real());
  return {growth * std::cos(z.imag()) - 2 * half * half, (1 + growth) * std::sin(z.imag())};
}

inline Real log1p(Real x) {
  return std::log1p(x);
}
inline Real inverse(Real x) {
  return 1 / x;
}

}  // namespace rezero::theory::detail
