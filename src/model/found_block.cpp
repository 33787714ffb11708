#include "rezero/model/found_block.h"

namespace rezero {

std::vector<FoundBlock> found_blocks(const Stack& stack) {
  std::vector<FoundBlock> all;
  for (Index l = 0; l < stack.blocks(); ++l) {
    FoundBlock block;
    const BlockPtr held = stack.block(l);
    if (const BlockParts* parts = held->residual_parts()) block.parts = *parts;
    if (!block.parts) {
      all.push_back(std::move(block));
      continue;
    }
    const std::string prefix = "blocks." + std::to_string(l) + ".branch.";
    for (const auto& [role, pair] : block.parts->weights) {
      block.weights[role] = prefix + std::string(role_name(role)) + ".weight";
      block.biases[role] = prefix + std::string(role_name(role)) + ".bias";
    }
    all.push_back(std::move(block));
  }
  return all;
}

}  // namespace rezero
