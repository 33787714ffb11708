/// The distributions of the initializers. Bounds are multiples of each estimator's standard error.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "rezero/init/initializer.h"
#include "rezero/random/sample.h"

namespace rezero {
namespace {

StreamKey key_of(std::uint64_t seed) {
  return stream_key(seed, StreamRole::weight);
}

Matrix weight(const std::string& text, const WeightContext& context, std::uint64_t seed = 7) {
  return Initializer(parse_named_spec(text)).weight(context, key_of(seed));
}

/// Mean and mean square of independent entries of variance `variance` and kurtosis E x⁴/(E x²)² within 5 se.
void expect_law(const Matrix& entries, Real variance, Real kurtosis, const std::string& what) {
  const Real n = static_cast<Real>(entries.size());
  EXPECT_NEAR(entries.mean(), 0, 5 * std::sqrt(variance / n)) << what;
  EXPECT_NEAR(entries.squaredNorm() / n, variance, 5 * variance * std::sqrt((kurtosis - 1) / n)) << what;
}

constexpr Real normal_kurtosis = 3, uniform_kurtosis = 1.8;
const WeightContext tall = {600, 200, 1.5}, wide = {200, 600, 1.5};

struct LawCase {
  const char* spec;
  Real variance(const WeightContext& c) const { return formula(Real(c.fan_in()), Real(c.fan_out())); }
  Real (*formula)(Real fan_in, Real fan_out);
};

const LawCase law_cases[] = {
    {"he", [](Real in, Real) { return 2 / in; }},
    {"he:mode=fan_out", [](Real, Real out) { return 2 / out; }},
    {"he:gain=3", [](Real in, Real) { return 9 / in; }},
    {"he:gain=auto", [](Real in, Real) { return 2.25 / in; }},
    {"xavier", [](Real in, Real out) { return 2 / (in + out); }},
    {"xavier:gain=auto", [](Real in, Real out) { return 4.5 / (in + out); }},
    {"xavier:gain=0.5", [](Real in, Real out) { return 0.5 / (in + out); }},
    {"lecun", [](Real in, Real) { return 1 / in; }},
};

/// schemes.md section 5: the fused q/k/v matrix is uniform of variance 1/(2d); the rest differs by
/// initializer.
TEST(ReferenceInitializerLaws, TransformersOfTheReZeroAuthors) {
  const Index d = 300;
  const WeightContext qkv{d, d, 1, WeightPlace::attention_input},
      output{d, d, 1, WeightPlace::attention_output}, up{4 * d, d, 1, WeightPlace::feed_forward},
      down{d, 4 * d, 1, WeightPlace::feed_forward};
  const Real n = static_cast<Real>(d);
  const auto check = [](const std::string& init, const WeightContext& context, Real variance) {
    const Matrix w = weight(init, context);
    expect_law(w, variance, uniform_kurtosis, init);
    EXPECT_LE(w.cwiseAbs().maxCoeff(), std::sqrt(3 * variance) * (1 + 1e-15)) << init;
    EXPECT_GT(w.cwiseAbs().maxCoeff(), 0.999 * std::sqrt(3 * variance)) << init;
  };
  for (const char* init : {"torch-transformer", "torch-transformer:tied=false", "rezero-notebook"})
    check(init, qkv, 1 / (2 * n));
  check("torch-transformer", output, 1 / (3 * n));
  check("torch-transformer", up, 1 / (3 * n));
  check("torch-transformer", down, 1 / (12 * n));
  check("rezero-notebook", output, 1 / n);
  check("rezero-notebook", up, 2 / (5 * n));
  check("rezero-notebook", down, 2 / (5 * n));
  for (const char* name : {"torch-transformer", "rezero-notebook"}) {
    const Initializer init(parse_named_spec(name));
    EXPECT_TRUE(init.has_bias() && init.tied_biases());
    EXPECT_TRUE(init.bias(qkv, key_of(1)).isZero(0) && init.bias(output, key_of(1)).isZero(0));
    expect_law(init.bias(up, key_of(1)), 1 / (3 * n), uniform_kurtosis, name);
    expect_law(init.bias(down, key_of(1)), 1 / (12 * n), uniform_kurtosis, name);
  }
  EXPECT_TRUE(Initializer(parse_named_spec("torch-transformer")).tied_weights());
  EXPECT_FALSE(Initializer(parse_named_spec("rezero-notebook")).tied_weights());
}

TEST(ReferenceInitializerLaws, VarianceOfEveryLawAndMode) {
  for (const LawCase& law : law_cases)
    for (const WeightContext& context : {tall, wide}) {
      const std::string spec = law.spec, uniform = spec + ":law=uniform";
      const Real variance = law.variance(context);
      expect_law(weight(spec, context), variance, normal_kurtosis, spec);
      const Matrix w = weight(uniform, context);
      expect_law(w, variance, uniform_kurtosis, uniform);
      EXPECT_LE(w.cwiseAbs().maxCoeff(), std::sqrt(3 * variance) * (1 + 1e-15)) << uniform;
      EXPECT_GT(w.cwiseAbs().maxCoeff(), 0.999 * std::sqrt(3 * variance)) << uniform;
    }
}

TEST(ReferenceInitializerLaws, GaussianNormalAndTorchDefault) {
  for (const WeightContext& context : {tall, wide}) {
    const Real in = static_cast<Real>(context.fan_in());
    expect_law(weight("gaussian", context), 1 / in, normal_kurtosis, "gaussian");
    expect_law(weight("gaussian:sigma_w=1.7", context), 1.7 * 1.7 / in, normal_kurtosis, "sigma_w");
    expect_law(weight("normal", context), 0.02 * 0.02, normal_kurtosis, "normal");
    const Matrix w = weight("torch-default", context);
    expect_law(w, 1 / (3 * in), uniform_kurtosis, "torch-default");
    EXPECT_LE(w.cwiseAbs().maxCoeff(), 1 / std::sqrt(in));
  }
}

TEST(ReferenceInitializerLaws, Biases) {
  const WeightContext context = {100000, 30};
  const auto bias = [&](const char* text) {
    return Initializer(parse_named_spec(text)).bias(context, stream_key(3, StreamRole::bias));
  };
  expect_law(bias("gaussian:sigma_b=0.3"), 0.09, normal_kurtosis, "gaussian");
  expect_law(bias("torch-default"), 1 / 90.0, uniform_kurtosis, "torch-default");
  EXPECT_LE(bias("torch-default").cwiseAbs().maxCoeff(), 1 / std::sqrt(30.0));
}

TEST(InitializerLaws, NormalLawsShareTheirRawNormalsAndUniformLawsTheirUniforms) {
  const WeightContext context = {30, 20};
  const Matrix normals = normal_matrix(30, 20, key_of(7)), uniforms = uniform_matrix(30, 20, key_of(7));
  for (const auto& [spec, std] : {std::pair<std::string, Real>{"he", std::sqrt(2.0 / 20)},
                                  {"xavier", std::sqrt(2.0 / 50)},
                                  {"lecun", std::sqrt(1.0 / 20)}}) {
    EXPECT_TRUE(weight(spec, context).isApprox(normals * std, 1e-15)) << spec;
    EXPECT_TRUE(weight(spec + ":law=uniform", context).isApprox(uniforms * (std::sqrt(3.0) * std), 1e-15))
        << spec;
  }
  EXPECT_TRUE(weight("gaussian", context).isApprox(normals * std::sqrt(1.0 / 20), 1e-15));
  EXPECT_EQ(weight("normal:std=1", context), normals);
  EXPECT_TRUE(weight("torch-default", context).isApprox(uniforms * std::sqrt(1.0 / 20), 1e-15));
}

TEST(ReferenceInitializerLaws, OrthogonalGramMatrixAndEntryVariance) {
  for (const auto& [out, in] : {std::pair<Index, Index>{96, 96}, {120, 40}, {40, 120}}) {
    const Matrix w = weight("orthogonal:gain=2", {out, in});
    const Matrix gram = out >= in ? Matrix(w.transpose() * w) : Matrix(w * w.transpose());
    EXPECT_LT((gram / 4 - Matrix::Identity(gram.rows(), gram.cols())).cwiseAbs().maxCoeff(), 1e-13);
    // ‖W‖_F² = gain² min(out, in): the mean square of an entry is exactly gain²/max(out, in).
    EXPECT_NEAR(w.squaredNorm() / static_cast<Real>(w.size()), 4.0 / static_cast<Real>(std::max(out, in)),
                1e-14);
  }
  EXPECT_TRUE(
      weight("orthogonal:gain=auto", {8, 8, 1.5}).isApprox(1.5 * weight("orthogonal", {8, 8}), 1e-15));
}

/// Kernels: fans count taps, W is out × (in·taps).
TEST(ReferenceInitializerLaws, ConvolutionFansCountTaps) {
  const WeightContext conv{200, 60, 1, WeightPlace::feed_forward, 9};
  for (const LawCase& law : law_cases) {
    if (std::string(law.spec).find("auto") != std::string::npos) continue;
    const Matrix w = weight(law.spec, conv);
    EXPECT_EQ(w.rows(), 200);
    EXPECT_EQ(w.cols(), 540);
    expect_law(w, law.formula(540, 1800), normal_kurtosis, law.spec);
  }
  expect_law(weight("torch-default", conv), 1 / (3 * 540.0), uniform_kurtosis, "torch-default");
}

/// As torch: QR of the flattened kernel.
TEST(ReferenceInitializerLaws, OrthogonalKernelsAreOrthogonalWhenFlattened) {
  const Matrix w = weight("orthogonal:gain=2", {10, 4, 1, WeightPlace::feed_forward, 9});
  EXPECT_LT((w * w.transpose() / 4 - Matrix::Identity(10, 10)).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_EQ(w, weight("orthogonal:gain=2", {10, 36}));
}

TEST(ReferenceInitializerLaws, DeltaOrthogonalIsOrthogonalAtTheCentre) {
  for (const auto& [out, in] : {std::pair<Index, Index>{12, 12}, {20, 6}, {6, 20}}) {
    const Matrix w = weight("delta_orthogonal:gain=3", {out, in, 1, WeightPlace::feed_forward, 25});
    const Matrix centre = weight("orthogonal:gain=3", {out, in});
    ASSERT_EQ(w.cols(), in * 25);
    for (Index c = 0; c < in; ++c)
      for (Index t = 0; t < 25; ++t)
        EXPECT_EQ(w.col(c * 25 + t), t == 12 ? Vector(centre.col(c)) : Vector(Vector::Zero(out)));
    EXPECT_EQ(weight("delta-orthogonal", {out, in}), weight("orthogonal", {out, in})) << "without a kernel";
  }
}

/// P(|std z| ≤ x) for the law cut at ±2.
Real truncated_probability(Real x, Real std) {
  return std::erf(x / std / std::sqrt(2.0)) / std::erf(2 / std / std::sqrt(2.0));
}

TEST(ReferenceInitializerLaws, TruncatedNormalIsCutAtTwo) {
  for (const Real std : {0.7, 1.0, 5.0, 1e6}) {
    const Matrix w = weight("trunc-normal:std=" + shortest(std), {500, 800});
    EXPECT_LE(w.cwiseAbs().maxCoeff(), 2) << std;
    const Real n = static_cast<Real>(w.size());
    EXPECT_NEAR(w.mean(), 0, 5 * std::min(std, 1.16) / std::sqrt(n)) << std;
    for (const Real x : {0.1, 0.5, 1.0, 1.5, 1.9}) {
      const Real p = truncated_probability(x, std),
                 share = static_cast<Real>((w.array().abs() <= x).count()) / n;
      EXPECT_NEAR(share, p, 5 * std::sqrt(p * (1 - p) / n)) << std << " " << x;
    }
  }
}

TEST(InitializerLaws, TruncatedNormalIsTheNormalWhereTheCutIsNotReached) {
  EXPECT_EQ(weight("trunc-normal", {300, 300}), weight("normal", {300, 300}));
  const Matrix cut = weight("trunc-normal:std=1", {100, 100}), whole = weight("normal:std=1", {100, 100});
  for (Index i = 0; i < cut.size(); ++i) {
    if (std::abs(whole.data()[i]) <= 2) {
      EXPECT_EQ(cut.data()[i], whole.data()[i]);
    } else {
      EXPECT_NE(cut.data()[i], whole.data()[i]);
    }
  }
  EXPECT_EQ(weight("trunc-normal:std=0", {3, 3}), Matrix::Zero(3, 3));
}

// A replaced entry must not depend on which other entries were replaced, nor repeat their draws.
TEST(InitializerLaws, ReplacedEntriesAreAddressedAndDistinct) {
  const Matrix small = weight("trunc-normal:std=5", {50, 40}), large = weight("trunc-normal:std=5", {50, 80});
  EXPECT_EQ(small, large.leftCols(40));
  Vector sorted = Eigen::Map<const Vector>(large.data(), large.size());
  std::sort(sorted.data(), sorted.data() + sorted.size());
  for (Index i = 1; i < sorted.size(); ++i) EXPECT_NE(sorted[i - 1], sorted[i]);
}

}  // namespace
}  // namespace rezero
