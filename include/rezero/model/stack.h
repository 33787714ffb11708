#pragma once
/// A lazy stack of residual blocks: the weights of a block are drawn (or looked up), used and dropped.

#include <memory>

#include "rezero/model/block.h"
#include "rezero/model/stack_spec.h"

namespace rezero {

using BlockPtr = std::shared_ptr<const Block>;

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
  /// The model's own norm after its last block, which is not part of the stack; none by default.
  virtual NormSpec final_norm() const { return {}; }
};

using StackPtr = std::shared_ptr<const Stack>;

/// The stack of `spec` with `depth` layers under `seed`. Weights are addressed by (seed, block, role,
/// element): they are equal for every depth, scheme and order of use. UsageError if the scheme does not fit
/// the depth, e.g. an alpha list of the wrong length.
StackPtr build_stack(const StackSpec& spec, std::uint64_t seed, Index depth);

/// UsageError if scheme, family and depth do not fit, as from build_stack. Draws nothing; its cost does not
/// depend on the depth.
void require_fit(const StackSpec& spec, Index depth);

/// A stack of given blocks, with its input. ShapeError if a block does not fit the output of its predecessor.
StackPtr make_stack(std::vector<BlockParts> blocks, Vector input, NormSpec final_norm = {});

/// Blocks first … first + count − 1 of a stack as a separate stack, with the given input.
StackPtr slice_stack(StackPtr stack, Index first, Index count, Vector input);

/// The stack with another input. ShapeError if it does not have the size of the state.
StackPtr with_input(StackPtr stack, Vector input);

/// Memory of a kept block besides its weights: its parts and layers. An upper bound, as measured (1600 bytes
/// for an mlp, 5000 for convolutions with norms).
constexpr Real block_overhead_bytes = 5000;

/// Bytes of the weights of one block; the maximum over all stages.
Real block_weight_bytes(const StackSpec& spec);

/// An input with the given distribution. Addressed by (seed, input role).
Vector draw_input(const InputSpec& spec, Shape shape, std::uint64_t seed);

}  // namespace rezero
