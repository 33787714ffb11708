#include "parts.h"

namespace rezero {

Scheme scheme_plain() {
  Scheme scheme;
  scheme.name = "plain";
  scheme.update = "x' = F(x)";
  scheme.summary = "no skip connection";
  scheme.source = "Pennington, Schoenholz & Ganguli 2018 (arXiv 1802.09979), eq. 1-2";
  scheme.depth_symbol = "none";
  scheme.unscaled = true;
  scheme.depends_on_depth = scheme_parts::ignores_depth;
  scheme.plan = [](const SchemeContext&) {
    BlockPlan plan;
    plan.skip_scale = Scale::number(0);
    return plan;
  };
  return scheme;
}

}  // namespace rezero
