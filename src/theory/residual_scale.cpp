#include "rezero/theory/residual_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rezero/core/error.h"
#include "rezero/core/registry.h"
#include "rezero/theory/mean_field.h"
#include "rezero/theory/moments.h"
#include "theory/roots.h"

namespace rezero::theory {
namespace {

/// `spec` with one number of its scheme replaced.
StackSpec with_parameter(const StackSpec& spec, std::string_view name, Real value) {
  NamedSpec named = parse_named_spec(spec.scheme.canonical());
  const auto same = [&](const auto& pair) { return pair.first == name; };
  named.params.erase(std::remove_if(named.params.begin(), named.params.end(), same), named.params.end());
  named.params.emplace_back(std::string(name), shortest(value));
  StackSpec changed = spec;
  changed.scheme = SchemeSpec(named);
  return changed;
}

/// The law with every branch scale replaced.
NetworkLaw with_scale(NetworkLaw law, Real alpha) {
  for (BlockLaw& block : law.blocks) block.scale = alpha;
  return law;
}

Real log_m1(const NetworkLaw& law) {
  return log_mean_square(law, mean_field(law));
}

/// Whether m1 is Π (1 + α²χ) with χ independent of α: a homogeneous φ, no norm, and no mean derivative.
bool is_exact(const NetworkLaw& law) {
  const auto plain_sum = [&](const BlockLaw& block) {
    return block.norm == NormPlacement::none && block.skip == 1 &&
           (block.form == BranchForm::linear ||
            (law.activation.homogeneous() &&
             (block.form != BranchForm::dense || law.activation.is_identity())));
  };
  return std::all_of(law.blocks.begin(), law.blocks.end(), plain_sum);
}

/// α with Π (1 + α²χ) = bound, all χ equal.
Real exact_alpha(const NetworkLaw& law, Real log_bound) {
  const Real chi = mean_field(with_scale(law, 1e-3)).blocks.front().branch_slope;
  return std::sqrt(std::expm1(log_bound / static_cast<Real>(law.blocks.size())) / chi);
}

/// The smallest α at which log m1 passes the bound; nothing if it does not up to 1e6.
std::optional<Real> root_alpha(const NetworkLaw& law, Real log_bound) {
  constexpr Real first = 1e-8, last = 1e6;
  const auto excess = [&](Real alpha) { return log_m1(with_scale(law, alpha)) - log_bound; };
  Real low = first, high = first;
  while (excess(high) <= 0) {
    if (high >= last) return std::nullopt;
    low = high, high *= 2;
  }
  return high == first ? std::optional<Real>(0) : detail::bisect_log(excess, low, high);
}

/// The parameter of the scheme that gives α.
std::optional<Real> value_for(const ScaleParameter& parameter, const SchemeSpec& scheme, Real alpha,
                              Index blocks) {
  if (parameter.scheme != "depth-power") return alpha;
  const Real log_blocks = std::log(static_cast<Real>(blocks));
  if (parameter.name == "c") return alpha * std::exp(scheme.params().real("p") * log_blocks);
  const Real c = std::abs(scheme.params().real("c"));
  if (blocks == 1 || c == 0 || alpha == 0) return std::nullopt;
  return std::log(c / alpha) / log_blocks;
}

}  // namespace

const std::vector<ScaleParameter>& scale_parameters() {
  static const std::vector<ScaleParameter> rows = {{"fixed", "alpha"},
                                                   {"rezero", "alpha"},
                                                   {"skipinit", "alpha"},
                                                   {"depth-power", "c"},
                                                   {"depth-power", "p", false}};
  return rows;
}

const ScaleParameter& scale_parameter(std::string_view scheme, std::string_view name) {
  std::vector<std::string_view> known_schemes, known_names;
  for (const ScaleParameter& row : scale_parameters()) {
    if (row.scheme == scheme && (name.empty() || row.name == name)) return row;
    if (row.scheme == scheme) known_names.push_back(row.name);
    if (known_schemes.empty() || known_schemes.back() != row.scheme) known_schemes.push_back(row.scheme);
  }
  if (!known_names.empty())
    throw UsageError(
        unknown_name_message("branch scale of scheme " + std::string(scheme), name, known_names));
  throw UsageError("scheme '" + std::string(scheme) +
                   "' has no number that scales all branches alike (those of " + joined(known_schemes) +
                   " do)");
}

ScaleSolution solve_scale(const StackSpec& spec, const ScaleParameter& parameter, Index depth, Real bound) {
  if (!(bound > 1 && std::isfinite(bound)))
    throw UsageError("the bound of m1 must be above 1 (a residual branch never makes m1 smaller)");
  ScaleSolution solution;
  solution.scheme = spec.scheme.canonical();
  // Described with a branch that is not switched off, whatever the values of the scheme are.
  const Real start = parameter.scheme == "depth-power" && parameter.name == "p" ? 0 : 1;
  const Described described = describe(with_parameter(spec, parameter.name, start), depth);
  if (!described.law) {
    solution.reason = described.reason;
    return solution;
  }
  const NetworkLaw& law = *described.law;
  const bool exact = is_exact(law);
  solution.method = exact ? "exact" : "mean field";
  const Real log_bound = std::log(bound);
  const std::optional<Real> alpha = exact ? exact_alpha(law, log_bound) : root_alpha(law, log_bound);
  if (!alpha || !std::isfinite(*alpha)) {
    solution.reason = "every branch scale keeps m1 below the bound";
    return solution;
  }
  solution.alpha = alpha;
  solution.log_first_moment = log_m1(with_scale(law, *alpha));
  solution.value = value_for(parameter, spec.scheme, *alpha, static_cast<Index>(law.blocks.size()));
  if (solution.value)
    solution.scheme = with_parameter(spec, parameter.name, *solution.value).scheme.canonical();
  else
    solution.reason = "no power of the depth gives this branch scale";
  return solution;
}

}  // namespace rezero::theory
