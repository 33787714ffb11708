#include "parts.h"

namespace rezero {

Scheme scheme_dyt() {
  return scheme_parts::pointwise_norm_scheme(
      {"dyt", "x' = x + F(tanh(alpha x)), or x' = tanh(alpha (x + F(x)))", "tanh instead of a norm",
       "Zhu et al. 2025 (arXiv 2503.10622)"},
      [](const SchemeContext& at) { return scheme_parts::pointwise_norm_plan(at, "dynamic_tanh"); });
}

}  // namespace rezero
