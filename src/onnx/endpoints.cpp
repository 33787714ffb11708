/// Tensors by name, and extents by symbol.

#include <algorithm>
#include <set>

#include "rezero/core/error.h"
#include "rezero/core/registry.h"
#include "rezero/onnx/onnx_stack.h"

namespace rezero::onnx {
namespace {

using graph::Graph;
using graph::Node;
using graph::Port;

/// Every tensor of the graph, once.
std::vector<std::string_view> tensors_of(const Graph& graph) {
  std::vector<std::string_view> all;
  for (const Port& input : graph.inputs) all.push_back(input.name);
  for (const Node& node : graph.nodes)
    for (const std::string& output : node.outputs)
      if (!output.empty()) all.push_back(output);
  for (const auto& [name, tensor] : graph.initializers) all.push_back(name);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

[[noreturn]] void throw_unknown(const std::string& option, const std::string& name,
                                const std::vector<std::string_view>& known) {
  const std::string close = closest_name(name, known);
  throw UsageError(option + " '" + printable(name) + "' is no tensor of the graph" +
                   (close.empty() ? " (rezero-analyze inspect lists them)"
                                  : ". Did you mean '" + printable(close) + "'?"));
}

std::string tensor_named(const Graph& graph, const std::string& name, const std::string& option) {
  if (!name.empty() && name[0] == '#') {
    std::vector<std::string_view> nodes;
    for (const Node& node : graph.nodes) {
      if (node.name == name.substr(1) && !node.outputs.empty()) return node.outputs[0];
      nodes.push_back(node.name);
    }
    const std::string close = closest_name(name.substr(1), nodes);
    throw UsageError(option + " '" + printable(name) + "' names no node of the graph" +
                     (close.empty() ? "" : ". Did you mean '#" + printable(close) + "'?"));
  }
  const std::vector<std::string_view> all = tensors_of(graph);
  if (std::binary_search(all.begin(), all.end(), std::string_view(name))) return name;
  std::vector<std::string_view> ending;
  for (const std::string_view tensor : all)
    if (!name.empty() && tensor.size() > name.size() && tensor.substr(tensor.size() - name.size()) == name)
      ending.push_back(tensor);
  if (ending.size() == 1) return std::string(ending[0]);
  if (ending.size() > 1)
    throw UsageError(option + " '" + printable(name) + "' is the end of several names: '" +
                     printable(ending[0]) + "', '" + printable(ending[1]) +
                     (ending.size() > 2 ? "', …" : "'"));
  throw_unknown(option, name, all);
}

Port port_named(const Graph& graph, const std::string& name) {
  for (const auto* ports : {&graph.inputs, &graph.outputs, &graph.described})
    for (const Port& port : *ports)
      if (port.name == name) return port;
  Port unknown;
  unknown.name = name;
  return unknown;
}

std::string default_input(const Graph& graph) {
  std::string others;
  for (const Port& input : graph.inputs) {
    if (graph.initializers.count(input.name)) continue;
    if (input.element == graph::Element::real) return input.name;
    others += (others.empty() ? "" : ", ") + printable(input.name) + " (" + input.type + ")";
  }
  throw UsageError(others.empty() ? "the graph has no input (give --from TENSOR)"
                                  : "the graph has no input of floating-point numbers, only " + others +
                                        " (give --from TENSOR, an inner tensor)");
}

}  // namespace

Endpoints find_endpoints(const graph::Model& model, const std::optional<std::string>& from,
                         const std::optional<std::string>& to) {
  const Graph& graph = model.graph;
  Endpoints ends;
  ends.from = from ? tensor_named(graph, *from, "--from") : default_input(graph);
  if (!to && graph.outputs.empty()) throw UsageError("the graph has no output (give --to TENSOR)");
  ends.to = to ? tensor_named(graph, *to, "--to") : graph.outputs.front().name;
  ends.port = port_named(graph, ends.from);
  if (ends.port.element != graph::Element::real)
    throw UsageError("--from '" + printable(ends.from) + "' is of type " + ends.port.type +
                     ", not of floating-point numbers");
  if (ends.from == ends.to)
    throw UsageError("--from and --to are the same tensor, '" + printable(ends.from) + "'");
  return ends;
}

std::optional<graph::Dims> declared_dims(const Endpoints& ends, const SymbolSizes& sizes) {
  if (!ends.port.has_dims) return std::nullopt;
  graph::Dims dims;
  for (const Port::Extent& extent : ends.port.dims) {
    if (extent.size >= 0) {
      dims.push_back(extent.size);
      continue;
    }
    const auto bound = sizes.find(extent.symbol);
    if (bound == sizes.end())
      throw UsageError("the tensor '" + printable(ends.from) + "' has the symbolic dimension '" +
                       printable(extent.symbol) + "' (give --dim " +
                       (extent.symbol.empty() ? "NAME" : printable(extent.symbol)) +
                       "=SIZE, or --input FILE.npy)");
    dims.push_back(bound->second);
  }
  return dims;
}

void require_dims(const Port& port, const graph::Dims& dims, const SymbolSizes& sizes,
                  const std::string& what) {
  if (!port.has_dims) return;
  SymbolSizes all = sizes;
  bool fits = port.dims.size() == dims.size();
  for (std::size_t a = 0; fits && a < dims.size(); ++a) {
    const Port::Extent& extent = port.dims[a];
    if (extent.size >= 0)
      fits = extent.size == dims[a];
    else if (!extent.symbol.empty())
      fits = all.emplace(extent.symbol, dims[a]).first->second == dims[a];
  }
  if (fits) return;
  std::string declared;
  for (const Port::Extent& extent : port.dims)
    declared += (declared.empty() ? "" : " × ") + (extent.size >= 0        ? std::to_string(extent.size)
                                                   : extent.symbol.empty() ? "?"
                                                                           : printable(extent.symbol));
  for (const auto& [symbol, size] : sizes)
    declared += ", " + printable(symbol) + " = " + std::to_string(size);
  throw UsageError(what + " is " + graph::text_of(dims) + ", the tensor '" + printable(port.name) + "' is " +
                   declared);
}

void require_symbols(const graph::Model& model, const SymbolSizes& sizes) {
  std::set<std::string_view> known;
  for (const auto* ports : {&model.graph.inputs, &model.graph.outputs, &model.graph.described})
    for (const Port& port : *ports)
      for (const Port::Extent& extent : port.dims)
        if (!extent.symbol.empty()) known.insert(extent.symbol);
  for (const auto& [symbol, size] : sizes)
    if (!known.count(symbol))
      throw UsageError(known.empty()
                           ? "--dim " + printable(symbol) + ": the graph has no symbolic dimension"
                           : unknown_name_message("dimension", symbol, {known.begin(), known.end()}));
}

}  // namespace rezero::onnx
