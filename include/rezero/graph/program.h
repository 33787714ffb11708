#pragma once
/// A graph made ready to run: constants folded, control flow unrolled, shapes known.
///
/// `trace` evaluates a graph once, for a value of the tensor `from`. What does not depend on `from` becomes a
/// constant, evaluated there and then; what only leads to `from`, or does not lead to `to`, is left out. The
/// rest is a list of steps in topological order between numbered slots. For y = x + g · relu(W x):
///
///     slots   0: x   1: W   2: W x   3: relu(W x)   4: g   5: g · relu(W x)   6: y
///     steps   MatMul(1, 0) → 2    Relu(2) → 3    Mul(4, 3) → 5    Add(0, 5) → 6
///
/// A stretch of steps between two slots through which everything passes is run by itself (`run_steps`): it
/// gives the values of its slots and, as edges, the derivatives of its steps. `map_along` makes of edges one
/// linear map from a slot to another: tangents are carried along the edges in order, cotangents against it.

#include <unordered_map>

#include "rezero/graph/operator.h"
#include "rezero/random/simulated_rounding.h"

namespace rezero::graph {

struct Slot {
  std::string name;  ///< in the file
  std::string
      origin;  ///< of a constant: the initializer that it is, perhaps through Identity nodes; or empty
  bool varies = false;   ///< depends on `from`
  bool trained = false;  ///< a weight: an initializer, a constant of several numbers, or computed from such
  Dims dims;
  Tensor constant;  ///< if it does not vary
};

struct Step {
  const Node* node = nullptr;
  const Operator* op = nullptr;
  int opset = 0;
  std::uint32_t place = 0;
  std::vector<int> inputs;  ///< slots; −1: left out
  std::vector<int> outputs;
  std::shared_ptr<Prepared> prepared;
};

struct Program {
  std::shared_ptr<const Model> model;
  std::vector<std::unique_ptr<const Node>> added;  ///< nodes that unrolling needed
  std::vector<Slot> slots;
  std::vector<Step> steps;
  int from = -1, to = -1;
  std::uint64_t seed = 0;
  std::vector<std::string> masks;  ///< nodes that drew a Dropout mask

  const Slot& slot(int i) const { return slots[static_cast<std::size_t>(i)]; }
  bool varies(int i) const { return i >= 0 && slot(i).varies; }
};
using ProgramPtr = std::shared_ptr<const Program>;

struct TraceRequest {
  std::string from, to;                 ///< names of tensors of the graph
  Tensor input;                         ///< value of `from`
  std::map<std::string, Tensor> feeds;  ///< values of other inputs of the graph
  std::uint64_t seed = 0;               ///< of Dropout masks
};

/// IoError naming the node for what is not supported or does not fit; UsageError if an input without a value
/// is needed, or if `to` does not depend on `from`. Cost: one evaluation.
ProgramPtr trace(std::shared_ptr<const Model> model, const TraceRequest& request);

/// IoError listing the first three nodes that no operator supports among those that lead from `from` to `to`.
std::vector<const Node*> unsupported_nodes(const Graph& graph);

/// ∂(slot to)/∂(slot from) of one step.
struct Edge {
  int from = -1, to = -1;
  LinearMapPtr map;
};

struct StepRun {
  std::unordered_map<int, Tensor> values;  ///< of the slots that vary, including the first
  std::vector<Edge> edges;                 ///< in the order of the steps
};

struct RunOptions {
  bool derivatives = false;
  bool parameters = false;                ///< with respect to trained constants, too
  SimulatedRounding* rounding = nullptr;  ///< changes every value before it is read
};

/// Steps first … last − 1 with the value x of slot `at`.
StepRun run_steps(const Program& program, std::size_t first, std::size_t last, int at, Tensor x,
                  const RunOptions& options = {});

/// ∂(slot to)/∂(slot from) along the edges; the sizes of both slots are needed for maps without edges. Values
/// on the way are dropped as soon as nothing reads them. Cost: the sum over the edges between the two.
LinearMapPtr map_along(const std::vector<Edge>& edges, int from, Index from_size, int to, Index to_size);

/// The same edges with those replaced that act on each position of `entry` (all axes but the last) by itself,
/// as layer norms, feed-forward networks and projections of tokens do: one map per slot that other steps
/// read, which knows its positions, so that `condense` can make it one small matrix per position.
std::vector<Edge> with_local_parts(const Program& program, std::size_t first, std::size_t last, int entry,
                                   int exit, const std::vector<Edge>& edges);

/// Cotangents of all slots from which `to` is reached, for the cotangent u of `to`.
std::unordered_map<int, Vector> pull_back(const std::vector<Edge>& edges, int to, const Vector& u);

/// A residual block: the sum of a skip and a branch that every path from `from` to `to` takes.
struct BlockSpan {
  int entry = -1, exit = -1;        ///< slots
  std::size_t first = 0, last = 0;  ///< its steps
  std::optional<std::size_t> sum;   ///< the step that adds; none if the program has no block
  int parted = -1;                  ///< the slot where skip and branch part; the entry, except behind a stem
  std::size_t parted_at = 0;        ///< the step after it
};

/// The residual blocks in order. A block ends where skip and branch of the next one part, and the first
/// begins at `from`. `accept` may refuse sums by the name of their tensor. Without any, the whole program is
/// one span. Cost: linear.
std::vector<BlockSpan> find_blocks(const Program& program,
                                   const std::function<bool(const std::string& tensor)>& accept = {});

}  // namespace rezero::graph
