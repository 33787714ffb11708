#include "analysis/by_rows.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "core/underflow.h"
#include "jacobian/pass.h"
#include "rezero/core/contract.h"
#include "rezero/linalg/maps.h"

namespace rezero::detail {
namespace {

/// The columns of Jᵀ on their way from the last factor to the first.
class TransposedPass {
 public:
  TransposedPass(Index rows, int workers)
      : workers_(workers), probe_(Matrix::Identity(rows, rows)), columns_{Matrix::Identity(rows, rows)} {}

  void step(const FactorSource& factors, Index i) {
    const ScaledMap factor = factors.at(i);
    const LinearMap& map = *factor.map;
    Matrix next(map.cols(), columns_.mantissa.cols());
    if (apply_transpose(map, next)) formed_.underflow = std::max(formed_.underflow, Underflow::product);
    if (!std::isfinite(max_abs(next)))
      throw NumericalError("the Jacobian is not finite (a derivative overflowed on the way to factor " +
                           std::to_string(i) + ")");
    formed_.zeros_hold =
        formed_.zeros_hold && new_zeros_hold(next, [&] { return factors.in_other_rounding(i, 0); });
    columns_.mantissa.swap(next);
    const UnderflowWatch watch;
    REZERO_REQUIRE(renormalize(columns_));
    if (watch.underflowed()) formed_.underflow = std::max(formed_.underflow, Underflow::product);
    columns_.exponent += factor.exponent;
    probe_.apply([&](int sample) {
      const ScaledMap other = factors.in_other_rounding(i, sample);
      return ScaledMap{transpose_map(other.map), other.exponent};
    });
  }

  FormedJacobian finish() {
    formed_.forming = probe_.compare(columns_);
    formed_.zeros_hold = formed_.zeros_hold && formed_.forming.zero_rows_agree;
    formed_.J = {columns_.mantissa.transpose(), columns_.exponent};
    return std::move(formed_);
  }

 private:
  /// Whether an entry underflowed.
  bool apply_transpose(const LinearMap& map, Matrix& next) const {
    std::mutex mutex;
    bool underflowed = false;
    const Matrix& now = columns_.mantissa;
    over_column_panels(map, now.cols(), next.rows(), workers_, [&](Index start, Index width) {
      const UnderflowWatch watch;
      map.apply_transpose(now.middleCols(start, width), next.middleCols(start, width));
      const std::lock_guard<std::mutex> lock(mutex);
      underflowed |= watch.underflowed();
    });
    return underflowed;
  }

  /// A column that becomes zero by cancellation does not vanish in another rounding.
  template <class Other>
  bool new_zeros_hold(const Matrix& next, const Other& other) const {
    for (Index j = 0; j < next.cols(); ++j) {
      if (!next.col(j).isZero(0) || columns_.mantissa.col(j).isZero(0)) continue;
      Matrix image(next.rows(), 1);
      other().map->apply_transpose(columns_.mantissa.middleCols(j, 1), image);
      if (!image.isZero(0)) return false;
    }
    return true;
  }

  int workers_;
  RoundingProbe probe_;
  ScaledMatrix columns_;
  FormedJacobian formed_;
};

}  // namespace

FormedJacobian form_by_rows(const FactorSource& factors, Index rows, int workers) {
  TransposedPass pass(rows, workers);
  for (Index i = factors.count; i-- > 0;) pass.step(factors, i);
  return pass.finish();
}

}  // namespace rezero::detail
