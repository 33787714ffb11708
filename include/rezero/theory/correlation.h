#pragma once
/// Two inputs through one network: the cosine of their states along depth, and how fast it changes.

#include <vector>

#include "rezero/theory/mean_field.h"

namespace rezero::theory {

/// The states of two inputs of equal q_0, tokens of one position each or inputs of two passes, after l
/// blocks.
struct Correlation {
  Real cosine = 1;  ///< x·y/(|x||y|), l = 0..L
  /// c′ as a function of c, its derivative at c = 1, of the block that leads here (1 for l = 0):
  /// (λ² + α²χ) q/q′ without norms; above 1, states of nearby inputs part (chaos), below 1 they meet (order).
  /// Schoenholz et al. 2017 (arXiv 1611.01232) call it χ_1.
  Real slope = 1;
};

/// The covariance k of two states with equal q and means μ (Cho & Saul 2009; Poole et al. 2016, arXiv
/// 1606.05340; Yang & Schoenholz 2017, arXiv 1712.08969):
///
///     k′ = λ² k + 2 λ α μ m + α² v(k)
///
/// where v(k) is v with E φ(h) φ(h′) for E φ² (for `linear`, σ² k + β). Norms divide both states alike.
/// UsageError unless |cosine| ≤ 1. Cost: one expectation over two arguments per block, 1e5 evaluations of φ
/// (half a millisecond) unless it is of degree 1.
std::vector<Correlation> correlations(const NetworkLaw& law, const MeanField& field, Real cosine);

}  // namespace rezero::theory
