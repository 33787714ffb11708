/// Why a block of a graph is not the identity, in the names of the file.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "core/underflow.h"
#include "onnx/onnx_block.h"
#include "rezero/core/text.h"
#include "rezero/linalg/scaled_matrix.h"
#include "rezero/model/block_facts.h"
#include "rezero/random/sample.h"

namespace rezero::onnx {
namespace {

using graph::Program;
using graph::Step;
using graph::StepRun;
using graph::Tensor;

/// The shortest text of the float32 that a file holds, or of the double if it is none.
std::string text_of(Real value) {
  const auto single = static_cast<float>(value);
  if (static_cast<Real>(single) != value) return shortest(value);
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, single).ptr};
}

/// The entry of a constant farthest from `reference`.
struct Farthest {
  Real value = 0;
  std::string where;  ///< " (entry 3)" of several
};

Farthest farthest(const Tensor& tensor, Real reference) {
  Index at = 0;
  for (Index i = 1; i < tensor.size(); ++i)
    if (std::abs(tensor.real_at(i) - reference) > std::abs(tensor.real_at(at) - reference)) at = i;
  if (tensor.size() == 0) return {};
  return {tensor.real_at(at), tensor.size() == 1 ? "" : " (entry " + std::to_string(at) + ")"};
}

/// Exporters call tensors that they made `onnx::MatMul_57`; the node that reads one says more.
bool is_made_up(const std::string& name) {
  return name.empty() || name.find("onnx::") == 0 ||
         std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string name_of(const Step& step) {
  if (!step.node->name.empty()) return step.node->name;
  return step.node->outputs.empty() ? step.node->type : step.node->outputs[0];
}

bool moves_only(const std::string& type) {
  for (const char* name :
       {"Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Cast", "Dropout"})
    if (type == name) return true;
  return false;
}

bool is_norm(const std::string& type) {
  return type == "LayerNormalization" || type == "InstanceNormalization" || type == "BatchNormalization" ||
         type == "ReduceMean" || type == "ReduceL2" || type == "LpNormalization";
}

/// Looks at one block at one point.
class Examination {
 public:
  Examination(const Program& program, const BlockAnatomy& parts, const StepRun& at, Index block)
      : program_(program), parts_(parts), at_(at), block_(block) {}

  std::vector<Culprit> reasons() const {
    std::vector<Culprit> all;
    if (!parts_.span.sum) {
      all.push_back({block_, "graph", {}, "no residual sum was found between the two tensors"});
      return all;
    }
    before_reason(all), skip_reason(all), after_reason(all), branch_reason(all);
    if (all.empty()) all.push_back({block_, tensor(sum_slot()), {}, "the block is not the identity"});
    return all;
  }

  /// The branch contributes nothing, aside from constants added to it.
  bool switched_off() const {
    return parts_.span.sum && parts_.core != parts_.span.parted && is_nothing(parts_.core);
  }

  /// What is said if no parameter of the switched-off branch gets a gradient.
  Culprit if_dead() const {
    const int factor = parts_.gate >= 0 ? parts_.ungated : parts_.core;
    const std::optional<Culprit> last = last_weight(factor);
    const bool weight_is_zero = last && last->value && *last->value == 0;
    if (parts_.gate >= 0 && constant(parts_.gate).is_zero()) {
      const std::string why =
          weight_is_zero            ? "dead: gate and last weight both zero (" + last->parameter + ")"
          : value(factor).is_zero() ? "dead: the gate is zero, and so is the branch for this input"
                                    : "dead: no gradient reaches the gate";
      return {block_, constant_name(parts_.gate, *producer(parts_.core)), 0, why};
    }
    if (weight_is_zero)
      return {block_, last->parameter, 0, "dead: the last weight is zero, and no gradient reaches it"};
    return {
        block_, tensor(parts_.core), {}, "dead: the branch is zero, and no gradient reaches its parameters"};
  }

 private:
  const Tensor& value(int slot) const { return at_.values.at(slot); }
  const Tensor& constant(int slot) const { return program_.slot(slot).constant; }
  const std::string& tensor(int slot) const { return program_.slot(slot).name; }
  const Step& sum() const { return program_.steps[*parts_.span.sum]; }
  int sum_slot() const { return sum().outputs[0]; }

  const Step* producer(int slot) const {
    for (std::size_t i = parts_.span.last; i-- > parts_.span.first;)
      for (const int output : program_.steps[i].outputs)
        if (output == slot) return &program_.steps[i];
    return nullptr;
  }

  std::string constant_name(int slot, const Step& reader) const {
    return name_of_constant(program_, slot, reader);
  }

  /// The only varying operand of a step, or −1.
  int way(const Step& step) const {
    int found = -1;
    for (const int slot : step.inputs)
      if (program_.varies(slot)) {
        if (found >= 0) return -1;
        found = slot;
      }
    return found;
  }
  /// The constant operand beside the varying one in a step with two operands, or −1.
  int beside(const Step& step) const {
    if (way(step) < 0 || step.inputs.size() != 2) return -1;
    return step.inputs[0] == way(step) ? step.inputs[1] : step.inputs[0];
  }

  /// ∂(slot)/∂(parted) maps a random direction to `image`.
  Matrix pushed(int from, int to) const {
    const Index n = graph::count_of(program_.slot(from).dims), m = graph::count_of(program_.slot(to).dims);
    const Matrix direction = normal_vector(n, stream_key(0, StreamRole::probe));
    Matrix image(m, 1);
    graph::map_along(at_.edges, from, n, to, m)->apply(direction, image);
    return image;
  }
  bool is_nothing(int slot) const {
    return value(slot).is_zero() && pushed(parts_.span.parted, slot).isZero(0);
  }
  /// Whether two slots have equal values, and the derivative between them is the identity.
  bool passes_unchanged(int from, int to) const {
    if (from == to) return true;
    const Tensor &a = value(from), &b = value(to);
    if (a.size() != b.size() || a.reals() != b.reals()) return false;
    return pushed(from, to) == Matrix(normal_vector(a.size(), stream_key(0, StreamRole::probe)));
  }

  /// Steps on the way from one slot to another, in order.
  std::vector<const Step*> steps_between(int from, int to) const {
    std::set<int> open = {to};
    std::vector<const Step*> all;
    for (std::size_t i = parts_.span.last; i-- > parts_.span.first;) {
      const Step& step = program_.steps[i];
      const bool read = std::any_of(step.outputs.begin(), step.outputs.end(),
                                    [&](int slot) { return slot != from && open.count(slot) > 0; });
      if (!read) continue;
      all.push_back(&step);
      for (const int slot : step.inputs)
        if (program_.varies(slot)) open.insert(slot);
    }
    std::reverse(all.begin(), all.end());
    return all;
  }

  /// One reason for a stretch of steps: a norm, a scale, or the last operation that does something.
  Culprit stretch(int from, int to, const std::string& where, const std::string& scale) const {
    const std::vector<const Step*> steps = steps_between(from, to);
    const Step* last = nullptr;
    for (const Step* step : steps) {
      if (is_norm(step->node->type)) {
        const std::string name = step->node->type.find("Reduce") == 0 ? "LayerNorm" : step->node->type;
        return {block_, name_of(*steps.back()), {}, "norm " + where + ": " + name};
      }
      if (!moves_only(step->node->type)) last = step;
    }
    if (!last) last = steps.back();
    const int factor = beside(*last);
    if (steps.size() == 1 && factor >= 0 && (last->node->type == "Mul" || last->node->type == "Div")) {
      const Farthest entry = farthest(constant(factor), 1);
      const Real by = last->node->type == "Div" ? 1 / entry.value : entry.value;
      return {block_, constant_name(factor, *last), by, scale + " " + text_of(by) + entry.where};
    }
    return {block_, name_of(*last), {}, last->node->type + " " + where};
  }

  void before_reason(std::vector<Culprit>& all) const {
    if (!passes_unchanged(parts_.span.entry, parts_.span.parted))
      all.push_back(
          stretch(parts_.span.entry, parts_.span.parted, "before the block", "scale before the block"));
  }
  void skip_reason(std::vector<Culprit>& all) const {
    if (parts_.skip != parts_.span.parted && !passes_unchanged(parts_.span.parted, parts_.skip))
      all.push_back(stretch(parts_.span.parted, parts_.skip, "on the skip", "skip scale"));
  }
  void after_reason(std::vector<Culprit>& all) const {
    if (!passes_unchanged(sum_slot(), parts_.span.exit))
      all.push_back(stretch(sum_slot(), parts_.span.exit, "after the sum", "scale after the sum"));
  }

  void branch_reason(std::vector<Culprit>& all) const {
    if (is_nothing(parts_.branch)) return;
    int slot = parts_.branch;
    for (const Step* step = producer(slot); slot != parts_.core && step; step = producer(slot)) {
      const int inner = way(*step), addend = beside(*step);
      if (addend >= 0 && !constant(addend).is_zero()) {
        const bool of_nothing = is_nothing(parts_.core);
        const Farthest entry = farthest(constant(addend), 0);
        if (of_nothing)
          all.push_back({block_, constant_name(addend, *step), entry.value,
                         "bias after the scale: " + step->node->type + entry.where});
      }
      slot = inner;
    }
    if (is_nothing(parts_.core)) return;
    if (parts_.gate >= 0) {
      const Farthest entry = farthest(constant(parts_.gate), 0);
      all.push_back({block_, constant_name(parts_.gate, *producer(parts_.core)), entry.value,
                     "branch scale " + text_of(entry.value) + entry.where});
      return;
    }
    if (const auto last = last_weight(parts_.branch)) all.push_back(*last);
  }

  /// The parameter that ends the way to a slot: the last weight, the weight of the last norm, or the bias of
  /// one that is zero. `value` is set for a zero matrix (0) and for the weight of a norm.
  std::optional<Culprit> last_weight(int slot) const {
    for (const Step* step = producer(slot); step; step = producer(slot)) {
      const std::string& type = step->node->type;
      const bool matrix = type == "Gemm" || type == "MatMul" || type == "Conv" || type == "ConvTranspose";
      const bool norm =
          type == "LayerNormalization" || type == "InstanceNormalization" || type == "BatchNormalization";
      if (matrix || norm) return weight_of(*step, norm);
      const int next = way(*step);
      if (next < 0)
        return Culprit{block_, name_of(*step), {}, "the branch, which ends in " + type + ", is not zero"};
      if (type == "Mul" && beside(*step) >= 0) {
        const Farthest entry = farthest(constant(beside(*step)), 0);
        return Culprit{block_, constant_name(beside(*step), *step), entry.value,
                       "scale in the branch " + text_of(entry.value) + entry.where};
      }
      if (!moves_only(type) && type != "Add" && type != "Sub")
        return Culprit{block_, name_of(*step), {}, "the branch, which ends in " + type + ", is not zero"};
      slot = next;
    }
    return std::nullopt;
  }

  Culprit weight_of(const Step& step, bool norm) const {
    const auto is_constant = [&](std::size_t i) {
      return i < step.inputs.size() && step.inputs[i] >= 0 && !program_.varies(step.inputs[i]);
    };
    const std::size_t place = !norm && is_constant(0) ? 0 : 1;
    if (!is_constant(place))
      return {block_, name_of(step), {}, "the branch, which ends in " + step.node->type + ", is not zero"};
    const int weight = step.inputs[place];
    const std::string name = constant_name(weight, step);
    if (!constant(weight).is_zero()) {
      if (!norm) return {block_, name, {}, "the last weight is not zero"};
      const Farthest entry = farthest(constant(weight), 0);
      return {block_, name, entry.value,
              "the weight of the last norm is not zero: " + text_of(entry.value) + entry.where};
    }
    if (is_constant(2) && !constant(step.inputs[2]).is_zero()) {
      const Farthest entry = farthest(constant(step.inputs[2]), 0);
      return {block_, constant_name(step.inputs[2], step), entry.value,
              "bias of the zero last weight" + entry.where};
    }
    return {block_, name, 0, "the last weight is zero"};
  }

  const Program& program_;
  const BlockAnatomy& parts_;
  const StepRun& at_;
  Index block_;
};

}  // namespace

std::string name_of_constant(const Program& program, int slot, const Step& reader) {
  const std::string& name = program.slot(slot).name;
  return is_made_up(name) ? name_of(reader) : name;
}

void OnnxBlock::explain(const Vector& x, const BlockLinearization&, BlockFacts& facts) const {
  graph::RunOptions options;
  options.derivatives = true;
  const StepRun at = run(x, options);
  const Examination examination(*program_, parts_, at, facts.block);
  if (facts.state_change != 0 || facts.jacobian_change != 0) facts.reasons = examination.reasons();
  if (!examination.switched_off()) return;
  facts.off = SwitchedOff::by_last_weight;  // dead if none of its parameters gets a gradient
  facts.if_dead = examination.if_dead();
}

}  // namespace rezero::onnx
