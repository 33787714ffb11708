#pragma once
/// Names and shapes of a stack file's tensors, shared by reader and writer.

#include <string>

#include "rezero/model/branch.h"
#include "rezero/model/wiring.h"

namespace rezero::stack_tensors {

inline std::string block(Index i, std::string_view field) {
  return "blocks." + std::to_string(i) + "." + std::string(field);
}
inline std::string weight(Index i, Role role) {
  return block(i, "branch." + std::string(role_name(role)) + ".weight");
}
inline std::string bias(Index i, Role role) {
  return block(i, "branch." + std::string(role_name(role)) + ".bias");
}
/// Whether the norm is described with the branch rather than with the block.
inline bool belongs_to_branch(const NormPlace& place) {
  return place.stage == Stage::before_last_matrix;
}
/// The prefix of the tensors of the norm at a place.
inline std::string norm(Index i, const NormPlace& place) {
  return block(i, (belongs_to_branch(place) ? "branch." : "") + std::string(place.name));
}
/// As in torch.
inline std::vector<Index> shape(const WeightSlot& slot) {
  if (role_info(slot.role).form == RoleInfo::Form::matrix) return {slot.outputs, slot.inputs};
  return {slot.outputs, slot.inputs, slot.kernel_height, slot.kernel_width};
}

}  // namespace rezero::stack_tensors
