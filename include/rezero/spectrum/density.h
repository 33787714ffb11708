#pragma once
/// The distribution of the singular values of a map that is too large for its full spectrum.

#include <optional>
#include <vector>

#include "rezero/core/scaled_real.h"

namespace rezero {

/// Stochastic Lanczos quadrature: F(σ), the share of singular values up to σ, is the mean over random unit
/// vectors v of the spectral measure of JᵀJ at v, each from the bidiagonal of a Golub–Kahan recurrence. If
/// all values were computed (probes 0), F is their exact distribution. Source: Ubaru, Chen, Saad, "Fast
/// estimation of tr(f(A)) via stochastic Lanczos quadrature", 2017; error of F: Chen, Trogdon, Ubaru,
/// "Analysis of stochastic Lanczos quadrature for spectrum approximation", 2021.
struct SpectralDensity {
  std::vector<Real> log10_sigma;  ///< edges, ascending, evenly spaced
  std::vector<Real> cdf;  ///< F at each edge; everything below the first edge, including zeros, is in cdf[0]
  std::vector<Real> cdf_error;  ///< standard error of each due to sampling: √(2 F (1 − F) / ((n + 2) probes))
  std::vector<Real> histogram;  ///< share of values between each edge and the next
  Index probes = 0, steps = 0;
  /// 95 % quantile of the Kolmogorov distance due to sampling: 1.36 √(2 / ((n + 2) probes)).
  Real sampling_distance = 0;
  /// Kolmogorov distance, at the edges, between F with all steps and with half of them: an estimate of the
  /// change that more steps would make.
  Real steps_distance = 0;
  Real target = 0;         ///< limit for both distances
  bool converged = false;  ///< both distances meet the target
  /// Mean of σ² by Hutchinson's estimator, the mean of ‖Jv‖²; its standard error; and the mean of σ⁴, the
  /// mean of ‖JᵀJv‖². Absent if rounding leaves fewer than six digits.
  std::optional<ScaledReal> mean_square, mean_square_error, mean_fourth;
};

}  // namespace rezero
