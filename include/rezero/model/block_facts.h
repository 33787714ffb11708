#pragma once
/// Why a block is not the identity, and what switches its branch off: the material of checks.

#include <optional>
#include <string>
#include <vector>

#include "rezero/core/types.h"

namespace rezero {

/// A block that violates a claim, and why: `branch scale 0.01`, `bias after the scale`, `no skip`, `dead: …`.
struct Culprit {
  Index block = 0;            ///< 0-based
  std::string parameter;      ///< branch_scale, skip_scale, output_bias, down.weight, …
  std::optional<Real> value;  ///< of the parameter, if it is one number
  std::string reason;
};

/// The reason why a branch contributes nothing.
enum class SwitchedOff { no, by_constant_scale, by_gate, by_last_weight };

/// Facts about one block at the point of linearization.
struct BlockFacts {
  Index block = 0;
  Real state_change = 0;         ///< max |x_{l+1} − x_l|, in units of 2^state exponent
  Real jacobian_change = 0;      ///< max |J_{l+1} − J_l| / max |J_l|
  std::vector<Culprit> reasons;  ///< why the block is not the identity, most significant first
  SwitchedOff off = SwitchedOff::no;
  Culprit if_dead;              ///< reported if the parameter that switches the branch off gets no gradient
  std::optional<Culprit> dead;  ///< set once the gradients are known
  /// Set if the branch or its derivative is zero and no zero parameter explains it.
  std::optional<Culprit> lifeless;
};

}  // namespace rezero
