/// Methods that fail or return wrong values: none of it is published, and the next method runs.

#include "spectrum/chain.h"

#include <gtest/gtest.h>

#include "spectrum/certificate/structure.h"
#include "spectrum/matrices.h"

namespace rezero {
namespace {

using testing::random_matrix;
using testing::with_values;

Vector honest(const Matrix& A) {
  return spectrum_methods().at("dense").full(A, 1).sigma;
}

SpectrumMethod method_of(FullValues (*full)(const Matrix&, int)) {
  SpectrumMethod method;
  method.name = "liar";
  method.full = full;
  return method;
}

void expect_replaced(const SpectrumMethod& liar, const Matrix& A, const std::string& reason) {
  const Spectrum s = detail::full_spectrum(A, 0, liar);
  EXPECT_EQ(s.status, SpectrumStatus::converged);
  EXPECT_EQ(s.provenance.method, "dense");
  ASSERT_EQ(s.provenance.fallbacks.size(), 1U);
  EXPECT_EQ(s.provenance.fallbacks[0].method, "liar");
  EXPECT_NE(s.provenance.fallbacks[0].reason.find(reason), std::string::npos)
      << s.provenance.fallbacks[0].reason;
  EXPECT_LE((testing::values(s) - testing::reference_values(A)).cwiseAbs().maxCoeff(), 1e-14 * 30);
}

TEST(Chain, AMethodThatSaysItFailed) {
  expect_replaced(method_of([](const Matrix&, int) -> FullValues {
                    return {{}, 0, false, "out of luck"};
                  }),
                  random_matrix(20, 20, 1), "out of luck");
}

TEST(Chain, AMethodThatReturnsNan) {
  expect_replaced(method_of([](const Matrix& A, int) -> FullValues {
                    return {Vector::Constant(A.cols(), std::nan("")), 1e-14, false, {}};
                  }),
                  random_matrix(20, 20, 2), "not finite");
}

TEST(Chain, AMethodThatReturnsNothing) {
  expect_replaced(method_of([](const Matrix&, int) -> FullValues { return {}; }), random_matrix(20, 20, 3),
                  "0 values");
}

TEST(Chain, AMethodThatIsSlightlyOff) {
  expect_replaced(method_of([](const Matrix& A, int) -> FullValues {
                    Vector s = honest(A);
                    s[5] *= 1 + 1e-10;
                    return {s, 1e-14, false, {}};
                  }),
                  random_matrix(20, 20, 4), "differ");
}

TEST(Chain, AMethodThatLosesSmallValues) {
  Vector s = Vector::Ones(60);
  s.tail(30).setConstant(1e-8);
  expect_replaced(method_of([](const Matrix& A, int) -> FullValues {
                    Vector lost = honest(A);
                    lost.tail(30).setZero();
                    return {lost, 1e-14, false, {}};
                  }),
                  with_values(s, 5) / 2, "log|det|");
}

TEST(Chain, WhenAllFailThereAreNoValues) {
  // Intentionally far from normalized: ‖AᵀA‖_F overflows, so no certificate can pass.
  const Spectrum s =
      detail::full_spectrum(random_matrix(10, 10, 6) * 1e200, 0, spectrum_methods().at("dense"));
  EXPECT_EQ(s.status, SpectrumStatus::breakdown);
  EXPECT_TRUE(s.sigma.empty());
  EXPECT_FALSE(s.accuracy.certified);
  EXPECT_EQ(s.provenance.fallbacks.size(), 3U);
  EXPECT_NE(s.message.find("no method"), std::string::npos);
  EXPECT_TRUE(detail::truncate(s, {2, 1, "auto", {}}).sigma.empty());
}

TEST(Chain, AMethodThatDoesNotApplyIsNamedWhenAskedFor) {
  SpectrumRequest request;
  request.method = "permuted-diagonal";
  const Spectrum s = testing::spectrum_of(random_matrix(6, 6, 7), request);
  EXPECT_EQ(s.provenance.method, "dense");
  ASSERT_EQ(s.provenance.fallbacks.size(), 1U);
  EXPECT_EQ(s.provenance.fallbacks[0].method, "permuted-diagonal");
}

TEST(Structure, RemovesZeroLinesOnly) {
  Matrix A = random_matrix(5, 7, 8);
  EXPECT_FALSE(detail::without_zero_lines(A).has_value());
  A.row(2).setZero();
  A.col(0).setZero();
  A.col(6).setZero();
  const Matrix core = detail::without_zero_lines(A).value();
  EXPECT_EQ(core.rows(), 4);
  EXPECT_EQ(core.cols(), 5);
  EXPECT_EQ(core(2, 0), A(3, 1));
  EXPECT_EQ(detail::without_zero_lines(Matrix::Zero(3, 3)).value().size(), 0);
}

}  // namespace
}  // namespace rezero
