#pragma once
/// The branch scale that keeps gradients of a residual stack within a bound at a given depth.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rezero/model/stack_spec.h"

namespace rezero::theory {

/// A number of a scheme that scales all branches alike.
struct ScaleParameter {
  std::string_view scheme, name;
  bool grows_with = true;  ///< branches grow with it; otherwise they shrink
};
/// fixed:alpha, rezero:alpha, skipinit:alpha, depth-power:c, depth-power:p. The first of a scheme is its
/// usual one.
const std::vector<ScaleParameter>& scale_parameters();
/// The row of that scheme; with an empty name its first. UsageError, naming the schemes or parameters with
/// rows, otherwise.
const ScaleParameter& scale_parameter(std::string_view scheme, std::string_view name);

struct ScaleSolution {
  std::string scheme;         ///< with the solution: `fixed:alpha=0.2052…`
  std::optional<Real> value;  ///< largest value of the parameter, or smallest if branches shrink with it
  std::optional<Real> alpha;  ///< the branch scale that it gives
  Real log_first_moment = 0;  ///< log m1 there
  std::string method;         ///< `exact` or `mean field`
  std::string reason;         ///< without a value: no theory, or every value keeps within the bound
};

/// The largest α for which m1 of `spec` with `depth` layers is at most `bound` > 1. All branches have the
/// same α, so that for homogeneous φ
///
///     m1 = (1 + α²χ)^L,    α = √((bound^(1/L) − 1)/χ),
///
/// except for dense branches, whose outlier is part of m1 (moments.h). It holds at any width for linear and
/// mlp branches. Otherwise the smallest root of the mean-field
/// recursion, found by doubling α from a value with a small m1 and bisection. c and p of depth-power follow
/// from α = c L^−p; p needs L > 1. UsageError for a bound ≤ 1 and for schemes without a ScaleParameter.
/// Cost: about 60 recursions.
ScaleSolution solve_scale(const StackSpec& spec, const ScaleParameter& parameter, Index depth, Real bound);

}  // namespace rezero::theory
