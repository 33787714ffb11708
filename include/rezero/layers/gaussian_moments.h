#pragma once
/// Moments of an activation of a standard normal argument.

#include "rezero/layers/activation.h"

namespace rezero {

/// E φ(z) and E φ(z)², z ~ N(0, 1).
struct GaussianMoments {
  Real mean = 0;
  Real square = 0;
  Real variance() const { return square - mean * mean; }
};

/// Gauss–Legendre quadrature on unit intervals from −12 to 12, so that kinks at −1, 0 and 1 are end points.
/// Right to 1e-14 for every activation of the table (a test compares with closed forms). Cost: 480
/// evaluations.
GaussianMoments gaussian_moments(const Activation& activation);

}  // namespace rezero
