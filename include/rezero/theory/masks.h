#pragma once
/// Zero slopes: how many directions relu and hard tanh cut off, and how many a branch of low rank leaves
/// alone.

#include <utility>
#include <vector>

#include "rezero/theory/mean_field.h"

namespace rezero::theory {

/// Ranks as shares of n.
struct RankLaw {
  /// rank(J_l)/n, l = 0..L, as n → ∞: 1 where there is a skip (almost surely), otherwise the smallest share
  /// of non-zero slopes so far, 1/2 for relu; for mlp branches of γ n hidden units min(1, γ P(φ′ ≠ 0)).
  std::vector<Real> limit;
  /// The expectation at width n. Numbers of non-zero slopes are independent between blocks of a plain net and
  /// binomial, B(n, P(φ′ ≠ 0)), because the weights of each are drawn anew; the rank is the smallest of
  /// them. For relu with symmetric biases P = 1/2 and this is exact at every width.
  std::vector<Real> expected;
  /// σ = 1 (times Π λ) exactly, as n → ∞: max(0, 1 − 2 Σ rank(B_l)/n). 1 if no branch is on. 0 with norms
  /// and plain nets. Ranks fluctuate: at small n a few values stay at 1 where this is 0.
  std::vector<Real> unit;
};

/// Cost: one quadrature per block (none for homogeneous activations), and O(n) per block of a plain net with
/// zero slopes. The smallest singular values that rounding leaves of zeros are not zeros.
RankLaw rank_law(const NetworkLaw& law, const MeanField& field);

/// E min of independent binomial numbers, each given by its (trials, probability); ≤ 10^6 trials each.
Real expected_minimum(const std::vector<std::pair<Index, Real>>& binomials);

}  // namespace rezero::theory
