#include "config/tokens.h"

#include "rezero/core/error.h"
#include "rezero/core/registry.h"

namespace rezero::detail {
namespace {

constexpr Real rope_base = 10000;  // Su et al. 2021 (arXiv 2104.09864)

void refuse_unless(bool fits, bool given, std::string_view option, const Family& family,
                   std::string_view why) {
  if (given && !fits)
    throw UsageError(std::string(option) + " contradicts --family " + std::string(family.name) + " (" +
                     std::string(why) + ")");
}

void refuse_misfits(const PlanOptions& options, const Family& family) {
  refuse_unless(
      family.has_tokens, options.tokens.has_value(), "--tokens", family,
      family.is_conv() ? "its positions are pixels: use --image and --batch" : "its state is one vector");
  constexpr std::string_view no_attention = "it has no attention";
  const bool attends = family.has_attention();
  refuse_unless(attends, options.heads.has_value(), "--heads", family, no_attention);
  refuse_unless(attends, options.kv_heads.has_value(), "--kv-heads", family, no_attention);
  refuse_unless(attends, options.causal.value_or(false), "--causal", family, no_attention);
  refuse_unless(attends, options.rope.value_or(false), "--rope", family, no_attention);
  refuse_unless(attends, options.qk_norm.has_value(), "--qk-norm", family, no_attention);
}

void require_divides(Index part, Index whole, const std::string& what) {
  if (part < 1 || whole % part != 0)
    throw UsageError(what + " (" + std::to_string(part) + " does not divide " + std::to_string(whole) + ")");
}

/// A default that every width allows: the most of 4, 2 and 1 that divides it.
Index default_heads(const std::vector<Index>& widths) {
  for (const Index heads : {4, 2}) {
    bool fits = true;
    for (const Index width : widths) fits = fits && width % heads == 0;
    if (fits) return heads;
  }
  return 1;
}

}  // namespace

void resolve_tokens(SweepPlan& plan, const PlanOptions& options) {
  const Family& family = *plan.family;
  refuse_misfits(options, family);
  plan.tokens.tokens = options.tokens.value_or(family.default_tokens);
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

Index token_of(const std::string& text, std::string_view option) {
  constexpr std::string_view prefix = "token:";
  if (text.compare(0, prefix.size(), prefix) != 0)
    throw UsageError(std::string(option) + " '" + printable(text) + "' is not token:i");
  const std::int64_t token = parse_integer(std::string_view(text).substr(prefix.size()), option);
  if (token < 0)
    throw UsageError(std::string(option) + " '" + printable(text) + "': tokens are counted from 0");
  return token;
}

TokenView resolve_view(const PlanOptions& options, Index positions) {
  TokenView view;
  if (options.wrt) view.wrt = token_of(*options.wrt, "--wrt");
  if (options.of) view.of = token_of(*options.of, "--of");
  for (const auto& [token, option] : {std::pair(view.wrt, "--wrt"), std::pair(view.of, "--of")})
    if (token && *token >= positions)
      throw UsageError(std::string(option) + " token:" + std::to_string(*token) + " is beyond the " +
                       std::to_string(positions) + " tokens there are");
  return view;
}

}  // namespace rezero::detail
