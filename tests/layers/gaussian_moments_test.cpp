#include "rezero/layers/gaussian_moments.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rezero {
namespace {

const Real pi = std::acos(-1.0);

/// Closed forms at unit variance.
TEST(GaussianMoments, ClosedForms) {
  const struct {
    const char* activation;
    Real mean, square;
  } table[] = {{"identity", 0, 1},
               {"relu", 1 / std::sqrt(2 * pi), 0.5},
               {"abs", std::sqrt(2 / pi), 1},
               {"relu_squared", 0.5, 1.5},
               {"erf", 0, 2 / pi * std::asin(2.0 / 3)},
               {"sin", 0, (1 - std::exp(-2.0)) / 2},
               {"leaky_relu", 0.99 / std::sqrt(2 * pi), (1 + 1e-4) / 2}};
  for (const auto& row : table) {
    const GaussianMoments moments = gaussian_moments(Activation(std::string_view(row.activation)));
    EXPECT_NEAR(moments.mean, row.mean, 1e-14) << row.activation;
    EXPECT_NEAR(moments.square, row.square, 1e-14) << row.activation;
  }
}

/// Values to 12 digits from quadrature with 30 digits.
TEST(ReferenceGaussianMoments, ByHighPrecisionQuadrature) {
  const struct {
    const char* activation;
    Real mean, square;
  } table[] = {{"tanh", 0, 0.394294490398},
               {"hard_tanh", 0, 0.516058550962},
               {"gelu", 0.282094791774, 0.42522148257},
               {"gelu_tanh", 0.282038588079, 0.425193711033},
               {"silu", 0.206620964142, 0.355775519817},
               {"softplus", 0.806059183347, 0.921245908859},
               {"elu", 0.160520572267, 0.644945417493},
               {"selu", 0, 1},
               {"sigmoid", 0.5, 0.293379035858}};
  for (const auto& row : table) {
    const GaussianMoments moments = gaussian_moments(Activation(std::string_view(row.activation)));
    EXPECT_NEAR(moments.mean, row.mean, 6e-13) << row.activation;
    EXPECT_NEAR(moments.square, row.square, 6e-13) << row.activation;
  }
}

}  // namespace
}  // namespace rezero
