/// mean_square of J = I was 1.0000000000000002 for every width that is not a square number, because the norm
/// was squared again.

#include <gtest/gtest.h>

#include "rezero/analysis/observe.h"

namespace rezero {
namespace {

TEST(Regression, MeanSquareOfTheIdentity) {
  for (Index n : {2, 3, 8, 64, 100, 128, 130}) {
    const ScaledVector x{Vector::Ones(n), 0};
    const ScaledMatrix J{Matrix::Identity(n, n) / 2, 1};
    const DepthResult got = observe(reported({1, x, J}, x), {}, 1);
    std::size_t m = 0;
    for (const Metric& metric : metrics()) {
      if (metric.name == "mean_square") {
        EXPECT_EQ(got.metrics[m].value(), 1) << n;
      }
      if (metric.name == "stable_rank") {
        EXPECT_EQ(got.metrics[m].value(), static_cast<Real>(n)) << n;
      }
      if (metric.name == "relative_variance") {
        EXPECT_EQ(got.metrics[m].value(), 0) << n;
      }
      ++m;
    }
  }
}

}  // namespace
}  // namespace rezero
