#include "rezero/linalg/standardize.h"

#include "linalg/unit.h"

namespace rezero {
namespace {

/// Scales each row by a power of two so that its squares can be summed.
void into_unit_by_row(Matrix& W) {
  const Vector largest = W.cwiseAbs().rowwise().maxCoeff();
  for (Index i = 0; i < W.rows(); ++i)
    detail::times_power_of_two(W.row(i), -detail::unit_exponent(largest(i)));
}

Vector one_for_zero(const Vector& norms) {
  return (norms.array() == 0).select(1, norms);
}

}  // namespace

void standardize_rows(Matrix& W) {
  into_unit_by_row(W);
  W.colwise() -= Vector(W.rowwise().mean());
  for (Index i = 0; i < W.rows(); ++i) {
    const Real norm = W.row(i).norm();
    if (norm > 0) W.row(i) /= norm;
  }
}

void normalize_rows(Matrix& W) {
  into_unit_by_row(W);
  W.array().colwise() /= one_for_zero(W.rowwise().norm()).array();
}

void normalize_columns(Matrix& W) {
  for (Index j = 0; j < W.cols(); ++j) detail::into_unit(W.col(j));
  W.array().rowwise() /= one_for_zero(W.colwise().norm().transpose()).transpose().array();
}

void normalize(Eigen::Ref<Vector> x) {
  detail::into_unit(x);
  x.normalize();
}

}  // namespace rezero
