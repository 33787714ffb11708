/// Evaluates a graph once and records what depends on the input.

#include <algorithm>
#include <cmath>

#include "rezero/core/contract.h"
#include "rezero/core/error.h"
#include "rezero/core/text.h"
#include "rezero/graph/program.h"

namespace rezero::graph {
namespace {

constexpr std::int64_t most_iterations = 100000;

/// Names of one graph, inside those of the graph around it.
struct Scope {
  const Scope* outer = nullptr;
  std::unordered_map<std::string, int> ids = {};

  int find(const std::string& name) const {
    for (const Scope* scope = this; scope; scope = scope->outer)
      if (const auto found = scope->ids.find(name); found != scope->ids.end()) return found->second;
    return -1;
  }
};

std::string list_of(const std::vector<const Node*>& nodes) {
  constexpr std::size_t shown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(shown, nodes.size()); ++i) {
    text += (i > 0 ? ", " : "") + nodes[i]->title();
    if (!nodes[i]->domain.empty()) text += " of domain '" + printable(nodes[i]->domain) + "'";
  }
  return text + (nodes.size() > shown ? " and " + std::to_string(nodes.size() - shown) + " more" : "");
}

bool supported(const Node& node) {
  if (!node.domain.empty() && node.domain != "ai.onnx") return false;
  return find_operator(node.type) || is_control_flow(node.type);
}

class Tracer {
 public:
  Tracer(std::shared_ptr<const Model> model, const TraceRequest& request)
      : request_(request), program_(std::make_shared<Program>()) {
    program_->model = std::move(model);
    program_->seed = request.seed;
  }

  ProgramPtr run() {
    Scope scope;
    Slot input;
    input.name = request_.from, input.varies = true;
    program_->from = add(std::move(input), request_.input);
    scope.ids[request_.from] = program_->from;
    for (const auto& [name, tensor] : request_.feeds)
      scope.ids.emplace(name, add({name, {}, false, false, {}, {}}, tensor));
    const Graph& graph = program_->model->graph;
    trace_graph(graph, scope, {request_.to});
    program_->to = scope.find(request_.to);
    if (!program_->varies(program_->to))
      throw UsageError("'" + printable(request_.to) + "' does not depend on '" + printable(request_.from) +
                       "'");
    drop_unread();
    return program_;
  }

 private:
  int add(Slot slot, Tensor value) {
    slot.dims = value.dims();
    if (!slot.varies) slot.constant = value;
    program_->slots.push_back(std::move(slot));
    values_.push_back(std::move(value));
    return static_cast<int>(values_.size()) - 1;
  }

  const Tensor& value(int slot) const { return values_[static_cast<std::size_t>(slot)]; }

  /// Evaluates what the wanted tensors of a graph need.
  void trace_graph(const Graph& graph, Scope& scope, const std::vector<std::string>& wanted) {
    const std::vector<bool> needed = needed_nodes(graph, scope, wanted);
    require_supported(graph, needed);
    for (const std::size_t i : sorted_nodes(graph))
      if (needed[i]) trace_node(graph.nodes[i], program_->model->opset, scope);
  }

  /// Marks nodes; gives the tensors that are not computed their slots.
  std::vector<bool> needed_nodes(const Graph& graph, Scope& scope, std::vector<std::string> open) {
    std::unordered_map<std::string, std::size_t> producers;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
      for (const std::string& output : graph.nodes[i].outputs) producers.emplace(output, i);
    std::vector<bool> needed(graph.nodes.size(), false);
    while (!open.empty()) {
      const std::string name = std::move(open.back());
      open.pop_back();
      if (name.empty() || scope.find(name) >= 0) continue;
      if (const auto known = graph.initializers.find(name); known != graph.initializers.end()) {
        add_initializer(scope, name, known->second);
        continue;
      }
      const auto producer = producers.find(name);
      if (producer == producers.end()) throw_undefined(graph, name);
      if (needed[producer->second]) continue;
      needed[producer->second] = true;
      const Node& node = graph.nodes[producer->second];
      open.insert(open.end(), node.inputs.begin(), node.inputs.end());
      for (const auto& [key, attribute] : node.attributes)
        if (const auto* inner = std::get_if<std::shared_ptr<const Graph>>(&attribute))
          for (std::string& free : free_names(**inner)) open.push_back(std::move(free));
    }
    return needed;
  }

