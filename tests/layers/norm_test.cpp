#include "rezero/layers/norm.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <functional>

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

/// schemes.md section 2.7: of each channel N − 2 values γ/s, one γ ε/s³ (the direction of x), one 0 (the
/// mean).
TEST(Norms, SpectrumOfBatchNorm) {
  const Index channels = 3, N = 10;
  const Vector x = normal(channels * N, 5), gamma = Vector::LinSpaced(channels, 3, 1);
  for (Real eps : {0.0, 1e-5, 0.3}) {
    NormSpec spec = NormSpec::of("batch_norm", eps);
    spec.weight = testing::share(gamma);
    Vector wanted = Vector::Zero(channels * N);
    Real largest = 0;
    for (Index c = 0; c < channels; ++c) {
      const Vector channel = Eigen::Map<const Matrix>(x.data(), channels, N).row(c).transpose();
      const Real s = std::sqrt((channel.array() - channel.mean()).square().mean() + eps);
      wanted.segment(c * N, N - 2).setConstant(gamma(c) / s);
      wanted(c * N + N - 2) = gamma(c) * eps / (s * s * s);
      largest = std::max(largest, gamma(c) / s);
    }
    std::sort(wanted.data(), wanted.data() + wanted.size(), std::greater<>());
    const Vector got = singular_values(to_dense(*spec.layer({channels, N})->linearize(x).derivative));
    EXPECT_LE((got - wanted).cwiseAbs().maxCoeff(), 4e-15 * largest) << "eps " << eps;
  }
}

/// Directions that a norm never reaches: uᵀ ∂N = 0 for that many independent u, at the kinds' own default ε.
TEST(Norms, NullDirectionsAreThoseOfTheMatrix) {
  for (const NormKind& kind : norms())
    for (Shape shape : {Shape{7, 1}, {6, 4}, {6, 5}}) {
      NormSpec spec = NormSpec::of(kind.name);
      if (kind.find("groups") && shape.features == 6) spec.set("groups", 3);
      if (kind.find("groups") && shape.positions == 4) spec.samples = 2;
      const Vector got =
          singular_values(to_dense(*spec.layer(shape)->linearize(normal(shape.size(), 4)).derivative));
      EXPECT_EQ((got.array() <= 1e-14).count(), spec.null_directions(shape)) << kind.name;
    }
}

/// A set of one number has no spread: output β, derivative 0, without ε too.
TEST(Norms, SetsOfOneNumberAreZero) {
  const Vector x = normal(6, 6), beta = normal(3, 7);
  for (Real eps : {0.0, 1e-5})
    for (const auto& [name, positions] :
         {std::pair<const char*, Index>{"batch_norm", 1}, {"group_norm", 2}}) {
      NormSpec spec = NormSpec::of(name, eps);
      if (spec.kind->find("groups")) spec.set("groups", 3).samples = 2;
      const Vector at = x.head(3 * positions);
      EXPECT_TRUE(spec.layer({3, positions})->evaluate(at).isZero(0)) << name;
      spec.bias = testing::share(beta);
      const Linearization N = spec.layer({3, positions})->linearize(at);
      EXPECT_EQ(N.value, Vector(beta.replicate(positions, 1))) << name;
      EXPECT_TRUE(to_dense(*N.derivative).isZero(0)) << name;
    }
}

/// Group norm between layer norm (one group, one sample per position) and batch norm (one group per feature,
/// one sample).
TEST(Norms, GroupNormHasLayerAndBatchNormAsEnds) {
  const Shape shape{6, 5};
  const Vector x = normal(30, 8);
  const auto expect_equal = [&](const char* name, Index groups, Index samples) {
    NormSpec group = NormSpec::of("group_norm", 0.1), other = NormSpec::of(name, 0.1);
    group.set("groups", static_cast<Real>(groups)).samples = samples;
    group.weight = other.weight = testing::share(normal(6, 9));
    group.bias = other.bias = testing::share(normal(6, 10));
    const Linearization a = group.layer(shape)->linearize(x), b = other.layer(shape)->linearize(x);
    EXPECT_LE((a.value - b.value).cwiseAbs().maxCoeff(), 1e-14) << name;
    EXPECT_LE((to_dense(*a.derivative) - to_dense(*b.derivative)).cwiseAbs().maxCoeff(), 1e-14) << name;
  };
  expect_equal("layer_norm", 1, 5);
  expect_equal("batch_norm", 6, 1);
}

