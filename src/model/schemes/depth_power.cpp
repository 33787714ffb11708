#include "parts.h"

namespace rezero {

Scheme scheme_depth_power() {
  Scheme scheme;
  scheme.name = "depth-power";
  scheme.aliases = {"depth-scaled"};
  scheme.update = "x' = x + c L^-p F(x)";
  scheme.summary = "a branch scale that falls with the total depth";
  scheme.source = "Marion et al. 2022 (arXiv 2206.06929)";
  scheme.depth_symbol = scheme_parts::counts_blocks;
  scheme.params = {{"c", ParamKind::real, "1", "branch scale at L = 1"},
                   {"p", ParamKind::real, "0.5", "power of the depth"}};
  scheme.depends_on_depth = scheme_parts::uses_depth;
  scheme.plan = [](const SchemeContext& at) {
    return scheme_parts::branch_scaled(scheme_parts::depth_power(at.real("c"), at.real("p"), at.total_blocks),
                                       ScaleRole::constant);
  };
  return scheme;
}

}  // namespace rezero
