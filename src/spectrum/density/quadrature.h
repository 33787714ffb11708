#pragma once
/// One probe of stochastic Lanczos quadrature.

#include <vector>

#include "rezero/linalg/linear_map.h"
#include "rezero/spectrum/density.h"

namespace rezero::detail {

/// The spectral measure of AᵀA at a unit vector, as nodes (singular values) and weights of a Gauss rule.
class ProbeMeasure {
 public:
  /// alpha, beta: diagonal and superdiagonal of the bidiagonal; beta has one more entry, the coupling to the
  /// next vector, which is 0 if the space is invariant (the measure is then exact). Values of at most
  /// `lowest` count as zero in F.
  ProbeMeasure(const std::vector<Real>& alpha, const std::vector<Real>& beta, Index steps, Real lowest = 0);

  /// Share up to sigma. A converged node is a jump; between the others F is interpolated linearly in log σ
  /// through their mid-weights, with half of a node's weight below it.
  Real cdf(Real sigma) const;
  /// the smallest node above `floor`; the largest node if there is none
  Real smallest_above(Real floor) const;
  Real largest() const { return nodes_.back(); }
  Real moment(int power) const;  ///< Σ w σ^power

 private:
  std::vector<Real> nodes_, weights_;         ///< ascending
  std::vector<Real> log_points_, values_;     ///< the interpolant through the nodes that have not converged
  std::vector<std::pair<Real, Real>> jumps_;  ///< node, weight
};

/// The recurrence from one vector, kept so that it can be extended. Only V is orthogonalized (twice): U
/// follows as far as the condition number of B allows (Simon & Zha 2000), which suffices for a distribution.
class ProbeRecurrence {
 public:
  /// start: unit vector.
  ProbeRecurrence(const LinearMap& A, const Vector& start);
  /// Extends it to `steps` steps, or until the space is invariant. Cost two products per step, memory n
  /// doubles per step.
  void extend(Index steps);
  ProbeMeasure measure(Index steps, Real lowest = 0) const;
  Index steps() const { return static_cast<Index>(alpha_.size()); }
  Real first_square() const;                    ///< ‖Av‖²
  Real second_square() const;                   ///< ‖AᵀAv‖²
  Real largest_seen() const { return scale_; }  ///< largest norm of a product
  /// The largest |vᵀAᵀu − uᵀAv| of all steps: the effect of rounding in the products, in one direction.
  Real asymmetry() const { return asymmetry_; }

 private:
  const LinearMap& A_;
  std::vector<Vector> V_;
  Vector u_;
  std::vector<Real> alpha_, beta_;
  bool closed_ = false;
  Real scale_ = 0, asymmetry_ = 0;
};

}  // namespace rezero::detail