  void add_initializer(Scope& scope, const std::string& name, const Tensor& tensor) {
    if (tensor.is_real() && tensor.reals().hasNaN())
      throw IoError("initializer '" + printable(name) + "' contains NaN");
    scope.ids[name] = add({name, name, false, true, {}, {}}, tensor);
  }

  [[noreturn]] static void throw_undefined(const Graph& graph, const std::string& name) {
    for (const Port& input : graph.inputs)
      if (input.name == name)
        throw UsageError("input '" + printable(name) + "' of the graph needs a value (give --feed " +
                         printable(name) + "=FILE.npy)");
    throw IoError("tensor '" + printable(name) + "' is read but neither an input nor the output of a node");
  }

  static void require_supported(const Graph& graph, const std::vector<bool>& needed) {
    std::vector<const Node*> bad;
    for (std::size_t i = 0; i < needed.size(); ++i)
      if (needed[i] && !supported(graph.nodes[i])) bad.push_back(&graph.nodes[i]);
    if (!bad.empty())
      throw IoError(std::to_string(bad.size()) + (bad.size() == 1 ? " node is" : " nodes are") +
                    " not supported: " + list_of(bad));
  }

  void trace_node(const Node& node, int opset, Scope& scope) {
    std::vector<int> inputs;
    for (const std::string& name : node.inputs) inputs.push_back(name.empty() ? -1 : scope.find(name));
    try {
      if (node.type == "If") return trace_if(node, inputs, scope);
      if (node.type == "Loop") return trace_loop(node, inputs, scope);
      if (node.type == "Scan") return trace_scan(node, inputs, scope);
      const std::vector<int> outputs = trace_step(node, opset, inputs);
      for (std::size_t k = 0; k < node.outputs.size(); ++k)
        if (!node.outputs[k].empty()) scope.ids[node.outputs[k]] = outputs[k];
    } catch (const ShapeError& error) {
      throw IoError("node " + node.title() + ": " + error.what());
    } catch (const MemoryError& error) {
      throw MemoryError("node " + node.title() + ": " + error.what());
    } catch (const std::out_of_range&) {
      throw IoError("node " + node.title() + ": an operand has fewer numbers than needed");
    }
  }

  std::vector<int> trace_step(const Node& node, int opset, const std::vector<int>& inputs) {
    const Operator* op = find_operator(node.type);
    if (!op || op->since > opset)
      throw ShapeError("operator set " + std::to_string(opset) + " does not have this operator");
    Call call;
    call.node = &node, call.opset = opset, call.seed = request_.seed;
    call.place = static_cast<std::uint32_t>(places_++);
    bool varies = false, trained = false;
    std::string origin;
    for (const int slot : inputs) {
      if (slot >= 0 && value(slot).element() == Element::other)
        throw ShapeError("an operand is of an unsupported type");
      call.inputs.push_back(slot >= 0 ? &value(slot) : nullptr);
      call.varies.push_back(program_->varies(slot));
      varies = varies || program_->varies(slot);
      trained = trained || (slot >= 0 && program_->slot(slot).trained);
    }
    call.wanted.assign(inputs.size(), false);
    if (node.type == "Identity" && !inputs.empty() && inputs[0] >= 0)
      origin = program_->slot(inputs[0]).origin;
    varies = varies && !op->shape_only;
    const Outcome outcome = op->run(call);
    std::vector<int> outputs;
    for (std::size_t k = 0; k < node.outputs.size(); ++k) {
      if (k >= outcome.outputs.size()) throw ShapeError("output " + std::to_string(k) + " is not supported");
      if (node.type == "Constant" && outcome.outputs[k].is_real() && outcome.outputs[k].reals().hasNaN())
        throw ShapeError("the constant contains NaN");
      const Tensor& output = outcome.outputs[k];
      const bool weight = trained || (node.type == "Constant" && output.is_real() && output.size() > 1);
      outputs.push_back(
          add({node.outputs[k], varies ? "" : origin, varies, weight && !varies, {}, {}}, output));
    }
    if (node.type == "Dropout" && call.has(2) && opset >= 12 && call.in(2).integers().at(0) != 0)
      program_->masks.push_back(node.title());
    if (varies)
      program_->steps.push_back(
          {&node, op, opset, call.place, inputs, outputs, std::make_shared<Prepared>()});
    return outputs;
  }

  /// A node that the file does not have.
  int added_step(std::string type, std::map<std::string, Attribute> attributes,
                 const std::vector<int>& inputs, const std::string& output) {
    auto node = std::make_unique<Node>();
    node->name = output, node->type = std::move(type), node->attributes = std::move(attributes);
    node->outputs = {output};
    program_->added.push_back(std::move(node));
    constexpr int form = 11;  // axes as attributes
    return trace_step(*program_->added.back(), form, inputs).front();
  }

