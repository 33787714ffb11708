#pragma once
/// The distribution of singular values of a map too large for its spectrum.

#include <optional>
#include <vector>

#include "rezero/core/scaled_real.h"

namespace rezero {

/// Stochastic Lanczos quadrature: F(σ), the share of singular values up to σ, as the mean over random unit
/// vectors v of the spectral measure of JᵀJ at v, each from the bidiagonal of a Golub–Kahan recurrence. Where
/// all values were computed (probes 0), F is their distribution, without sampling.
/// Source: Ubaru, Chen, Saad, "Fast estimation of tr(f(A)) via stochastic Lanczos quadrature", 2017; error of
/// F: Chen, Trogdon, Ubaru, "Analysis of stochastic Lanczos quadrature for spectrum approximation", 2021.
struct SpectralDensity {
  std::vector<Real> log10_sigma;  ///< edges, ascending, evenly spaced
  std::vector<Real> cdf;          ///< F at each edge; what lies below the first edge, zeros too, is in cdf[0]
  std::vector<Real> cdf_error;  ///< standard error of each by sampling: √(2 F (1 − F) / ((n + 2) probes))
  std::vector<Real> histogram;  ///< share of values between each edge and the next
  Index probes = 0, steps = 0;
  /// 95 % quantile of the Kolmogorov distance by sampling: 1.36 √(2 / ((n + 2) probes)).
  Real sampling_distance = 0;
  /// Kolmogorov distance, at the edges, of F with all steps and with half of them: what more steps may
  /// change.
  Real steps_distance = 0;
  Real target = 0;                            ///< that both distances were to meet
  bool converged = false;                     ///< they do
  /// Mean of σ² by Hutchinson, mean of ‖Jv‖², its standard error, and the mean of σ⁴, mean of ‖JᵀJv‖²; nothing
  /// where rounding leaves fewer than six digits.
  std::optional<ScaledReal> mean_square, mean_square_error, mean_fourth;
};

}  // namespace rezero
