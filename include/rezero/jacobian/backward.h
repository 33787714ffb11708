#pragma once
/// Gradients and suffix Jacobians in one pass from the output to the input. Blocks are redrawn by address.

#include <functional>
#include <vector>

#include "rezero/linalg/scaled_matrix.h"
#include "rezero/model/stack.h"

namespace rezero {

struct BackwardRequest {
  Vector cotangent;           ///< u at the output x_L
  bool suffix_norms = false;  ///< ‖∂x_L/∂x_l‖_F² for every l: a pass with n × n numbers instead of a vector
  int workers = 1;
  std::function<void()> checkpoint;
};

/// For the scalar uᵀ x_L, and the blocks l = 0 … L−1.
struct BackwardResult {
  std::vector<ScaledReal> suffix_square;  ///< ‖∂x_L/∂x_l‖_F² for l = 0 … L, if requested
  /// derivative with respect to a number added to the branch scale of block l
  std::vector<ScaledReal> gate_gradient;
  std::vector<ScaledReal> last_weight_gradient;  ///< ‖gradient of the branch's last matrix‖_F
};

/// states: x_0 … x_L from the forward pass (block l was linearized at states[l]). Cost: one VJP per block, of
/// one column or of n + 1. Memory: O(n), or 2 n² with suffix norms.
BackwardResult backward_pass(const Stack& stack, const std::vector<ScaledVector>& states,
                             const BackwardRequest& request);

}  // namespace rezero
