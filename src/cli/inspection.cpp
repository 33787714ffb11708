#include "cli/inspection.h"

#include <algorithm>

#include "cli/stack_options.h"
#include "report/json_writer.h"
#include "rezero/core/error.h"
#include "rezero/core/text.h"
#include "rezero/io/file.h"
#include "rezero/onnx/reader.h"

namespace rezero::cli {
namespace {

std::string dims_text(const graph::Port& port) {
  if (!port.has_dims) return "?";
  std::string text;
  for (const graph::Port::Extent& extent : port.dims)
    text += (text.empty() ? "" : " × ") + (extent.size >= 0        ? std::to_string(extent.size)
                                           : extent.symbol.empty() ? "?"
                                                                   : printable(extent.symbol));
  return text.empty() ? "a single number" : text;
}

std::vector<const graph::Port*> true_inputs(const graph::Graph& graph) {
  std::vector<const graph::Port*> ports;
  for (const graph::Port& port : graph.inputs)
    if (!graph.initializers.count(port.name)) ports.push_back(&port);
  return ports;
}

/// `0`, or for several numbers their range.
std::string gate_text(const graph::Tensor& gate) {
  if (gate.size() == 0) return "empty";
  Real low = gate.real_at(0), high = low;
  for (Index i = 1; i < gate.size(); ++i)
    low = std::min(low, gate.real_at(i)), high = std::max(high, gate.real_at(i));
  return low == high ? shortest(low) : shortest(low) + " … " + shortest(high);
}

std::string port_line(const graph::Port& port) {
  return "  " + printable(port.name) + "   " + port.type + "   " + dims_text(port) + "\n";
}

}  // namespace

Inspection inspect_model(const PlanOptions& options) {
  Inspection seen;
  seen.path = options.onnx->front();
  seen.model = onnx::parse_model(read_file(seen.path), seen.path);
  for (const graph::Node& node : seen.model.graph.nodes) ++seen.operators[node.type];
  seen.unsupported = graph::unsupported_nodes(seen.model.graph);
  try {
    const SweepPlan plan = read_plan(options, PlanUse::analysis);
    seen.from = plan.stack->graph->from, seen.to = plan.stack->graph->to;
    seen.stack = std::dynamic_pointer_cast<const onnx::OnnxStack>(plan.stack->first().stack);
  } catch (const Error& error) {
    seen.problem = error.what();
  }
  return seen;
}

std::string inspection_text(const Inspection& seen) {
  std::string text = printable(seen.path) + " · operator set " + std::to_string(seen.model.opset) + " · " +
                     std::to_string(seen.model.graph.nodes.size()) + " nodes";
  if (!seen.model.producer.empty()) text += " · made by " + printable(seen.model.producer);
  text += "\ninputs\n";
  for (const graph::Port* port : true_inputs(seen.model.graph)) text += port_line(*port);
  text += "outputs\n";
  for (const graph::Port& port : seen.model.graph.outputs) text += port_line(port);
  text += "operators\n ";
  for (const auto& [type, count] : seen.operators)
    text += " " + printable(type) + " " + std::to_string(count);
  text += "\n";
  if (!seen.unsupported.empty()) text += "unsupported\n";
  for (const graph::Node* node : seen.unsupported) text += "  " + node->title() + "\n";
  if (!seen.stack) return text + "blocks\n  not looked for: " + seen.problem + "\n";
  const bool found = seen.stack->spans().front().sum.has_value();
  text += "blocks from " + printable(seen.from) + " to " + printable(seen.to) + "\n";
  if (!found)
    return text + "  none: no sum that every path takes adds two tensors that depend on the input\n";
  for (Index l = 0; l < seen.stack->blocks(); ++l) {
    text += "  " + std::to_string(l) + "   sum " + printable(seen.stack->sum_name(l));
    if (seen.stack->exit_name(l) != seen.stack->sum_name(l))
      text += "   end " + printable(seen.stack->exit_name(l));
    if (const auto gate = seen.stack->gate(l))
      text += "   gate " + printable(gate->name) + " = " + gate_text(gate->value);
    text += "\n";
  }
  return text;
}

namespace {

void write_ports(detail::JsonWriter& json, std::string_view key,
                 const std::vector<const graph::Port*>& ports) {
  json.line(2), json.key(key), json.begin_array();
  for (const graph::Port* port : ports) {
    json.line(4), json.begin_object();
    json.member("name", port->name), json.member("type", port->type);
    json.key("shape");
    if (!port->has_dims) {
      json.null();
    } else {
      json.begin_array();
      for (const graph::Port::Extent& extent : port->dims) {
        if (extent.size >= 0)
          json.integer(extent.size);
        else
          json.text(extent.symbol);
      }
      json.end_array();
    }
    json.end_object();
  }
  json.end_array();
}

void write_block(detail::JsonWriter& json, const onnx::OnnxStack& stack, Index l) {
  json.line(4), json.begin_object();
  json.member("block", l), json.member("sum", stack.sum_name(l)), json.member("exit", stack.exit_name(l));
  if (const auto gate = stack.gate(l)) {
    json.member("gate", gate->name);
    json.key("gate_values"), json.begin_array();
    constexpr Index shown = 16;
    for (Index i = 0; i < std::min(shown, gate->value.size()); ++i) json.real(gate->value.real_at(i));
    json.end_array();
  }
  json.end_object();
}

}  // namespace

std::string inspection_json(const Inspection& seen) {
  std::string text;
  detail::JsonWriter json([&text](std::string_view part) { text += part; });
  json.begin_object();
  json.line(2), json.member("file", seen.path);
  json.line(2), json.member("opset", Index{seen.model.opset});
  json.line(2), json.member("producer", seen.model.producer);
  json.line(2), json.member("nodes", static_cast<Index>(seen.model.graph.nodes.size()));
  write_ports(json, "inputs", true_inputs(seen.model.graph));
  std::vector<const graph::Port*> outputs;
  for (const graph::Port& port : seen.model.graph.outputs) outputs.push_back(&port);
  write_ports(json, "outputs", outputs);
  json.line(2), json.key("operators"), json.begin_object();
  for (const auto& [type, count] : seen.operators) json.member(type, count);
  json.end_object();
  json.line(2), json.key("unsupported"), json.begin_array();
  for (const graph::Node* node : seen.unsupported) {
    json.line(4), json.begin_object();
    json.member("node", node->name), json.member("operator", node->type), json.member("domain", node->domain);
    json.end_object();
  }
  json.end_array();
  json.line(2), json.key("blocks");
  if (!seen.stack) {
    json.null();
    json.line(2), json.member("problem", seen.problem);
  } else {
    json.begin_array();
    for (Index l = 0; l < seen.stack->blocks(); ++l)
      if (seen.stack->spans().front().sum) write_block(json, *seen.stack, l);
    json.end_array();
    json.line(2), json.member("from", seen.from);
    json.line(2), json.member("to", seen.to);
  }
  json.line(0), json.end_object();
  json.flush();
  return text + "\n";
}

}  // namespace rezero::cli
