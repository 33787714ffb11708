#pragma once
/// Moments of the singular values of J after all blocks of a network, and how far one draw of width n may be
/// from them. Formulas without a source were derived here and checked at finite width.

#include <optional>

#include "rezero/theory/mean_field.h"

namespace rezero::theory {

/// c_l = α²χ/λ² of block l, and g_l = c_l/(1 + c_l) = α²χ/(λ² + α²χ), which is 1 for a plain net.
struct Moments {
  /// log of m1 = E‖J‖²_F/n, the mean of σ². With `factor` of mean_field.h it is Σ log factor, that is
  /// Π (λ² + α²χ) without norms, plus the outlier's part. −∞ if J is zero.
  Real log_m1 = 0;
  Real log_bulk_m1 = 0;  ///< Σ log factor alone
  /// The formula holds at every width, not only as n → ∞: linear branches, and mlp branches with an
  /// activation of degree 1, without norms (rows of W1 may change sign, so that E[W1ᵀD²W1 | x] is a multiple
  /// of I).
  bool exact = false;
  /// Error of log_m1 to be allowed for the width, beside that of sampling: 0 if exact, 3 L/n with norms,
  /// otherwise 0.25 (1 + relative variance)/n: rules of thumb that hold in every case measured (n ≥ 64).
  Real allowance = 0;

  /// log σ² of the one singular value that leaves the bulk of `dense` branches with E φ″ ≠ 0 (relu, gelu):
  /// E ∂F/∂x = (k/n) 1 xᵀ, k = σ_w² E φ″, adds up along depth like exp(Σ α …), while the bulk grows like
  /// exp(Σ α²χ/2). It is n times what m1 exceeds the bulk's by, hence an estimate: the largest singular value
  /// lies 6 to 13 % above it. Only if it lies beyond the edge of the bulk is it visible.
  std::optional<Real> log_outlier_square;

  /// m2/m1² − 1 of the bulk, the squared coefficient of variation of σ²: Σ g (2 (1 − g) + η g). For a plain
  /// net it is Σ η (Pennington et al. 2017, arXiv 1711.04735). Corrected for `preactivation` branches, whose
  /// masks persist along the stream so that blocks are not free. A finite width adds a relative O(1/n).
  Real relative_variance = 0;
  Real free_relative_variance = 0;  ///< the sum alone
  /// Share of singular values that are exactly zero (up to ε) because of norms after the sum: 2/n for layer
  /// norms, 1/n for RMS norms. relative_variance is that of the others; with the zeros,
  /// (1 + relative_variance)/(1 − null_share) − 1.
  Real null_share = 0;

  /// Mean of log σ, as n → ∞: Σ log|λ| if every c < 1 (the eigenvalues of αB/λ lie in the unit disc and B is
  /// R-diagonal), and more for larger ones: ½ ∫ max(0, −log S(u)) du over u in (−1, 0), S the S-transform of
  /// α²BᵀB/λ² (Haagerup & Larsen 2000). Not set with norms after the sum, which have exact zeros, nor for
  /// plain nets except linear ones.
  std::optional<Real> mean_log;
  /// Next order of that mean for independent linear branches with c < 1: −Σ c/(2n); otherwise 0.
  Real mean_log_correction = 0;

  /// Variance of log σ²: 2c + c²/3 with c = Σ c_l, the limit of many small branches (from the law of
  /// Tarnowski et al. 2019, arXiv 1809.08848). Set where every c_l ≤ 1/8 and blocks are free; the error is
  /// O(max c_l), 0.4 % for c_l = 1/16.
  std::optional<Real> log_square_variance;

  /// Standard deviation of ‖J‖²_F/n over draws of weights and input, divided by its mean, to leading orders
  /// in 1/n. With r_l = 1 + relative variance before block l and κ of φ′:
  ///
  ///     linear         Σ (4 g(1−g) + 2 g²) r/n²                                      (Haar: without 2 g²)
  ///     mlp            Σ g² (κ−1)/(γ n) + ((4 g(1−g) + 2 g² (1 + κ/γ)) r + 2 g² κ/γ)/n²
  ///     dense          Σ g² (κ−1)/n + (4 g(1−g) + 2 g² κ) r/n²
  ///     preactivation  Σ (4 g(1−g) + 2 g² κ) r/n² + Σ_k Σ_l b_k b_l C(k, l)/n
  ///     Haar, the last three: (κ−1)(r−1) instead of 2 g² κ r and the like (mlp, dense), nothing (the last)
  ///
  /// C is the covariance of φ′² at blocks k and l, b = g/E φ′². Where χ depends on q, the fluctuation of q
  /// along the stream is added. Not set with norms and with an outlier.
  std::optional<Real> spread;
  Real spread_of_weights = 0;  ///< the same for a given sequence q_l; 0 if `spread` is not set
};

/// Cost: that of mean_field, and O(L²) for preactivation branches of degree 1.
Moments moments(const NetworkLaw& law, const MeanField& field);

/// log of E‖J‖²_F/n of the blocks from `first` on alone, outlier included.
Real log_mean_square(const NetworkLaw& law, const MeanField& field, Index first = 0);

}  // namespace rezero::theory
