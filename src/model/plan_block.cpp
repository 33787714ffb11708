#include "plan_block.h"

#include <string>

#include "rezero/core/error.h"
#include "rezero/model/stack.h"

namespace rezero {
namespace {

/// Residual additions before a block, since the input or the last block that changed the shape.
Index since_transition(const ConvNetSpec& net, Index l) {
  const StagePlace place = stage_place(net, l);
  return place.transition ? net.stages[static_cast<std::size_t>(place.stage - 1)] : place.block;
}

void require_place_of_inner_norm(const StackSpec& spec, const BranchKind& branch, const BlockPlan& plan) {
  if (plan.inner_norm && !branch.has_positions)
    throw UsageError("scheme '" + std::string(spec.scheme.scheme().name) +
                     "' has a norm before the branch's last matrix, and family '" +
                     std::string(spec.family->name) +
                     "' has no place for it (use mlp, glu, attention or a transformer)");
}

}  // namespace

BlockPlan plan_block(const StackSpec& spec, Index layers, Index l, const PassProfile& profile) {
  const BranchSizes sizes = spec.sizes(l);
  const std::vector<const BranchKind*> kinds = spec.family->branches();
  const auto per_layer = static_cast<Index>(kinds.size());
  SchemeContext at;
  at.block = l, at.total_blocks = layers * per_layer;
  at.layer = l / per_layer, at.sublayer = l % per_layer, at.total_layers = layers;
  at.branch = kinds[static_cast<std::size_t>(at.sublayer)];
  at.width = sizes.features, at.outputs = at.branch->is_conv ? sizes.conv.outputs : sizes.features;
  at.heads = spec.tokens.attention.heads;
  at.fused_init = spec.initializer.kind().fused_attention;
  at.params = &spec.scheme.params();
  at.slots = at.branch->slots(sizes);
  at.profile = profile.blocks, at.measuring = profile.measuring;
  if (at.branch->is_conv) at.conv = &sizes.conv;
  at.activation = &spec.activation;
  at.since_transition = since_transition(spec.conv, l);
  BlockPlan plan = spec.scheme.scheme().plan(at);
  require_place_of_inner_norm(spec, *at.branch, plan);
  return plan;
}

void require_fit(const StackSpec& spec, Index depth) {
  const Index layers = spec.layers(depth), per_layer = static_cast<Index>(spec.family->blocks.size());
  for (const Index layer : spec.stage_ends(layers))
    for (Index l = layer * per_layer; l < (layer + 1) * per_layer; ++l) plan_block(spec, layers, l);
}

}  // namespace rezero
