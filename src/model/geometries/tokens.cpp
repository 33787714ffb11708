/// One vector, or one vector for each of several tokens: the same shape in every layer.

#include "rezero/model/stack_spec.h"

namespace rezero {
namespace {

class TokenGeometry final : public RandomGeometry {
 public:
  explicit TokenGeometry(const StackSpec& spec)
      : RandomGeometry(spec),
        shape_{spec.width, spec.tokens.tokens},
        hidden_(spec.hidden()),
        attention_(spec.tokens.attention) {}

  Shape shape_after(Index) const override { return shape_; }
  BranchSizes sizes(Index) const override {
    return {shape_.features, hidden_, attention_.heads, attention_.kv_heads, {}};
  }
  void furnish(BlockParts& parts, const BlockPlan& plan, Index) const override {
    parts.attention = attention_;
    if (plan.qk_norm) parts.attention.qk_norm = plan.qk_norm;
    if (plan.attention_scale) parts.attention.scale = plan.attention_scale;
  }

 private:
  Shape shape_;
  Index hidden_;
  AttentionSpec attention_;
};

RandomGeometryPtr make(const StackSpec& spec) {
  return std::make_shared<TokenGeometry>(spec);
}

std::string_view base_law(const Scheme& scheme, const Family& family) {
  return family.has_attention() ? scheme.init : std::string_view();
}

std::vector<std::string> describe(const GeometryOptions& options, const Family& family) {
  std::vector<std::string> phrases;
  if (options.tokens.tokens != 1) phrases.push_back(std::to_string(options.tokens.tokens) + " tokens");
  if (!family.has_attention()) return phrases;
  const AttentionSpec& attention = options.tokens.attention;
  std::string heads = std::to_string(attention.heads) + (attention.heads == 1 ? " head" : " heads");
  if (attention.kv_heads != attention.heads) heads += " (" + std::to_string(attention.kv_heads) + " of keys)";
  phrases.push_back(std::move(heads));
  if (attention.causal) phrases.emplace_back("causal");
  if (attention.rope) phrases.emplace_back("rope");
  if (attention.qk_norm) phrases.push_back("qk norm " + std::string(attention.qk_norm.kind->name));
  return phrases;
}

}  // namespace

const GeometryKind& token_geometry() {
  static const GeometryKind kind = [] {
    GeometryKind tokens;
    tokens.make = make;
    tokens.base_law = base_law;
    tokens.describe = describe;
    return tokens;
  }();
  return kind;
}

/// One token.
const GeometryKind& vector_geometry() {
  static const GeometryKind kind = token_geometry();
  return kind;
}

}  // namespace rezero
