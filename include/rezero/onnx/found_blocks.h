#pragma once
/// The weights of a graph by block and role.

#include "rezero/model/found_block.h"
#include "rezero/onnx/onnx_stack.h"

namespace rezero::onnx {

/// Matrices are told by what the graph does with them on the branch of their block:
///
/// - one matrix: linear, or dense or preactivation with an activation behind or before it;
/// - two without a softmax: up, down;
/// - three without a softmax: gate (an activation reads it) and up, which are multiplied; down;
/// - four and a softmax: the two that lead to it are query and key (the larger first, or the first),
///   the third is value; output;
/// - two and a softmax: one matrix with three times as many outputs as inputs, which is query, key
///   and value in this order; output.
///
/// A block of any other form has no parts. Every constant with two axes or more that did not get a role is
/// listed as unmatched. Norms and skip scales are not told.
std::vector<FoundBlock> found_blocks(const OnnxStack& stack);

}  // namespace rezero::onnx
