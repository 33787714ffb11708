#include "plan_block.h"

#include <string>

#include "rezero/core/error.h"
#include "rezero/model/stack.h"

namespace rezero {
namespace {

void require_place_of_inner_norm(const StackSpec& spec, const BranchKind& branch, const BlockPlan& plan) {
  if (plan.inner_norm && !branch.has_inner_norm)
    throw UsageError("scheme '" + std::string(spec.scheme.scheme().name) +
                     "' has a norm before the branch's last matrix, and family '" +
                     std::string(spec.family->name) +
                     "' has no place for it (use mlp, glu, attention or a transformer)");
}

}  // namespace

BlockPlan plan_block(const StackSpec& spec, const RandomGeometry& geometry, Index layers, Index l,
                     const PassProfile& profile) {
  const BranchSizes sizes = geometry.sizes(l);
  const Index per_layer = geometry.blocks_per_layer();
  SchemeContext at;
  at.block = l;
  at.total_blocks = layers * per_layer;
  at.layer = l / per_layer;
  at.sublayer = l % per_layer;
  at.total_layers = layers;
  at.branch = &geometry.branch(l);
  at.width = sizes.features;
  at.outputs = geometry.shape_after(l + 1).features;
  at.heads = sizes.heads;
  at.fused_init = spec.initializer.kind().fused_attention;
  at.params = &spec.scheme.params();
  at.slots = at.branch->slots(sizes);
  at.profile = profile.blocks;
  at.measuring = profile.measuring;
  if (at.branch->is_conv) at.conv = &sizes.conv;
  at.activation = &spec.activation;
  at.since_transition = geometry.since_transition(l);
  BlockPlan plan = spec.scheme.scheme().plan(at);
  require_place_of_inner_norm(spec, *at.branch, plan);
  return plan;
}

void require_fit(const StackSpec& spec, Index depth) {
  const RandomGeometryPtr geometry = spec.geometry();
  const Index layers = geometry->layers(depth), per_layer = geometry->blocks_per_layer();
  const auto plan_layer = [&](Index layer) {
    for (Index l = layer * per_layer; l < (layer + 1) * per_layer; ++l)
      plan_block(spec, *geometry, layers, l);
  };
  for (const LayerRun& run : geometry->runs(layers)) {
    plan_layer(run.first);
    if (run.count > 1) plan_layer(run.last());
  }
}

}  // namespace rezero
