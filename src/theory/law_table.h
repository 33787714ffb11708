#pragma once
/// A density, given point by point in descending order, becomes a law.

#include <vector>

#include "rezero/theory/density.h"

namespace rezero::theory::detail {

struct LawPoint {
  Real y = 0, density = 0, slope = 0;  ///< slope: d density/dy
};

class LawTable {
 public:
  void add(const LawPoint& point) { points_.push_back(point); }
  /// Continues below the last point, where |1 + u| = rest, with density ∝ e^{κ y} down to 1e-7 of it. Nothing
  /// if that point lies in a gap, where there is only the smear.
  void add_exponential_tail(Real rest);
  /// The curve ends at the last point although some mass is missing: `law` lays it below, as an exponential
  /// that continues the density, and does not scale what was found. `mass` remains what was found.
  void lose_rest() { lost_ = true; }
  int size() const { return static_cast<int>(points_.size()); }

  /// Integrates by the trapezoid rule with its end correction (Hermite's rule, of fourth order) and divides
  /// by the mass found. NumericalError if that is off by more than 1e-2, or if a number is not finite.
  SpectralLaw law(Real atom_at_zero, Real atom_at_one) &&;

 private:
  std::vector<LawPoint> points_;
  bool lost_ = false;
};

}  // namespace rezero::theory::detail
