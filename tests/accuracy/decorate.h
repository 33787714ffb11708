#pragma once
/// Features of stack files that random stacks do not have: weights and biases of norms, running statistics,
/// scales per feature, biases after the sum, activations at other places.

#include "rezero/model/stack.h"

namespace rezero::reference {

/// The stack, with a random choice of these in each block.
StackPtr decorated(const Stack& stack, Index blocks, std::uint64_t seed, std::uint64_t index);

}  // namespace rezero::reference