  static const Graph& body(const Node& node, const std::string& name) {
    const auto found = node.attributes.find(name);
    const auto* inner =
        found == node.attributes.end() ? nullptr : std::get_if<std::shared_ptr<const Graph>>(&found->second);
    if (!inner) throw ShapeError("attribute '" + name + "' is missing");
    return **inner;
  }

  static std::vector<std::string> output_names(const Graph& graph) {
    std::vector<std::string> names;
    for (const Port& output : graph.outputs) names.push_back(output.name);
    return names;
  }

  /// The output slots of a body for given slots of its inputs.
  std::vector<int> trace_body(const Graph& graph, const std::vector<int>& inputs, const Scope& outer) {
    if (++nesting_ > 32) throw ShapeError("subgraphs are nested too deeply");
    Scope scope{&outer};
    if (graph.inputs.size() < inputs.size()) throw ShapeError("the body has too few inputs");
    for (std::size_t i = 0; i < inputs.size(); ++i) scope.ids[graph.inputs[i].name] = inputs[i];
    trace_graph(graph, scope, output_names(graph));
    --nesting_;
    std::vector<int> outputs;
    for (const std::string& name : output_names(graph)) outputs.push_back(scope.find(name));
    return outputs;
  }

  void require_constant(int slot, const char* what) const {
    if (program_->varies(slot))
      throw ShapeError(std::string(what) + " depends on the input, which is not supported");
  }

  void bind_outputs(const Node& node, const std::vector<int>& outputs, Scope& scope) {
    if (outputs.size() < node.outputs.size()) throw ShapeError("the body has too few outputs");
    for (std::size_t k = 0; k < node.outputs.size(); ++k)
      if (!node.outputs[k].empty()) scope.ids[node.outputs[k]] = outputs[k];
  }

  void trace_if(const Node& node, const std::vector<int>& inputs, Scope& scope) {
    if (inputs.empty() || inputs[0] < 0) throw ShapeError("the condition is missing");
    require_constant(inputs[0], "the condition");
    const bool chosen = value(inputs[0]).integers().at(0) != 0;
    bind_outputs(node, trace_body(body(node, chosen ? "then_branch" : "else_branch"), {}, scope), scope);
  }

  /// Stacks slots along a new axis.
  int stacked(const std::vector<int>& slots, Index axis, const std::string& name) {
    std::vector<int> parts;
    for (const int slot : slots)
      parts.push_back(added_step("Unsqueeze", {{"axes", Integers{axis}}}, {slot}, name));
    if (parts.empty()) throw ShapeError("a loop without an iteration has no output to stack");
    return added_step("Concat", {{"axis", std::int64_t{axis}}}, parts, name);
  }

  void trace_loop(const Node& node, const std::vector<int>& inputs, Scope& scope) {
    const Graph& inner = body(node, "body");
    if (inputs.size() < 2) throw ShapeError("the trip count or the condition is missing");
    std::int64_t trips = most_iterations + 1;
    if (inputs[0] >= 0)
      require_constant(inputs[0], "the trip count"), trips = value(inputs[0]).integers().at(0);
    bool go = true;
    if (inputs[1] >= 0)
      require_constant(inputs[1], "the condition"), go = value(inputs[1]).integers().at(0) != 0;
    std::vector<int> state(inputs.begin() + 2, inputs.end());
    std::vector<std::vector<int>> scans(inner.outputs.size() -
                                        std::min(inner.outputs.size(), state.size() + 1));
    for (std::int64_t i = 0; i < trips && go; ++i) {
      if (i >= most_iterations) throw ShapeError("more than 100000 iterations are not supported");
      std::vector<int> arguments = {add({"iteration", {}, false, false, {}, {}}, Tensor::number(i)),
                                    add({"condition", {}, false, false, {}, {}}, Tensor::truth(true))};
      arguments.insert(arguments.end(), state.begin(), state.end());
      const std::vector<int> outputs = trace_body(inner, arguments, scope);
      require_constant(outputs.at(0), "the condition");
      go = value(outputs[0]).integers().at(0) != 0;
      for (std::size_t k = 0; k < state.size(); ++k) state[k] = outputs.at(k + 1);
      for (std::size_t k = 0; k < scans.size(); ++k) scans[k].push_back(outputs.at(state.size() + 1 + k));
    }
    for (std::size_t k = 0; k < scans.size(); ++k) {
      const std::size_t output = state.size();
      state.push_back(output < node.outputs.size() ? stacked(scans[k], 0, node.outputs[output]) : -1);
    }
    bind_outputs(node, state, scope);
  }

