#include "analysis/lifeless.h"

#include <algorithm>
#include <map>

#include "core/underflow.h"
#include "rezero/random/sample.h"

namespace rezero::detail {
namespace {

bool has_zero_parameter(const BlockParts& parts) {
  const std::vector<const NormSpec*> norms = parts.branch_norms();
  return std::any_of(parts.weights.begin(), parts.weights.end(),
                     [](const auto& weight) { return weight.second.weight->isZero(0); }) ||
         std::any_of(norms.begin(), norms.end(),
                     [](const NormSpec* norm) { return norm->has_zero_parameter(); });
}

/// z alone: no skip, no scale, nothing after the sum.
BlockParts branch_of(BlockParts parts) {
  parts.skip_scale = Scale::number(0);
  parts.branch_scale = Scale::number(1);
  parts.mix = MixRule::additive;
  parts.output_bias.resize(0);
  for (const NormPlace& place : norm_places)
    if (place.stage == Stage::after_sum) parts.*place.at = {};
  for (const ActivationPlace& place : activation_places)
    if (place.stage == Stage::after_sum) (parts.*place.at).reset();
  return parts;
}

/// The branch at x, by itself.
struct Probe {
  bool no_output, no_derivative;  ///< ∂z/∂x maps a random direction exactly to zero
  bool underflowed;
};

Probe probe(const BlockStep& step) {
  const ResidualBlock branch(branch_of(step.layer.parts()));
  const Vector& x = step.before.mantissa;
  const Matrix direction = normal_vector(x.size(), stream_key(0, StreamRole::probe));
  Matrix moved(branch.output_shape().size(), 1);
  const UnderflowWatch watch;
  const BlockLinearization at = branch.linearize_block(x);
  at.derivative->apply(direction, moved);
  return {at.branch_value.isZero(0), moved.isZero(0), watch.underflowed()};
}

/// The norms of the branch with their shapes, except those of queries and keys.
std::vector<std::pair<const NormSpec*, Shape>> placed_norms(const BlockStep& step) {
  const BlockParts& parts = step.layer.parts();
  const ConvBranchSpec& conv = parts.conv;
  const Index positions = parts.shape.positions;
  const std::map<Stage, Shape> shapes = {
      {Stage::before_branch, parts.shape},
      {Stage::before_last_matrix, {step.at.last.input.size() / positions, positions}},
      {Stage::after_branch, parts.output_shape()}};
  std::vector<std::pair<const NormSpec*, Shape>> all;
  for (const NormPlace& place : norm_places)
    if (const auto shape = shapes.find(place.stage); shape != shapes.end())
      all.push_back({&(parts.*place.at), shape->second});
  for (std::size_t i = 0; i < conv.norms.size(); ++i) {
    const Index before = i == 0 ? parts.shape.features : conv.inner,
                behind = i + 1 == conv.norms.size() ? conv.outputs : conv.inner;
    all.push_back({&conv.norms[i], {conv.order == ConvOrder::pre ? before : behind, positions}});
  }
  return all;
}

/// Why the derivative is zero, if the reason is obvious; otherwise empty.
std::string cause(const BlockStep& step) {
  for (const auto& [norm, shape] : placed_norms(step))
    if (*norm && norm->null_directions(shape) == shape.size())
      return std::string(norm->kind->name) + " over a single value, whose derivative is zero";
  const BlockParts& parts = step.layer.parts();
  const bool all_zero =
      parts.branch->ends_in_activation ? step.at.branch_value.isZero(0) : step.at.last.input.isZero(0);
  const bool switches_off = parts.activation.value(Vector::Constant(1, -1))(0) == 0;
  if (parts.branch->uses_activation && all_zero && switches_off)
    return "every " + std::string(parts.activation.kind().name) + " is off";
  return {};
}

}  // namespace

std::optional<Culprit> lifeless_branch(const BlockStep& step) {
  if (has_zero_parameter(step.layer.parts())) return std::nullopt;
  const Probe seen = probe(step);
  if (!seen.no_output && !seen.no_derivative) return std::nullopt;
  std::string reason = seen.no_derivative && !seen.underflowed ? cause(step) : "";
  if (reason.empty())
    reason = std::string(seen.no_output ? "the branch output" : "the derivative of the branch") +
             (seen.underflowed ? " is below the range of double" : " is zero although no parameter is");
  return Culprit{step.block, "branch", {}, std::move(reason)};
}

}  // namespace rezero::detail