TEST(Norms, BatchNormByHand) {
  Vector x(6), mean(2), variance(2), weight(2), bias(2), batch(6), eval(6);
  x << 1, 10, 2, 10, 3, 40;  // channels 1 2 3 and 10 10 40
  mean << 1, 20, variance << 0.75, 99.75, weight << 1, -2, bias << 0, 100;
  NormSpec spec = NormSpec::of("batch_norm", 0.25);
  spec.weight = testing::share(weight), spec.bias = testing::share(bias);
  const Real s0 = std::sqrt(2.0 / 3 + 0.25), s1 = std::sqrt(200.25);
  batch << -1 / s0, 100 + 20 / s1, 0, 100 + 20 / s1, 1 / s0, 100 - 40 / s1;
  EXPECT_LE((spec.layer({2, 3})->evaluate(x) - batch).cwiseAbs().maxCoeff(), 1e-13);
  spec.kind = &norms().at("batch_norm_eval");
  spec.running_mean = testing::share(mean), spec.running_var = testing::share(variance);
  eval << 0, 102, 1, 102, 2, 96;
  EXPECT_LE((spec.layer({2, 3})->evaluate(x) - eval).cwiseAbs().maxCoeff(), 1e-13);
  // Fresh statistics do not normalize.
  EXPECT_EQ(NormSpec::of("batch_norm_eval", 0).layer({2, 3})->evaluate(x), x);
}

TEST(Norms, GroupsAndSamplesMustDivide) {
  NormSpec spec = NormSpec::of("group_norm");
  for (const auto& [groups, samples] : {std::pair<Index, Index>{4, 1}, {1, 2}, {0, 1}, {1, 0}}) {
    spec.set("groups", static_cast<Real>(groups)).samples = samples;
    EXPECT_THROW(spec.layer({6, 3}), ShapeError) << groups << " " << samples;
  }
}

