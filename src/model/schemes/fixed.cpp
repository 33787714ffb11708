#include "parts.h"

namespace rezero {

Scheme scheme_fixed() {
  return {"fixed",
          {"fixed-alpha"},
          "x' = x + alpha F(x)",
          "a constant branch scale",
          "derived here",
          "none",
          {{"alpha", ParamKind::real, "0.1", "branch scale, the same in every block and never trained"}},
          scheme_parts::ignores_depth,
          [](const SchemeContext& at) {
            return scheme_parts::branch_scaled(at.real("alpha"), ScaleRole::constant);
          }};
}

}  // namespace rezero
