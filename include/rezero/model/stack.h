#pragma once
/// A stack of residual blocks, made lazily: a block's weights are drawn (or looked up), used and dropped.

#include <memory>

#include "rezero/model/block.h"
#include "rezero/model/stack_spec.h"

namespace rezero {

using BlockPtr = std::shared_ptr<const ResidualBlock>;

class Stack {
 public:
  Stack() = default;
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  virtual ~Stack() = default;

  virtual const Geometry& geometry() const = 0;
  Index blocks_per_layer() const { return geometry().blocks_per_layer(); }
  Shape shape() const { return geometry().shape(); }  ///< of the input
  Shape shape_after(Index blocks) const { return geometry().shape_after(blocks); }

  virtual Index blocks() const = 0;
  virtual Vector input() const = 0;
  /// 0 ≤ l < blocks(); deterministic, safe to call from any thread.
  virtual BlockPtr block(Index l) const = 0;
  /// True if every block is positively homogeneous: the state may then be rescaled without changing J.
  virtual bool positively_homogeneous() const = 0;
};

using StackPtr = std::shared_ptr<const Stack>;

/// The stack of `spec` with `depth` layers under `seed`. Weights are addressed by (seed, block, role,
/// element): equal for every depth, scheme and order of use. UsageError where scheme and depth do not fit (a
/// list of other length).
StackPtr build_stack(const StackSpec& spec, std::uint64_t seed, Index depth);

/// UsageError where scheme, family and depth do not fit, as build_stack would throw it; draws nothing and
/// takes no longer for a deep stack.
void require_fit(const StackSpec& spec, Index depth);

/// A stack given block by block, with its input. ShapeError where a block does not take what the one before
/// gives.
StackPtr make_stack(std::vector<BlockParts> blocks, Vector input);

/// Blocks first … first + count − 1 of a stack as a stack of its own, on the given input.
StackPtr slice_stack(StackPtr stack, Index first, Index count, Vector input);

/// What a block that is kept takes beside its weights, its parts and layers: at most, as measured (1600 bytes
/// of an mlp, 5000 of convolutions with norms).
constexpr Real block_overhead_bytes = 5000;

/// Bytes that one block's weights take; the most of all stages.
Real block_weight_bytes(const StackSpec& spec);

/// An input of the given law. Addressed by (seed, input role).
Vector draw_input(const InputSpec& spec, Shape shape, std::uint64_t seed);

}  // namespace rezero
