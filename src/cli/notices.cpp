#include "cli/notices.h"

#include <algorithm>

#include "rezero/core/text.h"

namespace rezero::cli {
namespace {

/// Notice for a scheme that its source defines for other families.
void add_family_notices(const SweepPlan& plan, std::vector<std::string>& notices) {
  for (const AxisEntry<SchemeSpec>& entry : plan.schemes.entries()) {
    const Scheme& scheme = entry.base().scheme();
    const auto& made_for = scheme.made_for;
    if (made_for.empty() || std::count(made_for.begin(), made_for.end(), plan.family->name)) continue;
    notices.push_back("scheme '" + std::string(scheme.name) + "' is defined for family '" +
                      std::string(made_for.front()) + "', not '" + std::string(plan.family->name) + "'");
  }
}

void add_init_notice(const SweepPlan& plan, std::vector<std::string>& notices) {
  const Axis<Initializer> all = distinct_initializers(plan);
  if (all.entries().size() < 2) return;
  std::string names;
  for (const AxisEntry<Initializer>& entry : all.entries())
    names += (names.empty() ? "" : ", ") + entry.canonical();
  notices.push_back("rows differ in their base initializer (" + names +
                    "): compare schemes within one init only");
}

void add_degree_notice(const SweepPlan& plan, std::vector<std::string>& notices) {
  const auto any_of = [](const auto& axis, auto&& test) {
    return std::any_of(axis.entries().begin(), axis.entries().end(),
                       [&](const auto& entry) { return test(entry.base()); });
  };
  const bool squared = any_of(plan.activations, [](const Activation& a) { return a.kind().degree > 1; });
  const bool unscaled = any_of(plan.schemes, [](const SchemeSpec& spec) { return spec.scheme().unscaled; });
  if (unscaled && plan.depths.back() > 8 &&
      (plan.family->degree() > 1 || (squared && plan.family->uses_activation())))
    notices.push_back("branches of degree 2 (glu, relu_squared) overflow within about ten unscaled blocks");
}

/// `a, b, c and 9 more`.
std::string first_few(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), shown); ++i)
    text += (i ? ", " : "") + printable(names[i]);
  return text + (names.size() > shown ? " and " + std::to_string(names.size() - shown) + " more" : "");
}

}  // namespace

std::vector<std::string> checkpoint_notices(const CheckpointInput& model, bool final_norm_is_applied) {
  std::vector<std::string> notices;
  if (!model.outside.empty()) notices.push_back("not part of the stack: " + first_few(model.outside));
  if (!model.left_out.empty()) notices.push_back("left out: " + first_few(model.left_out));
  if (!model.final_norm.empty() && !final_norm_is_applied)
    notices.push_back("not applied: the norm after the stack, " + first_few(model.final_norm));
  return notices;
}

std::vector<std::string> plan_notices(const SweepPlan& plan) {
  std::vector<std::string> notices;
  if (plan.stack && plan.stack->checkpoint) {
    notices = checkpoint_notices(*plan.stack->checkpoint, plan.analysis.final_norm);
    if (!plan.stack->checkpoint->final_norm.empty() && !plan.analysis.final_norm &&
        plan.analysis.checks.empty())
      notices.back() += " (--final-norm applies it)";
  }
  if (plan.stack) return notices;
  add_family_notices(plan, notices);
  add_init_notice(plan, notices);
  add_degree_notice(plan, notices);
  return notices;
}

}  // namespace rezero::cli
