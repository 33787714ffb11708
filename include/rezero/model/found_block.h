#pragma once
/// Blocks as a file holds them, with the names of their tensors there: what is compared with a recipe.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rezero/model/stack.h"

namespace rezero {

struct FoundBlock {
  std::optional<BlockParts> parts;      ///< none if the form of the block was not recognized
  std::map<Role, std::string> weights;  ///< names of the weights of `parts`
  std::map<Role, std::string> biases;   ///< names of its biases
  bool knows_wiring = true;             ///< norms and scales of `parts` are those of the file
  bool holds_copies = false;            ///< the weights of `parts` are not those in the stack's memory
  std::string gate = "branch_scale";    ///< name of the branch scale
  std::vector<std::string> unmatched;   ///< weights of the file in this block whose role is not known
};

/// The blocks of a stack file. Cost: no numbers are copied.
std::vector<FoundBlock> found_blocks(const Stack& stack);

}  // namespace rezero
