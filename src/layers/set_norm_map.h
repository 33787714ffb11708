#pragma once
/// The derivative of norms over sets of features × positions.

#include "rezero/linalg/linear_map.h"

namespace rezero {

/// On every set S of N numbers: V ↦ γ ⊙ (V − mean V − Y mean(Y ⊙ V)) r_S.
struct SetNormMapParts {
  Shape shape, set;         ///< the shape of the state and of one set
  Vector direction;         ///< Y
  Matrix scale;             ///< r_S, repeated for each of its features: features × runs of set.positions
  Vector gamma;             ///< per feature
  Vector mean_factor = {};  ///< factor of each feature's mean, in another rounding; empty: 1
};

LinearMapPtr set_norm_map(SetNormMapParts parts);

}  // namespace rezero
