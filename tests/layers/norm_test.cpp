#include "rezero/layers/norm.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>

#include "rezero/core/error.h"
#include "support/layer_laws.h"

namespace rezero {
namespace {

using testing::normal;

TEST(MeanSubtraction, ByHand) {
  Vector x(6), y(6);
  x << 1, 2, 6, -3, 0, 3;
  y << -2, -1, 3, -3, 0, 3;
  EXPECT_EQ(MeanSubtraction({3, 2}).evaluate(x), y);
}

TEST(MeanSubtraction, IsASymmetricProjector) {
  const Vector x = testing::normal(10, 1);
  const Matrix P = to_dense(*MeanSubtraction({5, 2}).linearize(x).derivative);
  EXPECT_LE((P - P.transpose()).cwiseAbs().maxCoeff(), 0);
  EXPECT_LE((P * P - P).cwiseAbs().maxCoeff(), testing::rounding(10));
  EXPECT_NEAR(P.trace(), 8, testing::rounding(10));  // one direction less at each position
}

TEST(MeanSubtraction, BytesDoNotDependOnTheAddress) {
  const Index n = 37;
  const LinearMapPtr P = MeanSubtraction({n, 1}).linearize(Vector::Zero(n)).derivative;
  Matrix storage(n, 9), out(n, 9);
  storage.colwise() = testing::normal(n, 2);  // columns of odd length: every alignment occurs
  P->apply(storage, out);
  for (Index j = 1; j < out.cols(); ++j) EXPECT_TRUE(testing::same_bytes(out.col(j), out.col(0))) << j;
}

Vector singular_values(const Matrix& A) {
  return Eigen::JacobiSVD<Matrix>(A).singularValues();
}

/// schemes.md section 4: d − 2 values 1/s, one ε/s³ (the direction of x), one 0 (the mean); RMS: no zero.
TEST(Norms, SpectraOfStandardization) {
  const Index d = 10;
  const Vector x = normal(d, 3), centered = (x.array() - x.mean()).matrix();
  for (Real eps : {0.0, 1e-5, 0.3}) {
    const auto check = [&](const char* name, const Vector& y, Index zeros) {
      const Real s = std::sqrt(y.squaredNorm() / static_cast<Real>(d) + eps);
      Vector wanted = Vector::Zero(d);
      wanted.head(d - 1 - zeros).setConstant(1 / s);
      wanted(d - 1 - zeros) = eps / (s * s * s);
      const Vector got =
          singular_values(to_dense(*NormSpec::of(name, eps).layer({d, 1})->linearize(x).derivative));
      EXPECT_LE((got - wanted).cwiseAbs().maxCoeff(), 1e-15 / s * 4) << name << " eps " << eps;
    };
    check("layer_norm", centered, 1);
    check("rms_norm", x, 0);
  }
  Vector wanted = Vector::Constant(d, 1 / x.norm());
  wanted(d - 1) = 0;
  const Vector got =
      singular_values(to_dense(*NormSpec::of("l2_norm").layer({d, 1})->linearize(x).derivative));
  EXPECT_LE((got - wanted).cwiseAbs().maxCoeff(), 1e-15);
}

/// What a norm never reaches, per position: uᵀ ∂N = 0 for that many independent u, at the kinds' own default
/// ε.
TEST(Norms, NullDirectionsAreThoseOfTheMatrix) {
  for (const NormKind& kind : norms()) {
    const Vector got =
        singular_values(to_dense(*NormSpec::of(kind.name).layer({7, 1})->linearize(normal(7, 4)).derivative));
    EXPECT_EQ((got.array() <= 1e-14).count(), kind.null_directions) << kind.name;
  }
}

TEST(Norms, Values) {
  Vector x(6), weight(3), bias(3);
  x << 1, 2, 6, -3, 0, 3;
  weight << 1, -2, 3;
  bias << 10, 20, 30;
  for (const char* name : {"layer_norm", "rms_norm", "l2_norm", "dynamic_tanh", "derf"}) {
    NormSpec spec = NormSpec::of(name, 0.25);
    spec.alpha = 0.3;
    if (spec.kind->has_weight) spec.weight = testing::share(weight), spec.bias = testing::share(bias);
    const Vector y = spec.layer({3, 2})->evaluate(x);
    for (Index t = 0; t < 2; ++t)
      for (Index i = 0; i < 3; ++i) {
        const Eigen::Array3d v = x.segment(3 * t, 3);
        const std::string kind = name;
        Real wanted = 0;
        if (kind == "layer_norm")
          wanted = (v(i) - v.mean()) / std::sqrt((v - v.mean()).square().mean() + 0.25);
        if (kind == "rms_norm") wanted = v(i) / std::sqrt(v.square().mean() + 0.25);
        if (kind == "l2_norm") wanted = v(i) / std::sqrt(v.square().sum());
        if (kind == "dynamic_tanh") wanted = std::tanh(0.3 * v(i));
        if (kind == "derf") wanted = std::erf(0.3 * v(i));
        if (spec.weight) wanted = wanted * weight(i) + bias(i);
        EXPECT_NEAR(y(3 * t + i), wanted, 1e-14) << name;
      }
  }
}

/// A norm's derivative has bytes that do not depend on where columns stand, at any width.
TEST(Norms, BytesDoNotDependOnTheAddress) {
  for (const NormKind& kind : norms())
    for (Index n : {5, 8, 37}) {
      const LinearMapPtr P = NormSpec::of(kind.name).layer({n, 1})->linearize(normal(n, 1)).derivative;
      Matrix storage(n, 9), out(n, 9), back(n, 9);
      storage.colwise() = normal(n, 2);
      P->apply(storage, out);
      P->apply_transpose(storage, back);
      for (Index j = 1; j < out.cols(); ++j) {
        EXPECT_TRUE(testing::same_bytes(out.col(j), out.col(0))) << kind.name << j;
        EXPECT_TRUE(testing::same_bytes(back.col(j), back.col(0))) << kind.name << j;
      }
    }
}

TEST(Norms, WeightsMustFit) {
  for (const NormKind& kind : norms()) {
    if (!kind.has_weight) continue;
    NormSpec spec = NormSpec::of(kind.name);
    spec.weight = testing::share(Vector(Vector::Ones(3)));
    EXPECT_THROW(spec.layer({4, 3}), ShapeError) << kind.name;
    spec.weight = nullptr, spec.bias = testing::share(Vector(Vector::Ones(12)));
    EXPECT_THROW(spec.layer({4, 3}), ShapeError) << kind.name;
  }
}

TEST(Norms, RegistryMakesLayersOfTheShape) {
  for (const NormKind& kind : norms()) {
    const LayerPtr layer = NormSpec::of(kind.name).layer({4, 3});
    EXPECT_EQ(layer->input_shape(), (Shape{4, 3}));
    EXPECT_FALSE(kind.formula.empty() || kind.source.empty());
  }
  EXPECT_FALSE(NormSpec{});
}

}  // namespace
}  // namespace rezero
