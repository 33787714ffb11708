#pragma once
/// The loop behind norm_map.h.

#include "core/kernel.h"

namespace rezero::detail {

/// The symmetric part of the derivatives at neighbouring positions; a null pointer leaves its factor out.
struct NormOperands {
  Index features, positions;
  bool center;
  const Real* direction;    ///< y: features × positions
  const Real* mean_factor;  ///< of each position
  const Real* scale;        ///< r of each position
  const Real* coefficient;  ///< c of each position
};

struct NormKernel {
  /// out = γ ⊙ (P v − c y (yᵀv)) r at each position; gamma may be null. The order of the sums does not depend
  /// on addresses.
  void (*apply)(const NormOperands& norm, const Real* v, const Real* gamma, Real* out);
};
REZERO_KERNEL(NormKernel, norm_kernel)

}  // namespace rezero::detail
