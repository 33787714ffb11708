#pragma once
/// The derivative of norms that center and rescale each position.

#include "rezero/linalg/linear_map.h"

namespace rezero {

/// At position t: V ↦ γ ⊙ (P V − c_t Y_t (Y_tᵀ V)) r_t, P = I − 11ᵀ/d if `center`, else I.
struct NormMapParts {
  Shape shape;
  bool center = false;
  Vector mean_factor;                   ///< factor of each position's mean, in another rounding; empty: 1
  Vector scale;                         ///< r_t, one per position
  Vector coefficient;                   ///< c_t, one per position
  Vector direction;                     ///< Y, features × positions; empty: no rank-one part
  std::shared_ptr<const Vector> gamma;  ///< null: 1
};

LinearMapPtr norm_map(NormMapParts parts);

}  // namespace rezero
