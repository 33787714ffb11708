#include "parts.h"

namespace rezero {

Scheme scheme_pre_rms() {
  Scheme scheme;
  scheme.name = "pre-rms", scheme.aliases = {"pre-rmsnorm"};
  scheme.update = "x' = x + F(RMS(x))";
  scheme.summary = "an RMS norm before the branch";
  scheme.source = "Zhang & Sennrich 2019 (arXiv 1910.07467)";
  scheme.depth_symbol = "none";
  scheme.depends_on_depth = scheme_parts::ignores_depth;
  scheme.plan = [](const SchemeContext&) {
    BlockPlan plan;
    plan.pre_norm = scheme_parts::rms_norm();
    return plan;
  };
  scheme.init = "normal";
  return scheme;
}

}  // namespace rezero
