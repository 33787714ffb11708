#pragma once
/// Which keys an object of a stack file's spec may have, by its kind.

#include "io/json_cursor.h"
#include "rezero/layers/norm.h"
#include "rezero/model/branch.h"

namespace rezero::stack_keys {

/// IoError with the path of the field for a key that no branch has, or none of this kind: what a writer asks
/// for and the kind has not must not be lost. Only a null may stand there.
void check_branch(const JsonCursor& at, const BranchKind& kind);
/// The same for a norm. An `eps` of the default may stand where a kind has none: it asks for nothing.
void check_norm(const JsonCursor& at, const NormKind& kind);

/// Names of all parameters that activations have, each once: keys beside the key of the activation itself.
const std::vector<std::string_view>& activation_params();
/// What the keys of the parameters of the activation under `key` begin with: nothing within a branch.
std::string activation_stem(std::string_view key);

}  // namespace rezero::stack_keys
