#pragma once
/// Real u outside the support: log z(u) of a product of blocks, and its edges.

#include <utility>
#include <vector>

#include "theory/transform.h"

namespace rezero::theory::detail {

/// The blocks of a product with a branch, each with the number of times that it occurs.
struct Factor {
  Transform transform;
  Real count = 1;
};

struct Product {
  std::vector<Factor> factors;
  Real shift = 0;  ///< added to log z: Σ −log_divisor
  Real atom_at_zero = 0, atom_at_one = 0;
  bool reaches_zero = false;  ///< no lower edge
  Real spread = 0;            ///< relvar = Σ d log T/du at 0, the variance of σ² over its squared mean
};

Product make_product(const std::vector<TransformRun>& blocks);

/// Side of the support: u > 0 above it, u < −1 below it.
enum class Side { above, below };

/// A real point of the curve.
struct RealPoint {
  Real log_z = 0, slope = 0;  ///< slope: Σ d log T/du
  std::vector<Real> q;        ///< of every factor
};

/// Absent where a factor has no solution.
std::optional<RealPoint> real_point(const Product& product, Side side, Real distance);

/// u = distance, or −1 − distance.
inline Real u_at(Side side, Real distance) {
  return side == Side::above ? distance : -1 - distance;
}

/// An edge and the distance of its u from 0 or −1; the distance is infinite if the curve has no real end.
struct EdgePoint {
  SpectralEdge edge;
  Real distance = 0;
};

EdgePoint find_edge(const Product& product, Side side);

}  // namespace rezero::theory::detail
