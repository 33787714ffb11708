#include "onnx/onnx_block.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "rezero/core/contract.h"
#include "rezero/core/error.h"
#include "rezero/linalg/scaled_matrix.h"
#include "rezero/onnx/onnx_stack.h"

namespace rezero::onnx {
namespace {

using graph::Program;
using graph::Smoothness;
using graph::Step;

/// Inputs of a step that vary.
std::vector<int> varying(const Program& program, const Step& step) {
  std::vector<int> slots;
  for (const int slot : step.inputs)
    if (program.varies(slot) && std::find(slots.begin(), slots.end(), slot) == slots.end())
      slots.push_back(slot);
  return slots;
}

/// Whether the derivative is constant between kinks.
bool in_pieces(const Program& program, const Step& step) {
  std::size_t uses = 0;
  for (const int slot : step.inputs) uses += program.varies(slot) ? 1 : 0;
  const bool constant_divisor = step.node->type == "Div" && uses == 1 && program.varies(step.inputs[0]);
  switch (step.op->smoothness) {
    case Smoothness::linear:
    case Smoothness::pieces:
      return true;
    case Smoothness::multilinear:
      return uses == 1;
    default:
      return constant_divisor || step.node->type == "BatchNormalization";
  }
}

bool multiplies_matrices(const Step& step) {
  const std::string& type = step.node->type;
  return type == "MatMul" || type == "Gemm" || type == "Conv" || type == "ConvTranspose" || type == "Einsum";
}

/// The way from where skip and branch part to an operand of the sum: matrix products, and steps in all.
std::pair<std::size_t, std::size_t> way_to(const Program& program, const graph::BlockSpan& span,
                                           int operand) {
  std::set<int> open = {operand};
  std::size_t steps = 0, products = 0;
  for (std::size_t i = *span.sum; i-- > span.parted_at;) {
    const Step& step = program.steps[i];
    const bool read =
        std::any_of(step.outputs.begin(), step.outputs.end(), [&](int s) { return open.count(s) > 0; });
    if (!read) continue;
    ++steps;
    if (multiplies_matrices(step)) ++products;
    for (const int slot : step.inputs)
      if (program.varies(slot)) open.insert(slot);
  }
  return {products, steps};
}

/// Buffers alive at a time along the steps, in numbers.
Real most_at_work(const Program& program, const graph::BlockSpan& span) {
  std::map<int, std::size_t> last_read;
  for (std::size_t i = span.first; i < span.last; ++i)
    for (const int slot : varying(program, program.steps[i])) last_read[slot] = i;
  Real now = 0, most = 0;
  for (std::size_t i = span.first; i < span.last; ++i) {
    for (const int slot : program.steps[i].outputs)
      now += 2 * static_cast<Real>(graph::count_of(program.slot(slot).dims));
    most = std::max(most, now);
    for (const int slot : varying(program, program.steps[i]))
      if (last_read.at(slot) == i && slot != span.entry)
        now -= 2 * static_cast<Real>(graph::count_of(program.slot(slot).dims));
  }
  return most;
}

}  // namespace

BlockAnatomy anatomy_of(const Program& program, const graph::BlockSpan& span) {
  BlockAnatomy parts;
  parts.span = span;
  if (!span.sum) return parts;
  const std::vector<int> operands = program.steps[*span.sum].inputs;
  // The skip is the operand with fewer matrix products on its way, or with the shorter way.
  std::pair<std::size_t, std::size_t> shortest = {static_cast<std::size_t>(-1), 0};
  for (const int operand : operands)
    if (const auto way = way_to(program, span, operand); way < shortest) shortest = way, parts.skip = operand;
  for (const int operand : operands)
    if (operand != parts.skip) parts.branch = operand;
  const auto producer = [&](int slot) -> const Step* {
    for (std::size_t i = *span.sum; i-- > span.parted_at;)
      for (const int output : program.steps[i].outputs)
        if (output == slot) return &program.steps[i];
    return nullptr;
  };
  parts.core = parts.branch;
  const Step* step = producer(parts.core);
  const auto one_way = [&] { return step && varying(program, *step).size() == 1; };
  while (one_way() && step->node->type == "Add") {
    parts.core = varying(program, *step).front();
    step = producer(parts.core);
  }
  if (one_way() && step->node->type == "Mul" && step->inputs.size() == 2 &&
      step->inputs[0] != step->inputs[1]) {
    parts.ungated = varying(program, *step).front();
    parts.gate = step->inputs[0] == parts.ungated ? step->inputs[1] : step->inputs[0];
  }
  return parts;
}

OnnxBlock::OnnxBlock(graph::ProgramPtr program, const graph::BlockSpan& span)
    : program_(std::move(program)), parts_(anatomy_of(*program_, span)) {
  std::set<int> constants;
  for (std::size_t i = span.first; i < span.last; ++i) {
    const Step& step = program_->steps[i];
    piecewise_linear_ = piecewise_linear_ && in_pieces(*program_, step);
    for (const int slot : step.inputs)
      if (slot >= 0 && !program_->varies(slot)) constants.insert(slot);
  }
  for (const int slot : constants) weights_ += static_cast<Real>(size(slot));
  at_work_ = most_at_work(*program_, span);
}

Shape OnnxBlock::input_shape() const {
  return shape_of(dims(parts_.span.entry));
}
Shape OnnxBlock::output_shape() const {
  return shape_of(dims(parts_.span.exit));
}

graph::StepRun OnnxBlock::run(const Vector& x, const graph::RunOptions& options) const {
  const graph::BlockSpan& span = parts_.span;
  graph::Tensor input = graph::Tensor::of(dims(span.entry), x);
  try {
    return graph::run_steps(*program_, span.first, span.last, span.entry, std::move(input), options);
  } catch (const ShapeError& error) {  // depends on values, which were others when the graph was traced
    throw NumericalError(error.what());
  }
}

LinearMapPtr OnnxBlock::map(const graph::StepRun& run, int from, int to) const {
  return graph::map_along(run.edges, from, size(from), to, size(to));
}

LinearMapPtr OnnxBlock::derivative(const graph::StepRun& run) const {
  const graph::BlockSpan& span = parts_.span;
  const std::vector<graph::Edge> edges =
      graph::with_local_parts(*program_, span.first, span.last, span.entry, span.exit, run.edges);
  return graph::map_along(edges, span.entry, size(span.entry), span.exit, size(span.exit));
}

Vector OnnxBlock::do_evaluate(const Vector& x) const {
  return run(x, {}).values.at(parts_.span.exit).reals();
}

Linearization OnnxBlock::do_linearize(const Vector& x) const {
  graph::RunOptions options;
  options.derivatives = true;
  const graph::StepRun at = run(x, options);
  return {at.values.at(parts_.span.exit).reals(), derivative(at)};
}

BlockLinearization OnnxBlock::linearize_block(const Vector& x, SimulatedRounding* rounding) const {
  graph::RunOptions options;
  options.derivatives = true, options.rounding = rounding;
  const graph::StepRun at = run(x, options);
  const int exit = parts_.span.exit;
  BlockLinearization out;
  out.value = at.values.at(exit).reals();
  out.derivative = derivative(at);
  if (!parts_.span.sum) {
    out.branch_value = out.scale_tangent = out.value;
  } else {
    const int factor = parts_.gate >= 0 ? parts_.ungated : parts_.core;
    const graph::Tensor& value = at.values.at(factor);
    out.branch_value = value.reals();
    const Matrix repeated =
        graph::gathered(value, graph::broadcast_indices(value.dims(), dims(parts_.core)), dims(parts_.core))
            .reals();
    Matrix pushed(size(exit), 1);
    map(at, parts_.core, exit)->apply(repeated, pushed);
    out.scale_tangent = pushed.col(0);
  }
  if (!rounding)
    out.parameter_gradient = [self = shared_from_this(), x](const Vector& u) {
      return self->gradient_of_parameters(x, u);
    };
  return out;
}

/// A bias after the scale does not count: it receives a gradient in any case.
ScaledReal OnnxBlock::gradient_of_parameters(const Vector& x, const Vector& cotangent) const {
  graph::RunOptions options;
  options.derivatives = options.parameters = true;
  const graph::StepRun at = run(x, options);
  const int end = parts_.core >= 0 ? parts_.core : parts_.span.exit;
  Matrix u(size(end), 1);
  map(at, end, parts_.span.exit)->apply_transpose(cotangent, u);
  ScaledReal largest;
  for (const auto& [slot, gradient] : graph::pull_back(at.edges, end, u.col(0)))
    if (slot != end && !program_->varies(slot)) largest = std::max(largest, frobenius_norm(gradient));
  return largest;
}

BlockScales OnnxBlock::scales() const {
  BlockScales scales;
  if (parts_.gate < 0) return scales;
  const graph::Tensor& gate = program_->slot(parts_.gate).constant;
  if (gate.is_real() && gate.size() > 0) scales.branch = gate.reals().mean();
  return scales;
}

std::string OnnxBlock::why_not_finite(const Vector& x) const {
  const graph::StepRun at = run(x, {});
  std::string infinite;
  for (std::size_t i = parts_.span.first; i < parts_.span.last; ++i)
    for (const int slot : program_->steps[i].outputs) {
      const graph::Tensor& value = at.values.at(slot);
      if (!value.is_real() || value.reals().allFinite()) continue;
      const bool nan = value.reals().hasNaN();
      const std::string text =
          "node " + program_->steps[i].node->title() + " gives " + (nan ? "nan" : "an infinite number");
      if (nan) return text;
      if (infinite.empty()) infinite = text;
    }
  return infinite;
}

}  // namespace rezero::onnx
