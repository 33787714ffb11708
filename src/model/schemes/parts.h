#pragma once
/// What schemes are put together from.

#include <cmath>

#include "rezero/model/scheme.h"

namespace rezero::scheme_parts {

inline bool ignores_depth(const Params&) {
  return false;
}
inline bool uses_depth(const Params&) {
  return true;
}

inline BlockPlan branch_scaled(Real alpha, ScaleRole role) {
  BlockPlan plan;
  plan.branch_scale = Scale::number(alpha, role);
  return plan;
}

/// Sets the gain of the branch's last weight and of its bias.
inline void set_last(BlockPlan& plan, const SchemeContext& at, WeightGain gain) {
  for (const WeightSlot& slot : at.slots)
    if (slot.last) plan.gains[slot.role] = gain;
}

/// c · L^−p, L the number of residual additions.
inline Real depth_power(Real c, Real p, Index total_blocks) {
  return c * std::pow(static_cast<Real>(total_blocks), -p);
}

inline constexpr std::string_view counts_blocks = "L: residual blocks (additions) of the stack";

}  // namespace rezero::scheme_parts
