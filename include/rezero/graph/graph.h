#pragma once
/// A graph as a file describes it: nodes that turn named tensors into others. Plain data.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "rezero/graph/tensor.h"

namespace rezero::graph {

struct Graph;

/// A setting of a node. Real numbers have the precision with which the file stores them (ONNX: float32).
using Attribute = std::variant<std::int64_t, Real, std::string, Tensor, std::shared_ptr<const Graph>,
                               Integers, std::vector<Real>, std::vector<std::string>>;

/// One operation. An empty input or output name is an operand that is left out.
struct Node {
  std::string name, type, domain;
  std::vector<std::string> inputs, outputs;
  std::map<std::string, Attribute> attributes;

  /// `'name' (Type)`, or the name of its first output where it has none.
  std::string title() const;
};

/// An input or output as declared. An extent is a number, or the name of a symbol, or unknown (empty).
struct Port {
  std::string name;
  Element element = Element::real;
  std::string type;  ///< as the file calls it: FLOAT, INT64 …
  bool has_dims = false;
  struct Extent {
    Index size = -1;  ///< −1: not fixed
    std::string symbol;
  };
  std::vector<Extent> dims;
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::map<std::string, Tensor> initializers;
  std::vector<Port> inputs;  ///< including those that initializers fill
  std::vector<Port> outputs;
  std::vector<Port> described;  ///< declared shapes of inner tensors
};

/// A graph with the version of the operator set in whose sense its nodes are meant.
/// A file beside that of a model.
struct ExternalFile {
  std::string path, sha256;
};

struct Model {
  Graph graph;
  int opset = 0;
  std::string producer;
  std::vector<ExternalFile> external_files;  ///< those that hold weights
};

/// Indices of nodes so that every node follows those whose outputs it reads. IoError naming a tensor that two
/// nodes give, or a node of a cycle. Cost: linear.
std::vector<std::size_t> sorted_nodes(const Graph& graph);

/// Names that the graph reads and does not define: those of the graph around it.
std::vector<std::string> free_names(const Graph& graph);

}  // namespace rezero::graph
