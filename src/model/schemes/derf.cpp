#include "parts.h"

namespace rezero {

Scheme scheme_derf() {
  return scheme_parts::pointwise_norm_scheme(
      {"derf", "x' = x + F(erf(alpha x)), or x' = erf(alpha (x + F(x)))", "erf instead of a norm",
       "arXiv 2512.10938 (2025)"},
      [](const SchemeContext& at) { return scheme_parts::pointwise_norm_plan(at, "derf"); });
}

}  // namespace rezero
