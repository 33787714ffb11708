#pragma once
/// The keys that an object of a stack file's spec may have, by its kind.

#include "io/json_cursor.h"
#include "rezero/layers/norm.h"
#include "rezero/model/branch.h"

namespace rezero::stack_keys {

/// IoError with the path of the field for a key that no branch has, or that this kind does not have, since a
/// writer's request must not be dropped silently. Only null is accepted there.
void check_branch(const JsonCursor& at, const BranchKind& kind);
/// The same for a norm. The default `eps` is accepted for a kind without eps, because it has no effect.
void check_norm(const JsonCursor& at, const NormKind& kind);

/// Names of all parameters of activations, each once: keys next to the key of the activation.
const std::vector<std::string_view>& activation_params();
/// The prefix of the keys of the parameters of the activation under `key`: empty within a branch.
std::string activation_stem(std::string_view key);

}  // namespace rezero::stack_keys
