/// The search for the top direction gave up where σ, which the product method computes without J, was smaller
/// than that of the formed J by more than 5e-14. Then `ones_overlap` was null.

#include <gtest/gtest.h>

#include <cmath>

#include "rezero/random/sample.h"
#include "spectrum/krylov/top_direction.h"

namespace rezero {
namespace {

TEST(Regression, TopDirectionWantedAnExactValue) {
  const Index rows = 24, cols = 20;
  const StreamKey key = stream_key(1, StreamRole::probe, 0, 1);
  const Vector u = normal_matrix(rows, 1, key).col(0).normalized();
  const Vector v = normal_matrix(cols, 1, stream_key(2, StreamRole::probe, 0, 1)).col(0).normalized();
  const Matrix rest = 0.05 * normal_matrix(rows, cols, stream_key(3, StreamRole::probe, 0, 1));
  const Matrix A = 2 * u * v.transpose() +
                   (rest - u * (u.transpose() * rest)) * (Matrix::Identity(cols, cols) - v * v.transpose());
  const Vector start = Vector::Ones(rows);
  for (const Real error : {0.0, 1e-13, -1e-13, 1e-11, -1e-11, 5e-9, -5e-9}) {
    const std::optional<Vector> found = detail::top_direction(A, 2 * (1 + error), start);
    ASSERT_TRUE(found) << error;
    EXPECT_NEAR(std::abs(found->dot(u)), 1, 1e-14) << error;
  }
  for (const Real error : {3e-8, -3e-8})
    EXPECT_FALSE(detail::top_direction(A, 2 * (1 + error), start)) << error;
}

}  // namespace
}  // namespace rezero
