#include "rezero/config/plan_options.h"

#include <algorithm>

namespace rezero {
namespace {

template <class T>
void take(std::optional<T>& field, const std::optional<T>& over) {
  if (over) field = over;
}

}  // namespace

PlanOptions merge(const PlanOptions& base, const PlanOptions& over) {
  PlanOptions out = base;
  take(out.scheme, over.scheme), take(out.family, over.family);
  take(out.depth, over.depth), take(out.width, over.width), take(out.hidden_ratio, over.hidden_ratio);
  take(out.activation, over.activation), take(out.init, over.init), take(out.tied, over.tied);
  take(out.seed, over.seed), take(out.input, over.input), take(out.stack, over.stack);
  take(out.method, over.method), take(out.top, over.top), take(out.bottom, over.bottom);
  take(out.values, over.values), take(out.profile, over.profile), take(out.cotangent, over.cotangent);
  take(out.tokens, over.tokens), take(out.heads, over.heads), take(out.kv_heads, over.kv_heads);
  take(out.causal, over.causal), take(out.rope, over.rope), take(out.qk_norm, over.qk_norm);
  take(out.image, over.image), take(out.batch, over.batch), take(out.kernel, over.kernel);
  take(out.padding, over.padding), take(out.order, over.order), take(out.norm, over.norm);
  take(out.bn_statistics, over.bn_statistics), take(out.shortcut, over.shortcut);
  take(out.bottleneck, over.bottleneck), take(out.outer_activation, over.outer_activation);
  take(out.stages, over.stages), take(out.widths, over.widths);
  take(out.wrt, over.wrt), take(out.of, over.of), take(out.final_norm, over.final_norm);
  take(out.check, over.check);
  for (const InputFile& file : over.files) {
    const auto same = [&](const InputFile& known) { return known.path == file.path; };
    out.files.erase(std::remove_if(out.files.begin(), out.files.end(), same), out.files.end());
    out.files.push_back(file);
  }
  return out;
}

}  // namespace rezero
