#include "rezero/linalg/scaled_matrix.h"

#include <algorithm>
#include <cmath>

#include "linalg/unit.h"

namespace rezero {
namespace {

template <class Scaled>
bool renormalize_any(Scaled& a) {
  const Real largest = max_abs(a.mantissa);
  if (!std::isfinite(largest)) return false;
  if (largest == 0) {
    a.exponent = 0;
    return true;
  }
  int shift = 0;
  std::frexp(largest, &shift);
  detail::times_power_of_two(a.mantissa, -shift);
  a.exponent += shift;
  return true;
}

/// Σ a_ij² = total · 4^shift, total in [1/4, number of entries).
struct ShiftedSquare {
  Real total = 0;
  int shift = 0;
};

ShiftedSquare sum_of_squares(ConstColumns a) {
  const Real largest = max_abs(a);
  if (largest == 0) return {};
  ShiftedSquare square;
  std::frexp(largest, &square.shift);
  const int half = -square.shift / 2;
  const Real scale1 = std::ldexp(1.0, half), scale2 = std::ldexp(1.0, -square.shift - half);
  for (Index j = 0; j < a.cols(); ++j) {
    const Real* column = a.data() + j * a.outerStride();
    Real sum = 0;
    for (Index i = 0; i < a.rows(); ++i) {
      const Real value = column[i] * scale1 * scale2;
      sum += value * value;
    }
    square.total += sum;
  }
  return square;
}

}  // namespace

Real max_abs(ConstColumns a) {
  Real largest = 0;
  for (Index j = 0; j < a.cols(); ++j) {
    const auto column = a.col(j).array();
    const Real top = column.size() > 0 ? column.abs().maxCoeff() : 0;
    // The sum of 0·x is 0, or NaN exactly if an entry is NaN or infinite, in any order of summation.
    if (std::isnan((column * 0.0).sum()) && !(column == column).all()) return std::nan("");
    largest = std::max(largest, top);
  }
  return largest;
}

ScaledReal frobenius_norm(ConstColumns a) {
  const ShiftedSquare square = sum_of_squares(a);
  return ScaledReal::make(std::sqrt(square.total), square.shift);
}

ScaledReal frobenius_square(ConstColumns a) {
  const ShiftedSquare square = sum_of_squares(a);
  return ScaledReal::make(square.total, 2 * std::int64_t{square.shift});
}

bool renormalize(ScaledMatrix& a) {
  return renormalize_any(a);
}
bool renormalize(ScaledVector& a) {
  return renormalize_any(a);
}

}  // namespace rezero
