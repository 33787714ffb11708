#include "parts.h"

namespace rezero {

Scheme scheme_residual() {
  return {"residual",
          {"unscaled"},
          "x' = x + F(x)",
          "the branch added as it is",
          "He et al. 2016 (arXiv 1603.05027)",
          "none",
          {},
          scheme_parts::ignores_depth,
          [](const SchemeContext&) { return BlockPlan{}; }};
}

}  // namespace rezero
