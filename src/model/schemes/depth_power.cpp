#include "parts.h"

namespace rezero {

Scheme scheme_depth_power() {
  return {"depth-power",
          {"depth-scaled"},
          "x' = x + c L^-p F(x)",
          "a branch scale that falls with the total depth",
          "Marion et al. 2022 (arXiv 2206.06929)",
          scheme_parts::counts_blocks,
          {{"c", ParamKind::real, "1", "branch scale at L = 1"},
           {"p", ParamKind::real, "0.5", "power of the depth"}},
          scheme_parts::uses_depth,
          [](const SchemeContext& at) {
            return scheme_parts::branch_scaled(
                scheme_parts::depth_power(at.real("c"), at.real("p"), at.total_blocks), ScaleRole::constant);
          }};
}

}  // namespace rezero
