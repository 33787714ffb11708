#include "parts.h"
#include "rezero/core/error.h"

namespace rezero {
namespace {

BlockPlan plan(const SchemeContext& at) {
  if (!at.conv || at.conv->order == ConvOrder::pre || at.conv->norms.empty())
    throw UsageError(
        "scheme 'zero-gamma' needs a norm at the end of the branch (use --family conv --order post with a "
        "norm)");
  if (!at.conv->norms.back().kind->has_weight)
    throw UsageError("scheme 'zero-gamma' needs a norm with a weight, and '" +
                     std::string(at.conv->norms.back().kind->name) + "' has none");
  BlockPlan result;
  result.last_norm_weight = 0;
  return result;
}

}  // namespace

Scheme scheme_zero_gamma() {
  Scheme scheme;
  scheme.name = "zero-gamma";
  scheme.aliases = {"zero-init-residual"};
  scheme.update = "x' = x + BN_gamma=0(conv(...))";
  scheme.summary =
      "the weight of each branch's last batch norm starts at zero; with --outer-activation as published";
  scheme.source = "Goyal et al. 2017 (arXiv 1706.02677)";
  scheme.depth_symbol = "none";
  scheme.depends_on_depth = scheme_parts::ignores_depth;
  scheme.plan = plan;
  scheme.made_for = {"conv"};
  scheme.needs_convolutions = true;
  scheme.conv.norm = "batch_norm";
  scheme.conv.shortcut = ShortcutKind::projection;
  scheme.conv.init = "he:mode=fan_out";
  return scheme;
}

}  // namespace rezero
