#include "parts.h"

namespace rezero {

Scheme scheme_plain() {
  return {"plain",
          {},
          "x' = F(x)",
          "no skip connection",
          "Pennington, Schoenholz & Ganguli 2018 (arXiv 1802.09979), eq. 1-2",
          "none",
          {},
          scheme_parts::ignores_depth,
          [](const SchemeContext&) {
            BlockPlan plan;
            plan.skip_scale = Scale::number(0);
            return plan;
          }};
}

}  // namespace rezero
