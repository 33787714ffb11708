#include "parts.h"

namespace rezero {

Scheme scheme_last_weight_scaled() {
  Scheme scheme;
  scheme.name = "last-weight-scaled";
  scheme.update = "x' = x + F(x), last weight times c L^-p";
  scheme.summary = "the branch's last weight, but not its bias, scaled at initialization by the total depth";
  scheme.source = "Radford et al. 2019 (GPT-2 report); Hoffer, Hubara & Soudry 2018";
  scheme.depth_symbol = scheme_parts::counts_blocks;
  scheme.params = {{"c", ParamKind::real, "1", "factor at L = 1"},
                   {"p", ParamKind::real, "0.5", "power of the depth"}};
  scheme.depends_on_depth = scheme_parts::uses_depth;
  scheme.plan = [](const SchemeContext& at) {
    BlockPlan plan;
    scheme_parts::set_last(plan, at,
                           {scheme_parts::depth_power(at.real("c"), at.real("p"), at.total_blocks), 1});
    return plan;
  };
  return scheme;
}

}  // namespace rezero
