#include "parts.h"

namespace rezero {

Scheme scheme_residual() {
  Scheme scheme;
  scheme.name = "residual";
  scheme.aliases = {"unscaled"};
  scheme.update = "x' = x + F(x)";
  scheme.summary = "the branch added without scaling";
  scheme.source = "He et al. 2016 (arXiv 1603.05027)";
  scheme.depth_symbol = "none";
  scheme.unscaled = true;
  scheme.depends_on_depth = scheme_parts::ignores_depth;
  scheme.plan = [](const SchemeContext&) { return BlockPlan{}; };
  return scheme;
}

}  // namespace rezero
