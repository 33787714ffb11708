#pragma once
/// Laws of every layer and every linear map.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "rezero/core/error.h"
#include "rezero/layers/layer.h"
#include "support/draws.h"

namespace rezero::testing {

inline constexpr Real eps = std::numeric_limits<Real>::epsilon();

inline Matrix applied(const LinearMap& A, const Matrix& v) {
  Matrix out = Matrix::Constant(A.rows(), v.cols(), std::nan(""));  // unwritten entries are visible
  A.apply(v, out);
  return out;
}
inline Matrix applied_transpose(const LinearMap& A, const Matrix& u) {
  Matrix out = Matrix::Constant(A.cols(), u.cols(), std::nan(""));
  A.apply_transpose(u, out);
  return out;
}

/// Rounding of sums of products over at most `terms` terms with a few factors each: 8 (terms + 8) eps.
inline Real rounding(Index terms) {
  return 8 * static_cast<Real>(terms + 8) * eps;
}

/// ⟨u, A v⟩ = ⟨Aᵀ u, v⟩, linearity, k columns = k calls, to_dense; and wrong sizes are refused.
inline void expect_linear_map_laws(const LinearMap& A, std::uint32_t id = 7000) {
  const Matrix dense = to_dense(A);
  ASSERT_EQ(dense.rows(), A.rows());
  ASSERT_EQ(dense.cols(), A.cols());
  const Matrix size = dense.cwiseAbs();  // errors are bounded by |A| |v|, even if the result cancels
  const Real unit = rounding(A.rows() + A.cols()) * (1 + (size.size() > 0 ? size.maxCoeff() : 0));
  const Matrix v = normal(A.cols(), 5, id), u = normal(A.rows(), 5, id + 1);
  const Matrix Av = applied(A, v), Atu = applied_transpose(A, u);
  const Real allowed = unit * std::sqrt(static_cast<Real>(A.cols())) * 4, allowed_t = allowed * 4;
  EXPECT_LE((Av - dense * v).cwiseAbs().maxCoeff(), allowed);
  EXPECT_LE((Atu - dense.transpose() * u).cwiseAbs().maxCoeff(), allowed_t);
  EXPECT_LE((u.transpose() * Av - Atu.transpose() * v).cwiseAbs().maxCoeff(), allowed_t * 16);
  EXPECT_LE((applied(A, 2.5 * v.col(0) - v.col(1)) - (2.5 * Av.col(0) - Av.col(1))).cwiseAbs().maxCoeff(),
            allowed_t);
  for (Index j = 0; j < v.cols(); ++j) {
    EXPECT_LE((applied(A, v.col(j)) - Av.col(j)).cwiseAbs().maxCoeff(), allowed);
    EXPECT_LE((applied_transpose(A, u.col(j)) - Atu.col(j)).cwiseAbs().maxCoeff(), allowed_t);
  }
  EXPECT_EQ(applied(A, Matrix::Zero(A.cols(), 0)).cols(), 0);
  Matrix good(A.rows(), 5), narrow(A.rows(), 4), good_t(A.cols(), 5);
  EXPECT_THROW(A.apply(normal(A.cols() + 1, 5, id), good), ShapeError);
  EXPECT_THROW(A.apply(v, narrow), ShapeError);
  EXPECT_THROW(A.apply_transpose(normal(A.rows() + 1, 5, id), good_t), ShapeError);
}

/// A central difference and a bound on its error. With D(h) = f′v + c h² + …, D(h) − D(h/2) = ¾ c h²: three
/// times the truncation error of D(h/2). Rounding adds 2 · (error of f) / h. Uses the step with the smallest
/// bound.
struct Difference {
  Vector value;
  Real bound = std::numeric_limits<Real>::infinity();
};

inline Difference central_difference(const Layer& f, const Vector& x, const Vector& v) {
  const auto slope = [&](Real h) {
    return Vector((f.evaluate(x + h * v) - f.evaluate(x - h * v)) / (2 * h));
  };
  const Real size = f.evaluate(x).cwiseAbs().maxCoeff() + x.cwiseAbs().maxCoeff();
  Difference best;
  for (int k = 6; k <= 20; ++k) {
    const Real h = std::ldexp(1.0, -k);
    const Vector wide = slope(h), close = slope(h / 2);
    const Real bound = (wide - close).cwiseAbs().maxCoeff() + 2 * rounding(x.size()) * size / h;
    if (bound < best.bound) best = {close, bound};
  }
  return best;
}

inline void expect_derivative_law(const Layer& f, const Vector& x) {
  const Linearization at = f.linearize(x);
  for (std::uint32_t k = 0; k < 3; ++k) {
    const Vector v = normal(x.size(), 7100 + k);
    const Difference difference = central_difference(f, x, v);
    const Vector Av = applied(*at.derivative, v);
    EXPECT_LE(difference.bound, 1e-6 * (1 + Av.cwiseAbs().maxCoeff())) << "the law has no teeth here";
    EXPECT_LE((Av - difference.value).cwiseAbs().maxCoeff(), difference.bound);
  }
}

/// f(c x) = c f(x) for c > 0, if and only if it is claimed.
inline void expect_homogeneity_law(const Layer& f, const Vector& x) {
  Real worst = 0;
  for (Real c : {0.125, 0.7, 3.0, 20.0})
    worst = std::max(worst, relative_distance(f.evaluate(c * x), c * f.evaluate(x)));
  if (f.positively_homogeneous()) {
    EXPECT_LE(worst, rounding(x.size()));
  } else {
    EXPECT_GE(worst, 1e-6) << "homogeneous, but not claimed";
  }
}

inline void expect_layer_laws(const Layer& f, const Vector& x) {
  const Linearization at = f.linearize(x);
  ASSERT_EQ(at.value.size(), f.output_shape().size());
  ASSERT_EQ(at.derivative->rows(), f.output_shape().size());
  ASSERT_EQ(at.derivative->cols(), f.input_shape().size());
  const Vector value = f.evaluate(x);
  EXPECT_LE((at.value - value).cwiseAbs().maxCoeff(), rounding(x.size()) * (1 + value.cwiseAbs().maxCoeff()));
  expect_linear_map_laws(*at.derivative);
  expect_derivative_law(f, x);
  expect_homogeneity_law(f, x);
  EXPECT_THROW(f.evaluate(Vector::Zero(x.size() + 1)), ShapeError);
  EXPECT_THROW(f.linearize(Vector::Zero(x.size() - 1)), ShapeError);
  const bool drops_inputs = f.drops_inputs();
  const Matrix dense = drops_inputs ? to_dense(*at.derivative) : Matrix();
  for (Index i = 0; i < x.size(); ++i) {  // NaN never goes unnoticed
    if (drops_inputs && dense.col(i).isZero(0)) continue;
    Vector bad = x;
    bad[i] = std::nan("");
    EXPECT_FALSE(f.evaluate(bad).allFinite()) << "NaN at " << i;
    EXPECT_FALSE(f.linearize(bad).value.allFinite()) << "NaN at " << i;
  }
}

}  // namespace rezero::testing
