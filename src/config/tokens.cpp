#include "config/tokens.h"

#include "config/axes.h"
#include "config/options.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"

namespace rezero::detail {
namespace {

constexpr Real rope_base = 10000;  // Su et al. 2021 (arXiv 2104.09864)

void require_divides(Index part, Index whole, const std::string& what) {
  if (part < 1 || whole % part != 0)
    throw UsageError(what + " (" + std::to_string(part) + " does not divide " + std::to_string(whole) + ")");
}

/// A default that every width allows: the largest of 4, 2 and 1 that divides all of them.
Index default_heads(const std::vector<Index>& widths) {
  for (const Index heads : {4, 2}) {
    bool fits = true;
    for (const Index width : widths) fits = fits && width % heads == 0;
    if (fits) return heads;
  }
  return 1;
}

}  // namespace

OptionGroup token_options() {
  const auto no_tokens = [](const Family& family) -> std::string {
    if (family.has_tokens()) return "";
    return family.has_images() ? "its positions are pixels: use --image and --batch"
                               : "its state is one vector";
  };
  const auto no_attention = [](const Family& family) -> std::string {
    return family.has_attention() ? "" : "it has no attention";
  };
  OptionGroup group{"Tokens", {}};
  group.add("tokens", &PlanOptions::tokens, "number of tokens in the input sequence")
      .named("T")
      .by_default([](const Family& family) { return std::to_string(family.default_tokens); })
      .for_any_checkpoint()
      .unless(no_tokens);
  group.add("heads", &PlanOptions::heads, "number of attention heads")
      .named("H")
      .default_text("4, 2 or 1: the most that divides every width")
      .for_any_checkpoint()
      .unless(no_attention);
  group.add("kv-heads", &PlanOptions::kv_heads, "number of key and value heads")
      .named("H")
      .default_text("same as --heads")
      .unless(no_attention);
  group.add("causal", &PlanOptions::causal, "position i attends only to positions up to i")
      .for_any_checkpoint()
      .unless(no_attention);
  group.add("rope", &PlanOptions::rope, "rotary position embedding (base 10000)").unless(no_attention);
  group
      .add("qk-norm", &PlanOptions::qk_norm,
           "norm applied to the queries and keys of each head (see list norms)")
      .named("NORM")
      .default_text("none")
      .checked_by([](const std::string& text, std::string_view) { norms().at(text); })
      .unless(no_attention);
  return group;
}

void resolve_tokens(SweepPlan& plan, const PlanOptions& options) {
  const Family& family = *plan.family;
  if (family.has_images()) return;
  plan.tokens.tokens = value_or_default(options, &PlanOptions::tokens, &family);
  require_countable(plan.widths, static_cast<Real>(plan.tokens.tokens), "--width × --tokens");
  if (!family.has_attention()) return;
  AttentionSpec& attention = plan.tokens.attention;
  attention.heads = options.heads.value_or(default_heads(plan.widths));
  attention.kv_heads = options.kv_heads.value_or(attention.heads);
  for (const Index width : plan.widths)
    require_divides(attention.heads, width, "--heads must divide every --width");
  require_divides(attention.kv_heads, attention.heads, "--kv-heads must divide --heads");
  attention.causal = options.causal.value_or(false);
  if (options.rope.value_or(false)) {
    for (const Index width : plan.widths)
      require_divides(2, width / attention.heads, "--rope needs an even width per head");
    attention.rope = rope_base;
  }
  if (!options.qk_norm) return;
  attention.qk_norm = NormSpec::of(*options.qk_norm);
  if (attention.qk_norm.kind->across_positions)
    throw UsageError("--qk-norm " + *options.qk_norm +
                     " would mix positions (use a norm of each head's features)");
}

void describe_tokens(const SweepPlan& plan, PlanOptions& options) {
  if (plan.family->has_tokens()) options.tokens = plan.tokens.tokens;
  if (!plan.family->has_attention()) return;
  const AttentionSpec& attention = plan.tokens.attention;
  options.heads = attention.heads;
  options.kv_heads = attention.kv_heads;
  options.causal = attention.causal;
  options.rope = attention.rope.has_value();
  if (attention.qk_norm) options.qk_norm = attention.qk_norm.kind->name;
}

}  // namespace rezero::detail