TEST(Norms, Values) {
  Vector x(6), weight(3), bias(3);
  x << 1, 2, 6, -3, 0, 3;
  weight << 1, -2, 3;
  bias << 10, 20, 30;
  for (const char* name : {"layer_norm", "rms_norm", "l2_norm", "dynamic_tanh", "derf"}) {
    NormSpec spec = NormSpec::of(name, 0.25);
    if (spec.kind->find("alpha")) spec.set("alpha", 0.3);
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

/// The bytes of a norm's derivative do not depend on the address of columns, at any width.
TEST(Norms, BytesDoNotDependOnTheAddress) {
  for (const NormKind& kind : norms())
    for (Index n : {5, 8, 37}) {
      const LinearMapPtr P = NormSpec::of(kind.name)
                                 .layer({kind.across_positions ? 1 : n, kind.across_positions ? n : 1})
                                 ->linearize(normal(n, 1))
                                 .derivative;
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
    if (!kind.has_running) continue;
    spec.bias = nullptr, spec.running_mean = testing::share(Vector(Vector::Ones(3)));
    EXPECT_THROW(spec.layer({4, 3}), ShapeError) << kind.name;
    spec.running_mean = nullptr, spec.running_var = testing::share(Vector(Vector::Ones(3)));
    EXPECT_THROW(spec.layer({4, 3}), ShapeError) << kind.name;
  }
}

TEST(Norms, RegistryMakesLayersOfTheShape) {
  for (const NormKind& kind : norms()) {
    const LayerPtr layer = NormSpec::of(kind.name).layer({4, 3});
    EXPECT_EQ(layer->input_shape(), (Shape{4, 3}));
  }
  EXPECT_FALSE(NormSpec{});
}

/// x is scaled by 2^e, ε by 4^e.
Linearization at_scale(NormSpec spec, Shape shape, const Vector& x, int e) {
  if (spec.kind->find("eps")) spec.set("eps", std::ldexp(spec.eps(), 2 * e));
  const LayerPtr layer = spec.layer(shape);
  const Vector far = std::ldexp(1.0, e) * x;
  Linearization at = layer->linearize(far);
  const Vector value = layer->evaluate(far);
  EXPECT_LE((at.value - value).cwiseAbs().maxCoeff(), 1e-15 * value.cwiseAbs().maxCoeff()) << spec.kind->name;
  return at;
}

/// N(c x) = N(x) with derivative N′(x)/c, or N(c x) = c N(x), at both ends of double: to the bit for powers
/// of two.
TEST(Norms, StatesOfAnySize) {
  for (const NormKind& kind : norms())
    for (Index positions : {1, 3})
      for (const auto& [eps, e] :
           {std::pair<Real, int>{0, 664}, {0, -664}, {0, 900}, {1e-5, 400}, {1e-5, -400}})
        for (bool affine : {false, true}) {
          SCOPED_TRACE(std::string(kind.name) + " 2^" + std::to_string(e));
          const bool of_degree_zero = kind.divides_by_size;
          if ((!of_degree_zero && !kind.linear) || (affine && !kind.has_weight)) continue;
          NormSpec spec = NormSpec::of(kind.name, eps);
          if (affine) spec.weight = testing::share(normal(6, 35));
          if (affine && of_degree_zero) spec.bias = testing::share(normal(6, 36));
          if (kind.find("groups")) spec.set("groups", 2);
          if (!of_degree_zero && kind.find("eps")) spec.set("eps", 0);
          const Shape shape{6, positions};
          const Vector x = normal(shape.size(), 11);
          const Linearization near = at_scale(spec, shape, x, 0), far = at_scale(spec, shape, x, e);
          EXPECT_EQ(far.value, Vector((of_degree_zero ? 1 : std::ldexp(1.0, e)) * near.value));
          EXPECT_EQ(to_dense(*far.derivative),
                    Matrix((of_degree_zero ? std::ldexp(1.0, -e) : 1) * to_dense(*near.derivative)));
        }
}

TEST(Norms, EpsIsNothingBesideAHugeState) {
  const Vector x = 1e200 * normal(6, 12);
  for (const char* name : {"layer_norm", "rms_norm", "batch_norm", "group_norm"}) {
    const Shape shape = std::string(name) == "batch_norm" ? Shape{1, 6} : Shape{6, 1};
    const Linearization with = NormSpec::of(name).layer(shape)->linearize(x),
                        without = NormSpec::of(name, 0).layer(shape)->linearize(x);
    EXPECT_EQ(with.value, without.value) << name;
    EXPECT_EQ(to_dense(*with.derivative), to_dense(*without.derivative)) << name;
  }
}

/// For equal numbers only ε is left: s = √ε.
TEST(Norms, EqualNumbersOfAnySizeAreDividedByTheRootOfEps) {
  for (const char* name : {"layer_norm", "batch_norm", "group_norm"})
    for (Real size : {0x1p-700, 1.0, 0x1p700}) {
      const Shape shape = std::string(name) == "batch_norm" ? Shape{1, 4} : Shape{4, 1};
      const LayerPtr layer = NormSpec::of(name).layer(shape);
      const Vector x = Vector::Constant(4, size);
      EXPECT_TRUE(layer->evaluate(x).isZero(0)) << name << size;
      EXPECT_TRUE(layer->linearize(x).value.isZero(0)) << name << size;
      EXPECT_NEAR(to_dense(*layer->linearize(x).derivative)(0, 0), 0.75 / std::sqrt(1e-5), 1e-12)
          << name << size;
    }
}

TEST(Norms, ATinyStateIsDividedByTheRootOfEps) {
  const Vector x = 1e-200 * normal(6, 13);
  for (Real eps : {1e-5, 1e200, 1e-300}) {
    const Linearization at = NormSpec::of("rms_norm", eps).layer({6, 1})->linearize(x);
    EXPECT_LE(testing::relative_distance(at.value, x / std::sqrt(eps)), 1e-15) << eps;
    EXPECT_NEAR(to_dense(*at.derivative)(2, 2) * std::sqrt(eps), 1, 1e-15) << eps;
  }
}

/// Sums and differences of numbers close to the largest double do not overflow if their result does not.
TEST(Norms, NumbersNextToTheLargest) {
  Vector x(6);
  x << 1.7, 1.6, -1.75, 1.5, -1.2, 1.7;
  for (const NormKind& kind : norms()) {
    if (!kind.divides_by_size) continue;
    const Shape shape = kind.across_positions ? Shape{1, 6} : Shape{6, 1};
    const LayerPtr layer = NormSpec::of(kind.name, 0).layer(shape);
    EXPECT_EQ(layer->evaluate(0x1p1023 * x), layer->evaluate(x)) << kind.name;
    EXPECT_EQ(layer->linearize(0x1p1023 * x).value, layer->linearize(x).value) << kind.name;
  }
  const Vector close = x.cwiseAbs();
  const MeanSubtraction centered({6, 1});
  EXPECT_EQ(centered.evaluate(0x1p1023 * close), 0x1p1023 * centered.evaluate(close));
  EXPECT_EQ(centered.linearize(0x1p1023 * close).value, 0x1p1023 * centered.linearize(close).value);
  NormSpec running = NormSpec::of("batch_norm_eval", 0);
  running.running_mean = testing::share(Vector(Vector::Constant(1, -0x1.8p1023)));
  running.running_var = testing::share(Vector(Vector::Constant(1, 0x1p1000)));
  const Vector large = Vector::Constant(1, 0x1.8p1023), wanted = Vector::Constant(1, 0x1.8p524);
  EXPECT_EQ(running.layer({1, 1})->evaluate(large), wanted);
  EXPECT_EQ(running.layer({1, 1})->linearize(large).value, wanted);
  NormSpec bounded = NormSpec::of("dynamic_tanh");
  bounded.set("alpha", 4);
  EXPECT_EQ(bounded.layer({1, 1})->evaluate(-large), Vector::Constant(1, -1));
  EXPECT_EQ(bounded.layer({1, 1})->linearize(large).value, Vector::Ones(1));
}

TEST(Norms, UndefinedAtZero) {
  for (const NormKind& kind : norms())
    for (Real eps : {0.0, 1e-5}) {
      const NormSpec spec = NormSpec::of(kind.name, eps);
      const Shape shape = kind.across_positions ? Shape{1, 6} : Shape{6, 1};
      EXPECT_EQ(spec.undefined_at_zero(), !spec.layer(shape)->evaluate(Vector::Zero(6)).allFinite())
          << kind.name << eps;
    }
}

}  // namespace
}  // namespace rezero
