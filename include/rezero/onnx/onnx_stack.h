#pragma once
/// Stacks made of ONNX graphs.
///
/// The part of a graph between two tensors is a function x ↦ f(x), and the stack of its residual blocks:
/// block l takes the tensor where the skip of the l-th sum begins to the one where the next begins, and depth
/// L means the first L blocks. A graph without a residual sum is one block. Everything that works on stacks,
/// from spectra to checks, works on them:
///
///     const auto model = std::make_shared<const graph::Model>(parse_model(bytes, path));
///     const Endpoints ends = find_endpoints(*model, {}, {});       // the graph's own input and output
///     const StackPtr stack = make_onnx_stack(model, ends, x, {});
///     stack->blocks();                                             // residual sums on the way
///     run_stack(stack, {stack->blocks()}, options, {});            // the spectrum of ∂to/∂from
///
/// Numbers: the file's, in double. Tensors are flattened in row-major order; the last axis are the features
/// of a position, if there are at most three axes.

#include <optional>

#include "rezero/graph/program.h"
#include "rezero/model/stack.h"

namespace rezero::onnx {

/// The tensors between which a graph is analyzed.
struct Endpoints {
  std::string from, to;
  graph::Port port;  ///< of `from`, as far as the file declares it
};

/// Names as the file has them, `#node` for a node's first output, or a suffix that no other tensor has. By
/// default the first input of real numbers that is no initializer, and the first output. UsageError with near
/// misses for unknown names, and if there is no input of real numbers.
Endpoints find_endpoints(const graph::Model& model, const std::optional<std::string>& from,
                         const std::optional<std::string>& to);

/// Sizes of symbolic dimensions.
using SymbolSizes = std::map<std::string, Index>;

/// The extents of `from`, with symbols bound; nothing for one whose extents the file does not declare.
/// UsageError naming a symbol without a size.
std::optional<graph::Dims> declared_dims(const Endpoints& ends, const SymbolSizes& sizes);

/// UsageError if a tensor with those extents cannot be the value of the port: another number of axes, or
/// another extent than declared or bound. `what`: the option that gives it.
void require_dims(const graph::Port& port, const graph::Dims& dims, const SymbolSizes& sizes,
                  const std::string& what);

/// UsageError naming a symbol that no input of the graph has.
void require_symbols(const graph::Model& model, const SymbolSizes& sizes);

struct OnnxOptions {
  std::map<std::string, graph::Tensor> feeds;  ///< of other inputs
  std::uint64_t seed = 0;                      ///< of Dropout masks
  std::optional<std::string> block_pattern;    ///< regular expression for the tensors of sums that are blocks
};

/// A constant that multiplies the branch of a block.
struct Gate {
  std::string name;
  graph::Tensor value;
};

/// What is known about a stack made of a graph, beside its numbers.
class OnnxStack : public Stack {
 public:
  virtual const graph::Program& program() const = 0;
  virtual const std::vector<graph::BlockSpan>& spans() const = 0;
  /// The tensor of a block's sum (empty if the graph has none) and of its end.
  virtual std::string sum_name(Index block) const = 0;
  virtual std::string exit_name(Index block) const = 0;
  virtual std::optional<Gate> gate(Index block) const = 0;
};
using OnnxStackPtr = std::shared_ptr<const OnnxStack>;

/// Errors as trace. Cost: one evaluation and one linearization of the graph.
OnnxStackPtr make_onnx_stack(std::shared_ptr<const graph::Model> model, const Endpoints& ends,
                             graph::Tensor input, const OnnxOptions& options);

/// The layout of a tensor as a state.
Shape shape_of(const graph::Dims& dims);

}  // namespace rezero::onnx
