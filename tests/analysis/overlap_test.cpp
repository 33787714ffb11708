/// The top singular value compared with the bulk, and its direction.
#include <gtest/gtest.h>

#include <cmath>

#include "rezero/analysis/observe.h"
#include "rezero/linalg/haar.h"

namespace rezero {
namespace {

std::optional<Real> metric(const DepthResult& result, std::string_view name) {
  std::size_t i = 0;
  for (const Metric& known : metrics()) {
    if (known.name == name) return result.metrics[i];
    ++i;
  }
  ADD_FAILURE() << "no metric " << name;
  return std::nullopt;
}

DepthResult observe_matrix(Matrix J, std::int64_t exponent = 0) {
  ScaledMatrix scaled{std::move(J), exponent};
  EXPECT_TRUE(renormalize(scaled));
  const ScaledVector state{Vector::Ones(scaled.mantissa.rows()), 0},
      x0{Vector::Ones(scaled.mantissa.cols()), 0};
  return observe(reported({1, state, scaled}, x0), {}, 7);
}

DepthResult observe_stack(const char* scheme, const char* family, Index width, Index depth) {
  StackSpec spec(scheme, family);
  spec.width = width;
  const StackPtr stack = build_stack(spec, 3, depth);
  const ScaledVector x0{stack->input(), 0};
  DepthResult result;
  forward_jacobian(*stack, stack->input(), Matrix::Identity(width, width), {depth},
                   [&](const ForwardStep& step) { result = observe(reported(step, x0), {}, 3); });
  return result;
}

/// u σ vᵀ summed over the columns of Haar bases, the first left vector replaced by `top` (the rest stays
/// orthogonal to it by a reflection).
Matrix with_top_direction(const Vector& top, const Vector& sigma) {
  const Index n = top.size();
  Matrix U = haar_orthogonal(n, n, stream_key(1, StreamRole::weight));
  const Matrix V = haar_orthogonal(n, n, stream_key(2, StreamRole::weight));
  Vector h = U.col(0) - top;
  if (h.norm() > 0) {
    h.normalize();
    U -= 2 * h * (h.transpose() * U).eval();
  }
  return U * sigma.asDiagonal() * V.transpose();
}

/// Relu branches have a positive mean, so their sum grows along the all-ones direction: one outlier
/// (schemes.md 7.3).
TEST(Overlap, ReluResidualsPointToAllOnes) {
  for (const Index width : {128, 256}) {
    const DepthResult result = observe_stack("depth-power", "dense", width, 64);
    ASSERT_TRUE(metric(result, "ones_overlap"));
    EXPECT_GT(*metric(result, "ones_overlap"), 0.8);
    EXPECT_LE(*metric(result, "ones_overlap"), 1);
    EXPECT_GT(*metric(result, "outlier_ratio"), 1.3);
  }
}

TEST(Overlap, LinearResidualsPointAnywhere) {
  const DepthResult result = observe_stack("depth-power", "linear", 128, 64);
  ASSERT_TRUE(metric(result, "ones_overlap"));
  EXPECT_LT(*metric(result, "ones_overlap"), 0.3);
}

TEST(Overlap, TheBulkEndsAtTheSecondValue) {
  const DepthResult result = observe_stack("depth-power", "dense", 64, 16);
  EXPECT_EQ(metric(result, "bulk_sigma_max"), result.spectrum.sigma[1].to_real());
  EXPECT_NEAR(*metric(result, "sigma_max") / *metric(result, "bulk_sigma_max"),
              *metric(result, "outlier_ratio"), 1e-12);
}

TEST(Overlap, AValueThatIsNotApartHasNoDirection) {
  EXPECT_FALSE(metric(observe_matrix(Matrix::Identity(16, 16)), "ones_overlap"));
  EXPECT_EQ(metric(observe_matrix(Matrix::Identity(16, 16)), "bulk_sigma_max"), 1.0);
  EXPECT_FALSE(metric(observe_matrix(Matrix::Zero(4, 4)), "ones_overlap"));
  EXPECT_FALSE(metric(observe_matrix(Matrix::Ones(1, 1)), "ones_overlap"));
  EXPECT_FALSE(metric(observe_matrix(Matrix::Ones(1, 1)), "bulk_sigma_max"));
  Vector sigma = Vector::LinSpaced(32, 2, 1);
  sigma(1) = 2 * (1 - 5e-4);
  EXPECT_FALSE(metric(observe_matrix(with_top_direction(Vector::Unit(32, 0), sigma)), "ones_overlap"));
}

TEST(Overlap, KnownDirections) {
  const Index n = 64;
  const Vector ones = Vector::Constant(n, 1 / std::sqrt(static_cast<Real>(n)));
  Vector across = Vector::Zero(n);  // orthogonal to ones: the first start has no part along it
  across(0) = std::sqrt(0.5), across(1) = -std::sqrt(0.5);
  for (const Real second : {0.1, 0.9, 0.99}) {
    Vector sigma = second * Vector::LinSpaced(n, 1, 0.1);
    sigma(0) = 1;
    const auto overlap = [&](const Vector& top) {
      return metric(observe_matrix(with_top_direction(top, sigma)), "ones_overlap").value_or(-1);
    };
    EXPECT_NEAR(overlap(ones), 1, 1e-9) << second;
    EXPECT_NEAR(overlap(Vector::Unit(n, 5)), 0.125, 1e-6) << second;
    EXPECT_NEAR(overlap(across), 0, 1e-6) << second;
    EXPECT_NEAR(overlap((ones + across).normalized()), std::sqrt(0.5), 1e-6) << second;
  }
}

TEST(Overlap, RankOneRectangularAndHuge) {
  const Vector u = Vector::LinSpaced(12, 1, 2).normalized();
  const Real expected = u.sum() / std::sqrt(12.0);
  EXPECT_NEAR(*metric(observe_matrix(u * Vector::Ones(12).transpose()), "ones_overlap"), expected, 1e-12);
  EXPECT_FALSE(metric(observe_matrix(u * Vector::Ones(12).transpose()), "bulk_sigma_max"))
      << "rounding noise";
  Matrix wide = 0.1 * Matrix::Identity(12, 30);
  wide.col(7) += 5 * u;
  EXPECT_NEAR(*metric(observe_matrix(wide), "ones_overlap"), expected, 1e-2);
  EXPECT_EQ(*metric(observe_matrix(wide, 5000), "ones_overlap"),
            *metric(observe_matrix(wide), "ones_overlap"));
}

TEST(Overlap, APartialSpectrumHasNone) {
  const ScaledMatrix J{Vector::LinSpaced(32, 1, 0.1).asDiagonal(), 0};
  const ScaledVector x{Vector::Ones(32), 0};
  AnalysisOptions options;
  options.top = 3;
  const DepthResult result = observe(reported({1, x, J}, x), options, 7);
  EXPECT_FALSE(metric(result, "ones_overlap"));
  EXPECT_TRUE(metric(result, "bulk_sigma_max"));
}

/// Zeros that structure proves are counted also where the method computed them as exact zeros.
TEST(Overlap, ProvedZerosAreCountedHoweverTheyWereComputed) {
  Matrix J = Matrix::Identity(8, 8);
  J.row(3).setZero(), J(0, 1) = 0.5;
  const ScaledMatrix scaled{J, 0};
  const ScaledVector x{Vector::Ones(8), 0};
  ReportedJacobian seen = reported({1, x, scaled}, x);
  seen.null_directions = 1;
  const DepthResult result = observe(seen, {}, 7);
  EXPECT_EQ(result.spectrum.null_directions, 1);
  EXPECT_EQ(result.spectrum.unresolved(), 0);
  EXPECT_EQ(metric(result, "sigma_min"), 0.0);
  EXPECT_GT(*metric(result, "sigma_min_nonzero"), 0.5);
  EXPECT_EQ(metric(result, "numerical_rank"), 7.0);
}

}  // namespace
}  // namespace rezero
