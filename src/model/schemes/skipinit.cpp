#include "parts.h"

namespace rezero {

Scheme scheme_skipinit() {
  Scheme scheme = {
      "skipinit",
      {},
      "x' = x + alpha_l F(x)",
      "a learned scalar at the end of each branch, no batch norm",
      "De & Smith 2020 (arXiv 2002.10444)",
      "d: residual branches (only where alpha is set from it)",
      {{"alpha", ParamKind::real, "0", "branch scale; the source allows 0 or at most 1/sqrt(d)"}},
      scheme_parts::ignores_depth,
      [](const SchemeContext& at) {
        return scheme_parts::branch_scaled(at.real("alpha"), ScaleRole::parameter);
      }};
  scheme.conv.order = ConvOrder::pre;
  scheme.conv.shortcut = ShortcutKind::projection;
  return scheme;
}

}  // namespace rezero
