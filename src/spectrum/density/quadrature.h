#pragma once
/// One probe of stochastic Lanczos quadrature.

#include <vector>

#include "rezero/linalg/linear_map.h"
#include "rezero/spectrum/density.h"

namespace rezero::detail {

/// The spectral measure of AᵀA at a unit vector, as the nodes and weights of a Gauss rule tell it; nodes are
/// singular values.
class ProbeMeasure {
 public:
  /// alpha, beta: diagonal and superdiagonal of the bidiagonal, beta one longer: the coupling to the next
  /// vector, 0 when the space is invariant (the measure is then exact). What lies at `lowest` or below counts
  /// as zero in F.
  ProbeMeasure(const std::vector<Real>& alpha, const std::vector<Real>& beta, Index steps, Real lowest = 0);

  /// Share up to sigma. A node that has converged is a jump; between the others F is interpolated through
  /// their mid-weights, linearly in log σ: half of a node's weight lies below it.
  Real cdf(Real sigma) const;
  Real smallest_above(Real floor) const;  ///< node; the largest if there is none
  Real largest() const { return nodes_.back(); }
  Real moment(int power) const;  ///< Σ w σ^power

 private:
  std::vector<Real> nodes_, weights_;         ///< ascending
  std::vector<Real> log_points_, values_;     ///< the interpolant of what has not converged
  std::vector<std::pair<Real, Real>> jumps_;  ///< node, weight
};

/// The recurrence from one vector, kept to be continued. Only V is orthogonalized (twice): U follows to what
/// the condition of B allows (Simon & Zha 2000), and a distribution needs no more.
class ProbeRecurrence {
 public:
  /// start: unit vector.
  ProbeRecurrence(const LinearMap& A, const Vector& start);
  /// To `steps` steps, or until the space is invariant. Two products a step, memory n doubles a step.
  void extend(Index steps);
  ProbeMeasure measure(Index steps, Real lowest = 0) const;
  Index steps() const { return static_cast<Index>(alpha_.size()); }
  Real first_square() const;                    ///< ‖Av‖²
  Real second_square() const;                   ///< ‖AᵀAv‖²
  Real largest_seen() const { return scale_; }  ///< norm of a product
  /// |vᵀAᵀu − uᵀAv|, the largest of all steps: what rounding in the products amounts to, in one direction.
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
