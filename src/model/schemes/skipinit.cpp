#include "parts.h"

namespace rezero {

Scheme scheme_skipinit() {
  Scheme scheme;
  scheme.name = "skipinit";
  scheme.update = "x' = x + alpha_l F(x)";
  scheme.summary = "a learned scalar at the end of each branch, no batch norm";
  scheme.source = "De & Smith 2020 (arXiv 2002.10444)";
  scheme.depth_symbol = "d: residual branches (only where alpha is set from it)";
  scheme.params = {{"alpha", ParamKind::real, "0", "branch scale; the source allows 0 or at most 1/sqrt(d)"}};
  scheme.depends_on_depth = scheme_parts::ignores_depth;
  scheme.plan = [](const SchemeContext& at) {
    return scheme_parts::branch_scaled(at.real("alpha"), ScaleRole::parameter);
  };
  scheme.conv.order = ConvOrder::pre;
  scheme.conv.shortcut = ShortcutKind::projection;
  return scheme;
}

}  // namespace rezero
