#include "config/contradictions.h"

#include "config/names.h"
#include "rezero/core/error.h"
#include "rezero/spectrum/method.h"

namespace rezero::detail {
namespace {

void refuse_beside_stack(const PlanOptions& options) {
  const std::pair<std::string_view, bool> given[] = {
      {"--scheme", options.scheme.has_value()},
      {"--family", options.family.has_value()},
      {"--width", options.width.has_value()},
      {"--hidden-ratio", options.hidden_ratio.has_value()},
      {"--activation", options.activation.has_value()},
      {"--init", options.init.has_value()},
      {"--tied", options.tied.value_or(false)},
      {"--seed", options.seed.has_value()},
      {"--tokens", options.tokens.has_value()},
      {"--heads", options.heads.has_value()},
      {"--kv-heads", options.kv_heads.has_value()},
      {"--causal", options.causal.value_or(false)},
      {"--rope", options.rope.value_or(false)},
      {"--qk-norm", options.qk_norm.has_value()},
      {"--image", options.image.has_value()},
      {"--batch", options.batch.has_value()},
      {"--kernel", options.kernel.has_value()},
      {"--padding", options.padding.has_value()},
      {"--order", options.order.has_value()},
      {"--norm", options.norm.has_value()},
      {"--bn-statistics", options.bn_statistics.has_value()},
      {"--shortcut", options.shortcut.has_value()},
      {"--bottleneck", options.bottleneck.value_or(false)},
      {"--outer-activation", options.outer_activation.value_or(false)},
      {"--stages", options.stages.has_value()},
      {"--widths", options.widths.has_value()}};
  for (const auto& [name, there] : given)
    if (there)
      throw UsageError(std::string(name) +
                       " and --stack contradict each other (the stack file holds its own blocks)");
}

}  // namespace

void refuse_contradictions(const PlanOptions& options, PlanUse use) {
  if (options.stack) refuse_beside_stack(options);
  if (use == PlanUse::verify) {
    if (!options.stack && !options.scheme)
      throw UsageError("nothing to verify: give --scheme NAME or --stack FILE");
    return;
  }
  const bool unusual = options.cotangent && cotangent_law(*options.cotangent) != CotangentLaw::random;
  if (unusual && !options.profile.value_or(false))
    throw UsageError("--cotangent " + *options.cotangent +
                     " needs --profile (nothing else uses a cotangent)");
}

void refuse_misfits(const PlanOptions& options, const Family& family) {
  const std::string name(family.name);
  if (options.hidden_ratio && !family.has_hidden())
    throw UsageError("--hidden-ratio contradicts --family " + name + " (it has no hidden layer)");
  if (options.activation && !family.uses_activation())
    throw UsageError("--activation contradicts --family " + name + " (it has no activation)");
}

void refuse_impossible_request(const AnalysisOptions& analysis, Index dimension) {
  const Index wanted = analysis.top + analysis.bottom;
  const std::string size = std::to_string(dimension);
  if (wanted > dimension) {
    const std::string top = "--top " + std::to_string(analysis.top),
                      bottom = "--bottom " + std::to_string(analysis.bottom);
    const bool both = analysis.top > 0 && analysis.bottom > 0;
    throw UsageError((both ? top + " and " + bottom + " ask" : (analysis.top > 0 ? top : bottom) + " asks") +
                     " for more than the " + size + " singular values there are");
  }
  if (analysis.method == "auto") return;
  const SpectrumMethod& method = spectrum_methods().at(analysis.method);
  if (method.max_dimension > 0 && dimension > method.max_dimension)
    throw UsageError("--method " + analysis.method + " takes dimensions up to " +
                     std::to_string(method.max_dimension) + ", not " + size + ": use dense");
  if (method.gives == SpectrumScope::full) return;
  if (method.gives == SpectrumScope::density) {
    if (wanted > 0)
      throw UsageError("--method " + analysis.method +
                       " gives a distribution, no values: leave out --top and --bottom");
    return;
  }
  if (wanted == 0)
    throw UsageError("--method " + analysis.method + " needs --top or --bottom (it cannot give all values)");
  if (wanted == dimension)
    throw UsageError("--method " + analysis.method + " cannot give all " + size + " values: use dense");
}

}  // namespace rezero::detail
