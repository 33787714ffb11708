#pragma once
/// The true Jacobian of a stack and its singular values: the exact derivatives of the blocks at the states in
/// double found by the library's pass, multiplied without significant rounding.

#include <vector>

#include "accuracy/reference.h"
#include "rezero/analysis/plan.h"
#include "rezero/linalg/scaled_matrix.h"
#include "rezero/model/stack.h"

namespace rezero::reference {

/// Blocks 0 … L − 1 and the states x_0 … x_L as the library has them.
struct Trajectory {
  std::vector<BlockParts> blocks;
  std::vector<ScaledVector> states;
};
Trajectory trajectory(const Stack& stack, Index blocks);

/// Where blocks are linearized: at the library's states, or at the exact ones.
enum class States { library, exact };

/// The part of J that is examined, and the norm before it.
struct Look {
  Index blocks = 0;
  bool final_norm = false;
  TokenView view;
  States states = States::library;
};

/// Rows of J as they are at the precision of the scope: the state, with one direction a column.
State jacobian(const Trajectory& path, const Look& look);

struct Truth {
  std::vector<ScaledReal> sigma;  ///< descending, right to a double's last bit; exact zeros are zero
  bool settled = true;            ///< false where no precision was enough
  long bits = 0;                  ///< precision at which the values were right
};
/// Computes with two precisions, doubled until the values agree. A value that shrinks as fast as the rounding
/// is a zero. `bits`: the first precision; values below about 2^(64 − bits) of the largest may be taken for
/// zeros.
Truth true_singular_values(const Trajectory& path, const Look& look, long bits = 192);

}  // namespace rezero::reference
