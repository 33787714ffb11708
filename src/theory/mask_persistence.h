#pragma once
/// Preactivation branches W φ(x): φ′ at different blocks is correlated, because the stream persists.

#include "rezero/theory/mean_field.h"

namespace rezero::theory {

struct MaskPersistence {
  std::vector<Real> relative_variance;  ///< of σ² before block l, l = 0..L
  Real spread = 0;                      ///< Σ_k Σ_l b_k b_l C(k, l), k = l included; b = g/E φ′²
};

MaskPersistence mask_persistence(const NetworkLaw& law, const MeanField& field);

}  // namespace rezero::theory
