/// Our own method against LAPACK's, which shares no code with it.

#include <gtest/gtest.h>

#include "rezero/spectrum/method.h"
#include "spectrum/matrices.h"

namespace rezero {

SpectrumMethod method_lapack();  // the library may be built without it

namespace {

using testing::random_matrix;

void expect_agreement(const Matrix& A) {
  const FullValues ours = spectrum_methods().at("dense").full(A, 2), theirs = method_lapack().full(A, 1);
  ASSERT_EQ(theirs.failure, "");
  ASSERT_EQ(ours.sigma.size(), theirs.sigma.size());
  EXPECT_LE((ours.sigma - theirs.sigma).cwiseAbs().maxCoeff(), 2e-14 * theirs.sigma[0])
      << A.rows() << " × " << A.cols();
}

TEST(ReferenceLapack, SmallMatricesOfAllShapes) {
  for (Index rows : {1, 2, 17, 64, 95, 96, 130, 257})
    for (Index cols : {1, 3, 40, 96, 97, 200})
      expect_agreement(random_matrix(rows, cols, static_cast<std::uint32_t>(rows * 1000 + cols)) / 8);
}

/// A product of layers, as Jacobians are: kappa 1e9.
TEST(ReferenceLapack, ProductsOfLayers) {
  Matrix J = Matrix::Identity(150, 150);
  for (std::uint32_t l = 0; l < 12; ++l) J = (random_matrix(150, 150, l) / std::sqrt(150.0) * J).eval();
  expect_agreement(J / J.cwiseAbs().maxCoeff());
}

TEST(ReferenceLapack, AllEqualAndRankOne) {
  expect_agreement(Matrix::Identity(120, 120));
  expect_agreement(Matrix::Constant(200, 120, 0.25));
}

/// Sizes at which the band is wider and threads have sections of their own.
TEST(SlowLapack, LargeMatrices) {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{1000, 1000}, {700, 1800}, {2048, 2048}})
    expect_agreement(random_matrix(rows, cols, 5) / 8);
}

}  // namespace
}  // namespace rezero
