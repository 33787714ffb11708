#include "rezero/model/geometry.h"

#include <gtest/gtest.h>

#include "rezero/model/stack.h"

namespace rezero {
namespace {

/// A stack of every family, and nets over images that change their shape.
std::vector<StackSpec> specs() {
  std::vector<StackSpec> all;
  for (const Family& family : families()) {
    StackSpec& spec = all.emplace_back("residual", family.name);
    spec.width = 8;
    spec.tokens.attention.heads = spec.tokens.attention.kv_heads = 2;
  }
  for (const bool bottleneck : {false, true}) {
    StackSpec& spec = all.emplace_back("residual", "conv");
    spec.conv.image = {5, 4, 2};
    spec.conv.bottleneck = bottleneck;
    spec.conv.stages = {2, 3, 1};
    spec.conv.widths = {4, 8, 12};
    spec.conv.shortcut = ShortcutKind::projection;
  }
  return all;
}

Real numbers(const BranchWeights& weights) {
  Real sum = 0;
  for (const auto& weight : weights) sum += static_cast<Real>(weight.second.weight->size());
  return sum;
}

/// What a geometry says without drawing is what the blocks are; a projection of the skip is no weight of a
/// branch.
TEST(LawGeometry, AgreesWithTheBlocks) {
  for (const StackSpec& spec : specs()) {
    SCOPED_TRACE(spec.family->name);
    const RandomGeometryPtr geometry = spec.geometry();
    const StackPtr stack = build_stack(spec, 1, 6);
    const Index per_layer = geometry->blocks_per_layer();
    ASSERT_EQ(stack->blocks(), geometry->layers(6) * per_layer);
    std::vector<Real> largest(static_cast<std::size_t>(geometry->layers(6)), 0);
    for (Index l = 0; l < stack->blocks(); ++l) {
      const BlockPtr block = stack->block(l);
      EXPECT_EQ(block->input_shape(), geometry->shape_after(l));
      EXPECT_EQ(block->output_shape(), geometry->shape_after(l + 1));
      BranchWeights weights = block->parts().weights;
      weights.erase(Role::shortcut);
      Real& most = largest[static_cast<std::size_t>(l / per_layer)];
      most = std::max(most, numbers(weights));
    }
    for (Index layer = 0; layer < geometry->layers(6); ++layer)
      EXPECT_EQ(geometry->work(layer).weights, largest[static_cast<std::size_t>(layer)]);
  }
}

/// Runs cover the layers in order; behind its first layer a run is of one shape and one work.
TEST(LawGeometry, RunsAreOfEqualLayers) {
  for (const StackSpec& spec : specs())
    for (const Index depth : {1, 3, 6}) {
      SCOPED_TRACE(spec.family->name);
      const RandomGeometryPtr geometry = spec.geometry();
      Index next = 0;
      for (const LayerRun& run : geometry->runs(depth)) {
        EXPECT_EQ(run.first, next);
        next += run.count;
        for (Index layer = run.first + 1; layer <= run.last(); ++layer) {
          EXPECT_EQ(geometry->shape_after((layer + 1) * geometry->blocks_per_layer()),
                    geometry->shape_after((run.first + 1) * geometry->blocks_per_layer()));
          EXPECT_EQ(geometry->work(layer).flops_per_column, geometry->work(run.last()).flops_per_column);
        }
      }
      EXPECT_EQ(next, depth);
    }
}

TEST(Geometry, OfASliceIsThatOfItsBlocks) {
  const StackSpec net = specs().back();  // stages of 2, 3 and 1 blocks
  const StackPtr stack = build_stack(net, 1, 6);
  const StackPtr slice = slice_stack(stack, 1, 5, Vector::Zero(stack->shape_after(1).size()));
  for (Index l = 0; l <= 5; ++l) EXPECT_EQ(slice->shape_after(l), stack->shape_after(l + 1));
  for (Index layer = 0; layer < 5; ++layer)
    EXPECT_EQ(slice->geometry().work(layer).weights, stack->geometry().work(layer + 1).weights);
  const std::vector<LayerRun> runs = slice->geometry().runs(5);
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0].count, 1);
  EXPECT_EQ(runs[1].first, 1);
  EXPECT_EQ(runs[2].last(), 4);
}

TEST(StackSpec, StartsFromTheDefaultsOfSchemeAndFamily) {
  const StackSpec mlp("depth-power:p=0.75", "mlp"), transformer("post-ln", "transformer"),
      net("zero-gamma", "conv");
  EXPECT_EQ(mlp.scheme.canonical(), "depth-power:p=0.75");
  EXPECT_EQ(mlp.width, 64);
  EXPECT_EQ(mlp.initializer.canonical(), "he");
  EXPECT_EQ(transformer.tokens.tokens, 16);
  EXPECT_EQ(transformer.hidden(), 256);
  EXPECT_EQ(transformer.initializer.canonical(), "xavier:law=uniform");
  EXPECT_EQ(net.width, 16);
  EXPECT_EQ(net.initializer.canonical(), "he:mode=fan_out");
  EXPECT_EQ(net.geometry()->labels().norm, "batch_norm");
}

}  // namespace
}  // namespace rezero
