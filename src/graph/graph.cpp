#include "rezero/graph/graph.h"

#include <algorithm>
#include <queue>
#include <set>
#include <unordered_map>

#include "rezero/core/error.h"
#include "rezero/core/text.h"

namespace rezero::graph {
namespace {

using Producers = std::unordered_map<std::string, std::size_t>;

Producers producers_of(const Graph& graph) {
  Producers producers;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    for (const std::string& output : graph.nodes[i].outputs) {
      if (output.empty()) continue;
      if (!producers.emplace(output, i).second)
        throw IoError("tensor '" + printable(output) + "' is the output of two nodes");
      if (graph.initializers.count(output))
        throw IoError("tensor '" + printable(output) + "' is an initializer and the output of a node");
    }
  return producers;
}

/// Everything that a node reads, through its subgraphs too.
std::vector<std::string> reads(const Node& node) {
  std::vector<std::string> names = node.inputs;
  for (const auto& [name, attribute] : node.attributes)
    if (const auto* inner = std::get_if<std::shared_ptr<const Graph>>(&attribute))
      for (std::string& free : free_names(**inner)) names.push_back(std::move(free));
  return names;
}

}  // namespace

std::string Node::title() const {
  std::string known = name;
  for (const std::string& output : outputs)
    if (known.empty()) known = output;
  return "'" + printable(known) + "' (" + printable(type) + ")";
}

std::vector<std::size_t> sorted_nodes(const Graph& graph) {
  const Producers producers = producers_of(graph);
  std::vector<std::vector<std::size_t>> readers(graph.nodes.size());
  std::vector<std::size_t> missing(graph.nodes.size(), 0);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    for (const std::string& name : reads(graph.nodes[i]))
      if (const auto from = producers.find(name); from != producers.end()) {
        readers[from->second].push_back(i);
        ++missing[i];
      }
  // The smallest index first: a file that is sorted keeps its order.
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < missing.size(); ++i)
    if (missing[i] == 0) ready.push(i);
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const std::size_t i = ready.top();
    ready.pop();
    order.push_back(i);
    for (const std::size_t reader : readers[i])
      if (--missing[reader] == 0) ready.push(reader);
  }
  if (order.size() == graph.nodes.size()) return order;
  const auto stuck = std::find_if(missing.begin(), missing.end(), [](std::size_t n) { return n > 0; });
  const Node& node = graph.nodes[static_cast<std::size_t>(stuck - missing.begin())];
  throw IoError("the graph has a cycle through node " + node.title());
}

std::vector<std::string> free_names(const Graph& graph) {
  std::set<std::string> known, free;
  for (const Port& input : graph.inputs) known.insert(input.name);
  for (const auto& [name, tensor] : graph.initializers) known.insert(name);
  for (const Node& node : graph.nodes) known.insert(node.outputs.begin(), node.outputs.end());
  for (const Node& node : graph.nodes)
    for (const std::string& name : reads(node))
      if (!name.empty() && !known.count(name)) free.insert(name);
  for (const Port& output : graph.outputs)
    if (!known.count(output.name)) free.insert(output.name);
  return {free.begin(), free.end()};
}

}  // namespace rezero::graph
