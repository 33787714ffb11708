#include "parts.h"

#include "rezero/core/error.h"

namespace rezero {
namespace {

Real alpha_of(const SchemeContext& at) {
  const std::vector<Real>& alphas = at.params->series("alphas");
  if (alphas.empty()) return at.real("alpha");
  const bool shared = at.params->text("shared") == "true";
  const Index needed = shared ? at.total_layers : at.total_blocks;
  if (static_cast<Index>(alphas.size()) != needed)
    throw UsageError(
        "scheme 'rezero' was given " + std::to_string(alphas.size()) + " alphas for " +
        std::to_string(needed) +
        (shared ? " layers (one number per layer is needed)" : " blocks (one number per block is needed)"));
  return alphas[static_cast<std::size_t>(shared ? at.layer : at.block)];
}

}  // namespace

Scheme scheme_rezero() {
  Scheme scheme;
  scheme.name = "rezero";
  scheme.update = "x' = x + alpha_l F(x)";
  scheme.summary = "a learned scalar per block that starts at zero";
  scheme.source = "Bachlechner et al. 2021 (arXiv 2003.04887), eq. 4";
  scheme.depth_symbol = "none; one alpha per layer";
  scheme.params = {
      {"alpha", ParamKind::real, "0", "branch scale of every block"},
      {"alphas", ParamKind::series, "",
       "file (.json or .npy) with one branch scale per layer (per block if not shared)"},
      {"shared", ParamKind::choice, "true", "one alpha for all blocks of a layer", {"true", "false"}}};
  scheme.depends_on_depth = [](const Params& params) { return !params.text("alphas").empty(); };
  scheme.plan = [](const SchemeContext& at) {
    return scheme_parts::branch_scaled(alpha_of(at), ScaleRole::parameter);
  };
  scheme.init = scheme_parts::transformer_init;
  return scheme;
}

}  // namespace rezero
