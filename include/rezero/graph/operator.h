#pragma once
/// Operators: the value of a node, and its derivative with respect to each input as a linear map.
///
/// An operator is called with the values of its inputs and a list of those with respect to which a derivative
/// is wanted. It returns its outputs and one LinearMap (linalg/linear_map.h) per pair of output and input
/// that depend on each other; a pair without a map has the derivative zero. For Mul at a = (2, 3), b = 5,
/// with the derivative with respect to both:
///
///     Outcome out = find_operator("Mul")->run(call);
///     out.outputs[0];            // (10, 15)
///     out.partials[0].map;       // ∂/∂a: diag(5, 5)
///     out.partials[1].map;       // ∂/∂b: the column (2, 3)
///
/// Laws, which the tests check for every operator (tests/graph): the maps satisfy the laws of linear_map.h,
/// and partials[i] · v is the limit of central differences of the outputs.
///
/// To add operators: a file in src/graph/operators/ that appends rows to the table (several types per file
/// where they are one thought), and a line in operators.def.

#include <functional>
#include <mutex>
#include <string_view>

#include "rezero/graph/graph.h"
#include "rezero/linalg/maps.h"

namespace rezero::graph {

/// ∂(output)/∂(input).
struct Partial {
  Index output = 0, input = 0;
  LinearMapPtr map;
};

struct Outcome {
  std::vector<Tensor> outputs;
  std::vector<Partial> partials;
};

/// Forms of a node's constant operands that are made once and used in every call: a transposed weight.
/// Thread-safe.
class Prepared {
 public:
  template <class T>
  std::shared_ptr<const T> get(int key, const std::function<std::shared_ptr<const T>()>& make) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::shared_ptr<const void>& slot = kept_[key];
    if (!slot) slot = make();
    return std::static_pointer_cast<const T>(slot);
  }

 private:
  std::mutex mutex_;
  std::map<int, std::shared_ptr<const void>> kept_;
};

/// One call of an operator. Accessors throw ShapeError where an input or attribute is missing or of another
/// kind.
class Call {
 public:
  const Node* node = nullptr;
  int opset = 0;
  std::vector<const Tensor*> inputs;  ///< null: left out
  std::vector<bool> wanted;           ///< by input: derivatives with respect to it
  std::vector<bool> varies;           ///< by input: another call may have another value
  Prepared* prepared = nullptr;       ///< null: nothing is kept between calls
  std::uint64_t seed = 0;             ///< of Dropout in training form
  std::uint32_t place = 0;            ///< of the node in its graph, part of the address of draws

  bool has(Index i) const { return i < size() && inputs[static_cast<std::size_t>(i)] != nullptr; }
  Index size() const { return static_cast<Index>(inputs.size()); }
  const Tensor& in(Index i) const;
  bool wants(Index i) const { return has(i) && wanted[static_cast<std::size_t>(i)]; }
  bool constant(Index i) const { return !varies[static_cast<std::size_t>(i)]; }
  Index count_outputs() const { return static_cast<Index>(node->outputs.size()); }

  bool has_attribute(std::string_view name) const;
  Index integer(std::string_view name, Index otherwise) const;
  Real real(std::string_view name, Real otherwise) const;
  std::string text(std::string_view name, std::string_view otherwise) const;
  std::optional<Dims> integers(std::string_view name) const;
  std::optional<std::vector<Real>> reals(std::string_view name) const;
  const Tensor& tensor(std::string_view name) const;
  /// Input i as a list of whole numbers; nothing if it is left out.
  std::optional<Dims> integers_in(Index i) const;
  /// Operands that moved from attributes to inputs: input i, or else the attribute.
  std::optional<Dims> integers_of(Index i, std::string_view attribute) const;

  /// A form of a constant input, made once per node; made anew where the input varies.
  template <class T, class Make>
  std::shared_ptr<const T> form(Index input, const Make& make) const {
    if (!prepared || !constant(input)) return make();
    return prepared->get<T>(static_cast<int>(input), make);
  }

 private:
  const Attribute* find(std::string_view name) const;
};

/// How an output depends on the inputs that vary.
enum class Smoothness {
  linear,       ///< its derivative is constant
  multilinear,  ///< constant if one input varies: products
  pieces,       ///< constant between kinks
  smooth,
};

struct Operator {
  std::string_view name;  ///< in the default domain
  Outcome (*run)(const Call&) = nullptr;
  Smoothness smoothness = Smoothness::smooth;
  bool shape_only = false;  ///< its output depends on the extents of its inputs alone
  int since = 1;            ///< first operator set that has it
};

/// The operator of that type, or null.
const Operator* find_operator(std::string_view type);
/// All, sorted by name.
std::vector<std::string_view> operator_names();
/// Types that the tracer of graph/program.h expands: If, Loop, Scan.
bool is_control_flow(std::string_view type);

using OperatorTable = std::vector<Operator>;

}  // namespace rezero::graph
