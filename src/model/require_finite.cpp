#include "model/require_finite.h"

#include <cmath>
#include <string>

#include "rezero/core/error.h"
#include "rezero/linalg/scaled_matrix.h"

namespace rezero {
namespace {

using Norms = std::vector<const NormSpec*>;

/// The norms through which the state passes, apart from the branch.
Norms outer_norms(const BlockParts& parts) {
  Norms all;
  if (parts.shortcut_norm) all.push_back(&parts.shortcut_norm);
  for (const NormPlace& place : norm_places)
    if (const NormSpec& norm = parts.*place.at; place.stage == Stage::after_sum && norm) all.push_back(&norm);
  return all;
}

/// The first norm that may be the cause.
std::string quotient_of_zeros(const Norms& norms) {
  for (const NormSpec* norm : norms)
    if (norm->undefined_at_zero())
      return ", or its " + std::string(norm->kind->name) + (norm->kind->find("eps") ? " with eps 0" : "") +
             " divided zero by zero";
  return {};
}

void check(const Vector& x, Index block, const std::string& what, const Norms& norms) {
  if (!std::isfinite(max_abs(x)))
    throw NumericalError("block " + std::to_string(block) + ": the " + what +
                         " is not finite (it overflowed" + quotient_of_zeros(norms) + ")");
}

}  // namespace

void require_finite(Index l, const Block& block, const Vector& x, const BlockLinearization& at) {
  const BlockParts* parts = block.residual_parts();
  if (!parts) return require_finite(l, block, x, at.value);
  check(at.branch_value, l, "branch output", parts->branch_norms());
  check(at.value, l, "state", outer_norms(*parts));
}

void require_finite(Index l, const Block& block, const Vector& x, const Vector& state) {
  if (const BlockParts* parts = block.residual_parts()) {
    Norms all = parts->branch_norms();
    for (const NormSpec* norm : outer_norms(*parts)) all.push_back(norm);
    return check(state, l, "state", all);
  }
  if (std::isfinite(max_abs(state))) return;
  const std::string why = block.why_not_finite(x);
  throw NumericalError("block " + std::to_string(l) + ": the state is not finite" +
                       (why.empty() ? "" : " (" + why + ")"));
}

}  // namespace rezero
