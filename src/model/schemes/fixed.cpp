#include "parts.h"

namespace rezero {

Scheme scheme_fixed() {
  Scheme scheme;
  scheme.name = "fixed";
  scheme.aliases = {"fixed-alpha"};
  scheme.update = "x' = x + alpha F(x)";
  scheme.summary = "a constant branch scale";
  scheme.source = "derived here";
  scheme.depth_symbol = "none";
  scheme.params = {
      {"alpha", ParamKind::real, "0.1", "branch scale, the same in every block and never trained"}};
  scheme.depends_on_depth = scheme_parts::ignores_depth;
  scheme.plan = [](const SchemeContext& at) {
    return scheme_parts::branch_scaled(at.real("alpha"), ScaleRole::constant);
  };
  return scheme;
}

}  // namespace rezero
