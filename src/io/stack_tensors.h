#pragma once
/// Names and shapes of a stack file's tensors: one place for reader and writer.

#include <string>

#include "rezero/model/branch.h"

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
/// As torch has it.
inline std::vector<Index> shape(const WeightSlot& slot) {
  if (!slot.is_conv()) return {slot.outputs, slot.inputs};
  return {slot.outputs, slot.inputs, slot.kernel_height, slot.kernel_width};
}

}  // namespace rezero::stack_tensors