  static Index axis_at(const Node& node, const std::string& name, std::size_t k) {
    const auto found = node.attributes.find(name);
    if (found == node.attributes.end()) return 0;
    const auto* axes = std::get_if<Integers>(&found->second);
    return axes && k < axes->size() ? (*axes)[k] : 0;
  }

  void trace_scan(const Node& node, const std::vector<int>& inputs, Scope& scope) {
    const Graph& inner = body(node, "body");
    const auto attribute = node.attributes.find("num_scan_inputs");
    const auto* count =
        attribute == node.attributes.end() ? nullptr : std::get_if<std::int64_t>(&attribute->second);
    if (program_->model->opset < 9 || !count || *count < 1 ||
        *count > static_cast<std::int64_t>(inputs.size()))
      throw ShapeError("this form is not supported");
    const std::size_t states = inputs.size() - static_cast<std::size_t>(*count);
    std::vector<int> state(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(states));
    std::vector<std::vector<int>> scans(inner.outputs.size() - std::min(inner.outputs.size(), states));
    const auto input_axis = [&](std::size_t k) {
      return axis_of(axis_at(node, "scan_input_axes", k), value(inputs[states + k]).rank());
    };
    const Index length = value(inputs[states]).dims().at(static_cast<std::size_t>(input_axis(0)));
    if (length > most_iterations) throw ShapeError("more than 100000 iterations are not supported");
    for (Index i = 0; i < length; ++i) {
      std::vector<int> arguments = state;
      for (std::size_t k = 0; states + k < inputs.size(); ++k) {
        const bool back = axis_at(node, "scan_input_directions", k) != 0;
        const int index =
            add({"index", {}, false, false, {}, {}}, Tensor::number(std::int64_t{back ? length - 1 - i : i}));
        arguments.push_back(added_step("Gather", {{"axis", std::int64_t{input_axis(k)}}},
                                       {inputs[states + k], index}, node.inputs[states + k]));
      }
      const std::vector<int> outputs = trace_body(inner, arguments, scope);
      for (std::size_t k = 0; k < states; ++k) state[k] = outputs.at(k);
      for (std::size_t k = 0; k < scans.size(); ++k) scans[k].push_back(outputs.at(states + k));
    }
    for (std::size_t k = 0; k < scans.size(); ++k) {
      if (axis_at(node, "scan_output_directions", k) != 0) std::reverse(scans[k].begin(), scans[k].end());
      const std::size_t output = states + k;
      state.push_back(output < node.outputs.size()
                          ? stacked(scans[k], axis_at(node, "scan_output_axes", k), node.outputs[output])
                          : -1);
    }
    bind_outputs(node, state, scope);
  }

  /// Removes steps that only led to shapes, and constants that nothing reads.
  void drop_unread() {
    std::vector<bool> read(program_->slots.size(), false);
    read[static_cast<std::size_t>(program_->to)] = true;
    std::vector<Step> kept;
    for (std::size_t i = program_->steps.size(); i-- > 0;) {
      Step& step = program_->steps[i];
      const auto is_read = [&](int slot) { return read[static_cast<std::size_t>(slot)]; };
      if (std::none_of(step.outputs.begin(), step.outputs.end(), is_read)) continue;
      for (const int slot : step.inputs)
        if (slot >= 0) read[static_cast<std::size_t>(slot)] = true;
      kept.push_back(std::move(step));
    }
    std::reverse(kept.begin(), kept.end());
    program_->steps = std::move(kept);
    for (std::size_t i = 0; i < read.size(); ++i)
      if (!read[i]) program_->slots[i].constant = Tensor();
  }

  const TraceRequest& request_;
  std::shared_ptr<Program> program_;
  std::vector<Tensor> values_;
  std::size_t places_ = 0;
  int nesting_ = 0;
};

}  // namespace

ProgramPtr trace(std::shared_ptr<const Model> model, const TraceRequest& request) {
  return Tracer(std::move(model), request).run();
}

std::vector<const Node*> unsupported_nodes(const Graph& graph) {
  std::vector<const Node*> bad;
  for (const Node& node : graph.nodes)
    if (!supported(node)) bad.push_back(&node);
  return bad;
}

}  // namespace rezero::graph
