#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/lifeless.h"
#include "rezero/analysis/observe.h"

namespace rezero {
namespace {

/// The entry farthest from `reference`, and its name in messages.
struct Farthest {
  Real value;
  std::string where;  ///< " (feature 3)" for a vector
};

Farthest farthest(const Vector& values, Real reference) {
  Index at = 0;
  (values.array() - reference).abs().maxCoeff(&at);
  return {values(at), values.size() == 1 ? "" : " (feature " + std::to_string(at) + ")"};
}

Role last_role(const BlockParts& parts) {
  BranchSizes sizes{parts.shape.features, 1};
  sizes.conv = parts.conv;
  return parts.branch->slots(sizes).back().role;
}

/// The norm that ends a convolutional branch, if there is one.
const NormSpec* last_norm(const BlockParts& parts) {
  if (parts.conv.norms.empty() || parts.conv.order == ConvOrder::pre || !parts.conv.norms.back())
    return nullptr;
  return &parts.conv.norms.back();
}

std::string last_norm_name(const BlockParts& parts, std::string_view field) {
  return "norm" + std::to_string(parts.conv.norms.size()) + "." + std::string(field);
}

bool is_zero(const MatrixPtr& W) {
  return W->isZero(0);
}
bool is_zero(const VectorPtr& b) {
  return !b || b->isZero(0);
}

void skip_reason(const BlockStep& step, std::vector<Culprit>& reasons) {
  const BlockParts& parts = step.layer.parts();
  if (parts.mix == MixRule::gated || parts.skip_scale.all_equal(1)) return;
  const Farthest entry = farthest(parts.skip_scale.values, 1);
  const std::string reason =
      parts.skip_scale.all_equal(0) ? "no skip" : "skip scale " + shortest(entry.value) + entry.where;
  reasons.push_back({step.block, "skip_scale", entry.value, reason});
}

void branch_reason(const BlockStep& step, std::vector<Culprit>& reasons) {
  const BlockParts& parts = step.layer.parts();
  if (parts.branch_scale.all_equal(0)) return;
  const Farthest entry = farthest(parts.branch_scale.values, 0);
  if (parts.mix == MixRule::gated) {
    reasons.push_back(
        {step.block, "branch_scale", entry.value, "gate " + shortest(entry.value) + entry.where});
    return;
  }
  const NormSpec* norm = last_norm(parts);
  if (norm && norm->weight && norm->weight->isZero(0)) {
    if (!is_zero(norm->bias))
      reasons.push_back({step.block, last_norm_name(parts, "bias"), farthest(*norm->bias, 0).value,
                         "bias of the last norm, whose weight is zero"});
    return;
  }
  const Role role = last_role(parts);
  const WeightPair& last = parts.weights.at(role);
  if (!is_zero(last.weight)) {
    reasons.push_back(
        {step.block, "branch_scale", entry.value, "branch scale " + shortest(entry.value) + entry.where});
  } else if (!is_zero(last.bias)) {
    reasons.push_back({step.block, std::string(role_name(role)) + ".bias", farthest(*last.bias, 0).value,
                       "bias of the zero last weight"});
  }
}

void outer_reasons(const BlockStep& step, std::vector<Culprit>& reasons) {
  const BlockParts& parts = step.layer.parts();
  if (parts.output_bias.size() != 0 && !parts.output_bias.isZero(0))
    reasons.push_back(
        {step.block, "output_bias", farthest(parts.output_bias, 0).value, "bias after the scale"});
  for (const NormPlace& place : norm_places)
    if (const NormSpec& norm = parts.*place.at; place.stage == Stage::after_sum && norm)
      reasons.push_back(
          {step.block, std::string(place.name), {}, "norm after the sum: " + std::string(norm.kind->name)});
  for (const ActivationPlace& place : activation_places)
    if (const auto& activation = parts.*place.at;
        place.stage == Stage::after_sum && activation && !activation->is_identity())
      reasons.push_back(
          {step.block, std::string(place.name), {}, "outer activation " + activation->canonical()});
}

/// Why a zero gate gets no gradient.
std::string dead_gate(const BlockParts& parts, const BlockLinearization& at) {
  if (!at.branch_value.isZero(0)) return "dead: no gradient reaches the gate";
  if (is_zero(parts.weights.at(last_role(parts)).weight)) return "dead: branch output and gate are both zero";
  return "dead: the gate is zero and so is the branch output for this input";
}

/// Why a zero last weight gets no gradient.
std::string dead_last_weight(const BlockLinearization& at) {
  if (at.last.input.isZero(0)) return "dead: the last weight is zero, and so is its input";
  return "dead: the last weight is zero and no gradient reaches it (the activation's derivative at 0 is 0)";
}

void find_switch(const BlockStep& step, BlockFacts& facts) {
  const BlockParts& parts = step.layer.parts();
  const Role role = last_role(parts);
  if (parts.branch_scale.all_equal(0)) {
    const bool constant = parts.branch_scale.role == ScaleRole::constant;
    facts.off = constant ? SwitchedOff::by_constant_scale : SwitchedOff::by_gate;
    facts.if_dead = {step.block, "branch_scale", 0,
                     constant ? "dead: the branch scale is a constant 0" : dead_gate(parts, step.at)};
  } else if (const NormSpec* norm = last_norm(parts); norm && norm->weight && norm->weight->isZero(0)) {
    facts.off = SwitchedOff::by_last_weight;
    facts.if_dead = {step.block, last_norm_name(parts, "weight"), 0,
                     step.at.last.input.isZero(0)
                         ? "dead: the weight of the last norm is zero, and so is its input"
                         : "dead: the weight of the last norm is zero and no gradient reaches it"};
  } else if (is_zero(parts.weights.at(role).weight)) {
    facts.off = SwitchedOff::by_last_weight;
    facts.if_dead = {step.block, std::string(role_name(role)) + ".weight", 0, dead_last_weight(step.at)};
  }
}

/// Gives the parameters of culprits the names that they have in the file they come from.
void name_as_in_file(const BlockParts& parts, BlockFacts& facts) {
  const auto rename = [&parts](Culprit& culprit) {
    if (const auto name = parts.names.find(culprit.parameter); name != parts.names.end())
      culprit.parameter = name->second;
  };
  for (Culprit& culprit : facts.reasons) rename(culprit);
  rename(facts.if_dead);
  if (facts.lifeless) rename(*facts.lifeless);
}

}  // namespace

BlockFacts block_facts(const BlockStep& step) {
  BlockFacts facts;
  facts.block = step.block;
  const bool same_size = step.at.value.size() == step.before.mantissa.size();
  facts.state_change = same_size ? (step.at.value - step.before.mantissa).cwiseAbs().maxCoeff()
                                 : std::numeric_limits<Real>::infinity();
  facts.jacobian_change = step.jacobian_change;
  if (!step.layer.residual_parts()) {
    step.layer.explain(step.before.mantissa, step.at, facts);
    return facts;
  }
  if (facts.state_change != 0 || facts.jacobian_change != 0) {
    skip_reason(step, facts.reasons);
    branch_reason(step, facts.reasons);
    outer_reasons(step, facts.reasons);
    if (facts.reasons.empty())
      facts.reasons.push_back({step.block, "block", {}, "the block is not the identity"});
  }
  find_switch(step, facts);
  if (facts.off == SwitchedOff::no) facts.lifeless = detail::lifeless_branch(step);
  name_as_in_file(step.layer.parts(), facts);
  return facts;
}

void add_gradient_facts(BlockFacts& facts, const ScaledReal& gate_gradient,
                        const ScaledReal& last_weight_gradient) {
  const bool dead = facts.off == SwitchedOff::by_constant_scale ||
                    (facts.off == SwitchedOff::by_gate && gate_gradient.is_zero()) ||
                    (facts.off == SwitchedOff::by_last_weight && last_weight_gradient.is_zero());
  if (dead) facts.dead = facts.if_dead;
}

}  // namespace rezero
