#pragma once
/// Preactivation branches W φ(x): φ′ at different blocks is correlated, because the stream persists.

#include "rezero/theory/mean_field.h"

namespace rezero::theory {

struct MaskPersistence {
  std::vector<Real> relative_variance;  ///< of σ² before block l, l = 0..L
  /// n times the variance of log ‖J‖²_F that the coordinates of the stream cause, to leading order, for a
  /// given sequence q_l, and in truth.
  Real given_squares = 0, total = 0;
};

MaskPersistence mask_persistence(const NetworkLaw& law, const MeanField& field);

}  // namespace rezero::theory
