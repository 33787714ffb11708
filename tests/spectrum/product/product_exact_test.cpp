/// Products of random factors against multiprecision: the relative error of every singular value, for any
/// condition number. Prints the table of docs/accuracy.md with
///   spectrum_test --gtest_filter='*ProductAgainstMultiprecision*'

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>

#include "spectrum/multiprecision.h"
#include "spectrum/product_cases.h"

namespace rezero::testing {
namespace {

using Factor = std::function<Matrix(int)>;

struct ProductCase {
  const char* name;
  Index n;
  int length;
  Real decades;  ///< of the condition number, an upper bound: sets the precision of the reference
  Real bound;    ///< of the relative error: 10 × eps √L · the largest κ of a factor, as estimated
  Factor factor;
  Real one_sweep = bound;  ///< the same for one sweep alone, which is not published
};

void PrintTo(const ProductCase& c, std::ostream* out) {
  *out << c.name << ", n = " << c.n << ", L = " << c.length;
}

/// I + W2 diag(relu′) W1 at a random point.
Matrix relu_block(Index n, int l) {
  const Vector h = gaussian(n, n, l) * gaussian(n, 1, l, 2) * std::sqrt(static_cast<Real>(n));
  const Vector active = (h.array() > 0).cast<Real>();
  return identity(n) + std::sqrt(2.0) * gaussian(n, n, l, 1) * active.asDiagonal() * gaussian(n, n, l);
}

/// A post-norm block's derivative: the layer norm's at a random point, of I + W.
Matrix post_norm_block(Index n, int l) {
  const Vector y = gaussian(n, 1, l, 3) * 1.5;
  const Real mean = y.mean(), r = std::sqrt((y.array() - mean).square().mean() + 1e-5);
  const Vector z = (y.array() - mean) / r;
  Matrix N = identity(n) - Matrix::Constant(n, n, 1.0 / static_cast<Real>(n)) -
             z * z.transpose() / static_cast<Real>(n);
  return N / r * (identity(n) + gaussian(n, n, l));
}

std::vector<ProductCase> product_cases(bool slow) {
  const auto residual = [](Index n, Real a) {
    return [=](int l) { return Matrix(identity(n) + a * gaussian(n, n, l)); };
  };
  const auto plain = [](Index n, Real a) { return [=](int l) { return Matrix(a * gaussian(n, n, l)); }; };
  const auto relu = [](Index n) { return [=](int l) { return relu_block(n, l); }; };
  if (!slow)
    return {{"I + 0.1 W", 16, 200, 3, 1e-13, residual(16, 0.1)},
            {"I + W", 16, 50, 60, 1e-11, residual(16, 1)},
            {"I + W2 relu' W1", 16, 100, 90, 1e-10, relu(16)},
            {"W", 16, 50, 60, 1e-11, plain(16, 1)},
            {"3 W", 2, 300, 200, 1e-11, plain(2, 3)}};
  return {
      {"I + W", 16, 200, 150, 1e-11, residual(16, 1)}, {"I + W2 relu' W1", 16, 200, 130, 1e-10, relu(16)},
      {"W", 16, 200, 200, 1e-11, plain(16, 1)},        {"I + W", 32, 200, 170, 1e-11, residual(32, 1), 1e-10},
      {"W", 32, 200, 230, 1e-11, plain(32, 1)},        {"I + W", 16, 700, 500, 1e-10, residual(16, 1)},
      {"3 W", 16, 500, 460, 1e-10, plain(16, 3)}};
}

struct Errors {
  Real one_sweep = 0, two_sweeps = 0, dense = 0;
};

void check(const ProductCase& c) {
  std::vector<Matrix> matrices;
  for (int l = 0; l < c.length; ++l) matrices.push_back(c.factor(l));
  const auto bits = static_cast<mp_bitcnt_t>(c.decades * 3.33 + 256);
  const std::vector<ScaledReal> exact = exact_singular_values(matrices, bits);
  GradedProduct one(identity(c.n));
  Matrix J = identity(c.n);
  for (const Matrix& A : matrices) one.push(map_of(A)), J = A * J;
  const ProductValues once = one.values(), twice = product_singular_values(factors_of(matrices));
  const Vector dense = Eigen::JacobiSVD<Matrix>(J).singularValues();
  ASSERT_EQ(static_cast<Index>(exact.size()), c.n);
  ASSERT_EQ(once.rank, c.n);
  ASSERT_EQ(twice.rank, c.n);
  Errors worst;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    worst.one_sweep = std::max(worst.one_sweep, relative_error(once.sigma[i], exact[i]));
    worst.two_sweeps = std::max(worst.two_sweeps, relative_error(twice.sigma[i], exact[i]));
    worst.dense =
        std::max(worst.dense, relative_error(ScaledReal::make(dense(static_cast<Index>(i))), exact[i]));
  }
  const Real decades = exact.front().log10() - exact.back().log10();
  EXPECT_LT(decades, c.decades) << "the reference has too few bits";
  EXPECT_LT(worst.one_sweep, c.one_sweep);
  EXPECT_LT(worst.two_sweeps, c.bound);
  EXPECT_LT(worst.two_sweeps, 10 * twice.relative_error_estimate) << "the estimate is a good one";
  EXPECT_LT(worst.one_sweep, once.relative_error_estimate) << "the estimate is a bound in practice";
  std::printf("| %-16s | %2d | %3d | %6.1f | %8.1e | %8.1e | %8.1e | %8.1e | %8.1e |\n", c.name,
              static_cast<int>(c.n), c.length, decades, worst.dense, worst.one_sweep,
              once.relative_error_estimate, worst.two_sweeps, twice.relative_error_estimate);
}

class ProductAgainstMultiprecision : public ::testing::TestWithParam<ProductCase> {};
TEST_P(ProductAgainstMultiprecision, EveryValue) {
  check(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Reference, ProductAgainstMultiprecision, ::testing::ValuesIn(product_cases(false)));
INSTANTIATE_TEST_SUITE_P(Slow, ProductAgainstMultiprecision, ::testing::ValuesIn(product_cases(true)));

/// A first factor diag(1 … 10^−decades) U: a sweep of Jᵀ processes it in no particular order, one of J from
/// the other's basis in its own; for the transposed chain it is the other way round. Every published value is
/// right; values on which the directions disagree are unresolved.
TEST(ReferenceProduct, GradedFirstFactorNeedsTwoSweeps) {
  for (const Real decades : {8.0, 15.0}) {
    Vector d(16);
    for (Index i = 0; i < 16; ++i) d(i) = std::pow(10, -decades * static_cast<Real>(i) / 15);
    std::vector<Matrix> matrices = {d.asDiagonal() * orthogonal(16, 16, 4)};
    for (int l = 1; l < 21; ++l) matrices.push_back(identity(16) + 0.1 * gaussian(16, 16, l));
    const std::vector<ScaledReal> exact = exact_singular_values(matrices, 400);
    for (const bool turned : {false, true}) {
      std::vector<Matrix> chain = matrices;
      if (turned) std::reverse(chain.begin(), chain.end());
      for (Matrix& A : chain)
        if (turned) A.transposeInPlace();
      const ProductValues values = product_singular_values(factors_of(chain));
      // The error of the direction without an order decides with how many values it disagrees.
      EXPECT_GE(values.rank, decades < 10 ? 16 : 12);
      EXPECT_EQ(values.rank_bound, 16);
      Real worst = 0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(values.rank); ++i)
        worst = std::max(worst, relative_error(values.sigma[i], exact[i]));
      std::printf("graded over %g decades%s: %.1e, estimate %.1e\n", decades, turned ? ", transposed" : "",
                  worst, values.relative_error_estimate);
      EXPECT_LT(worst, std::max(decades < 10 ? 1e-9 : 1e-13, 2 * values.relative_error_estimate))
          << "an estimate below 1e-9 asks for no more sweeps";
    }
  }
}

/// Post-norm blocks have one null direction (the mean) and one small value each: n − 1 values, all of them
/// right.
TEST(ReferenceProduct, NullDirectionsDoNotPolluteTheRest) {
  const Index n = 12;
  std::vector<Matrix> matrices;
  for (int l = 0; l < 40; ++l) matrices.push_back(post_norm_block(n, l));
  const ProductValues values = product_singular_values(factors_of(matrices, n - 1));
  EXPECT_EQ(values.rank, n - 1);
  const std::vector<ScaledReal> exact = exact_singular_values(matrices, 3000);
  for (std::size_t i = 0; i + 2 < static_cast<std::size_t>(n); ++i)
    EXPECT_LT(relative_error(values.sigma[i], exact[i]), 1e-9) << i;
}

}  // namespace
}  // namespace rezero::testing
