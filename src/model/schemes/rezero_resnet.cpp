#include "parts.h"

namespace rezero {

Scheme scheme_rezero_resnet() {
  Scheme scheme;
  scheme.name = "rezero-resnet";
  scheme.update = "x' = S(x) + alpha_l relu(F(x))";
  scheme.summary =
      "ReZero's residual net: batch norms stay in the branch, a relu ends it, none follows the sum";
  scheme.source = "Bachlechner et al. 2021 (arXiv 2003.04887), section 5.2, and the authors' code";
  scheme.depth_symbol = "none; one alpha per block";
  scheme.params = {{"alpha", ParamKind::real, "0", "branch scale of every block"}};
  scheme.depends_on_depth = scheme_parts::ignores_depth;
  scheme.plan = [](const SchemeContext& at) {
    BlockPlan plan = scheme_parts::branch_scaled(at.real("alpha"), ScaleRole::parameter);
    plan.branch_activation = Activation("relu");
    return plan;
  };
  scheme.made_for = {"conv"};
  scheme.conv.norm = "batch_norm";
  return scheme;
}

}  // namespace rezero
