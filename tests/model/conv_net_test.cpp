/// Nets over images: geometry of stages, what schemes do to convolutional blocks, and exact facts.

#include <gtest/gtest.h>

#include <cmath>

#include "rezero/analysis/observe.h"
#include "rezero/core/error.h"
#include "support/layer_cases.h"
#include "support/stacks.h"

namespace rezero {
namespace {

using testing::StackText;

StackText conv_text(const std::string& scheme, Index width = 3, ImageSpec image = {4, 4, 1}) {
  StackText text{scheme, "conv", width};
  text.conv.image = image;
  return text;
}

StackText resnet(const std::string& scheme) {
  StackText text = conv_text(scheme, 2, {5, 4, 2});
  text.conv.stages = {2, 3, 1};
  text.conv.widths = {2, 4, 8};
  return text;
}

Spectrum spectrum_of(const ScaledMatrix& J) {
  return compute_spectrum(J, {});
}

TEST(ConvNet, StagesChangeTheShapeAtTheirFirstBlock) {
  const StackPtr net = testing::stack(resnet("residual"), 3, 6);
  const Shape shapes[] = {{2, 40}, {2, 40}, {2, 40}, {4, 12},
                          {4, 12}, {4, 12}, {8, 4}};  // 5×4, 3×2, 2×1 pixels
  Vector x = net->input();
  for (Index l = 0; l < 6; ++l) {
    SCOPED_TRACE(l);
    const BlockPtr block = net->block(l);
    EXPECT_EQ(block->input_shape(), shapes[l]);
    EXPECT_EQ(block->output_shape(), shapes[l + 1]);
    EXPECT_EQ(net->shape_after(l), shapes[l]);
    EXPECT_EQ(block->parts().shortcut, l == 2 || l == 5 ? ShortcutKind::subsample : ShortcutKind::identity);
    x = block->evaluate(x);
  }
  EXPECT_EQ(net->shape_after(6), shapes[6]);
  EXPECT_EQ(x.size(), 32);
}

/// J of a net is the product of its blocks' derivatives, rectangular if the shape changes.
TEST(ConvNet, JacobianOfANetIsTheProductOfItsBlocks) {
  for (const ShortcutKind shortcut : {ShortcutKind::subsample, ShortcutKind::projection}) {
    StackText text = resnet("residual");
    text.conv.shortcut = shortcut;
    text.conv.norm = NormSpec::of("batch_norm");
    const StackPtr net = testing::stack(text, 4, 6);
    Vector x = net->input();
    Matrix J = Matrix::Identity(x.size(), x.size());
    for (Index l = 0; l < 6; ++l) {
      const Linearization at = net->block(l)->linearize(x);
      J = to_dense(*at.derivative) * J;
      x = at.value;
    }
    const testing::KeptStep last = testing::last_step(*net);
    EXPECT_EQ(last.jacobian.mantissa.rows(), 32);
    EXPECT_EQ(last.jacobian.mantissa.cols(), 80);
    EXPECT_LT((testing::plain(last.jacobian) - J).norm(), 1e-13 * J.norm());
    EXPECT_LT((testing::plain(last.state) - x).norm(), 1e-13 * x.norm());
  }
}

TEST(ConvNet, SliceIsTheMiddleOfTheStack) {
  const StackPtr net = testing::stack(resnet("fixed"), 4, 6);
  Vector x = net->input();
  for (Index l = 0; l < 3; ++l) x = net->block(l)->evaluate(x);
  const StackPtr slice = slice_stack(net, 3, 2, x);
  EXPECT_EQ(slice->blocks(), 2);
  EXPECT_EQ(slice->shape(), (Shape{4, 12}));
  EXPECT_EQ(slice->block(1)->evaluate(x), net->block(4)->evaluate(x));
}

/// A gamma of zero leaves only a relu of each state: every J is the same 0/1 mask, and its values are 0 and
/// 1.
TEST(ConvNet, ZeroGammaWithOuterReluIsAMask) {
  StackText text = conv_text("zero-gamma", 3, {4, 4, 2});
  text.conv.outer_activation = true;
  const StackPtr net = testing::stack(text, 6, 12);
  const Index n = net->shape().size();
  const Vector x0 = net->input();
  Matrix mask = Matrix::Zero(n, n);
  for (Index i = 0; i < n; ++i) mask(i, i) = x0(i) > 0 ? 1 : 0;
  for (const testing::KeptStep& step : testing::steps(*net, Matrix::Identity(n, n), {1, 5, 12})) {
    EXPECT_EQ(testing::plain(step.jacobian), mask) << step.blocks;
    EXPECT_EQ(testing::plain(step.state), Vector(x0.cwiseMax(0)));
    const Spectrum spectrum = spectrum_of(step.jacobian);
    ASSERT_TRUE(spectrum.accuracy.certified);
    for (const ScaledReal& sigma : spectrum.sigma)
      EXPECT_TRUE(*sigma.to_real() == 0 || *sigma.to_real() == 1);
    EXPECT_EQ(spectrum.null_directions, (x0.array() <= 0).count());
  }
}

TEST(ConvNet, SchemesThatStartAtTheIdentity) {
  for (const char* scheme :
       {"rezero", "skipinit", "fixup", "zero-last-weight", "rezero-resnet", "zero-gamma", "nf-resnet"})
    for (const bool bottleneck : {false, true}) {
      SCOPED_TRACE(scheme);
      StackText text = conv_text(scheme, 4, {3, 4, 2});
      text.conv.bottleneck = bottleneck;
      const StackPtr net = testing::stack(text, 6, 7);
      const Index n = net->shape().size();
      const testing::KeptStep last = testing::last_step(*net);
      EXPECT_EQ(testing::plain(last.jacobian), Matrix(Matrix::Identity(n, n)));
      EXPECT_EQ(testing::plain(last.state), net->input());
    }
}

/// Delta-orthogonal circular convolutions are orthogonal maps, so all values of a linear net of them are one.
TEST(ConvNet, DeltaOrthogonalLinearCircularNetIsOrthogonal) {
  StackText text = conv_text("plain", 5, {4, 6, 1});
  text.activation = "identity";
  text.init = "delta-orthogonal";
  text.conv.padding = Padding::circular;
  const testing::KeptStep last = testing::last_step(*testing::stack(text, 6, 40));
  const Spectrum spectrum = spectrum_of(last.jacobian);
  ASSERT_TRUE(spectrum.accuracy.certified);
  EXPECT_NEAR(*spectrum.sigma.front().to_real(), 1, 1e-13);
  EXPECT_NEAR(*spectrum.sigma.back().to_real(), 1, 1e-13);
}

TEST(ConvNet, FixupCountsTheConvolutions) {
  StackText basic = conv_text("fixup", 4), plain = conv_text("residual", 4);
  for (const bool bottleneck : {false, true}) {
    basic.conv.bottleneck = plain.conv.bottleneck = bottleneck;
    basic.init = plain.init = "he:mode=fan_out";
    const StackPtr fixup = testing::stack(basic, 2, 16), base = testing::stack(plain, 2, 16);
    const Real factor = std::pow(16.0, bottleneck ? -0.25 : -0.5);  // L^(-1/(2m-2)), m = 3 and 2
    const BlockPtr scaled_block = fixup->block(3), drawn_block = base->block(3);
    const auto &scaled = scaled_block->parts().weights, &drawn = drawn_block->parts().weights;
    EXPECT_LT((*scaled.at(Role::conv1).weight - factor * *drawn.at(Role::conv1).weight).norm(), 1e-14);
    EXPECT_TRUE(scaled.at(bottleneck ? Role::conv3 : Role::conv2).weight->isZero(0));
  }
}

/// Standardized weights: rows of mean zero and, over the fan-in, variance gain²/fan_in.
TEST(ConvNet, NormFreeWeightsAreStandardized) {
  const Real gain = std::sqrt(2 / (1 - 1 / std::acos(-1.0)));  // Var relu(z) = (1 − 1/π)/2
  const StackPtr net = testing::stack(conv_text("nf-resnet:skip_gain=1", 4), 2, 9);
  const BlockPtr block = net->block(8);
  const BlockParts& parts = block->parts();
  EXPECT_EQ(parts.conv.order, ConvOrder::pre);
  EXPECT_EQ(parts.branch_scale.values(0), 0.2);
  const Real beta = 1 / std::sqrt(1 + 8 * 0.04);
  for (const auto& [role, factor] : {std::pair(Role::conv1, beta), std::pair(Role::conv2, Real{1})}) {
    const Matrix& W = *parts.weights.at(role).weight;
    EXPECT_LT(W.rowwise().mean().cwiseAbs().maxCoeff(), 1e-15);
    for (Index i = 0; i < W.rows(); ++i) EXPECT_NEAR(W.row(i).norm(), gain * factor, 1e-13);
  }
  const StackPtr published = testing::stack(conv_text("nf-resnet:gains=published", 4), 2, 1);
  EXPECT_NEAR(published->block(0)->parts().weights.at(Role::conv2).weight->row(1).norm(), 1.7139588594,
              1e-12);
}

/// The variance that the scheme expects starts again after a block that changes the shape.
TEST(ConvNet, NormFreeExpectationStartsAgainWithEachStage) {
  StackText text = resnet("nf-resnet");
  const StackPtr net = testing::stack(text, 2, 6);
  const Real gain = std::sqrt(2 / (1 - 1 / std::acos(-1.0)));
  const Real expected[] = {1, 1.04, 1.08, 1.04, 1.08, 1.12};  // block 2: two additions before; 3: one since
  for (Index l = 0; l < 6; ++l)
    EXPECT_NEAR(net->block(l)->parts().weights.at(Role::conv1).weight->row(0).norm(),
                gain / std::sqrt(expected[l]), 1e-12)
        << l;
}

/// A projection from C to 2C channels keeps a quarter of the pixels and, of these, the half that relu lets
/// through: ‖J‖²_F / n is gain² β² / 4 in expectation, with β² = 1/1.04 behind one block.
TEST(ConvNet, NormFreeTransitionHasTheMeanSquareOfItsGain) {
  StackText text = conv_text("nf-resnet", 8, {4, 4, 1});
  text.conv.stages = {1, 1}, text.conv.widths = {8, 16};
  constexpr Index seeds = 200;
  Vector seen(seeds);
  for (Index seed = 0; seed < seeds; ++seed) {
    const StackPtr net = testing::stack(text, static_cast<std::uint64_t>(seed), 2);
    const Matrix J = testing::plain(testing::last_step(*net).jacobian);
    seen(seed) = J.squaredNorm() / static_cast<Real>(J.cols());
  }
  const Real gain_squared = 2 / (1 - 1 / std::acos(-1.0));
  const Real error = std::sqrt((seen.array() - seen.mean()).square().sum() / (seeds - 1) / seeds);
  EXPECT_NEAR(seen.mean(), gain_squared / 1.04 / 4, 4 * error);
  EXPECT_LT(error, 0.01);
}

TEST(ConvNet, ZeroGammaNeedsANormAtTheEnd) {
  StackText none = conv_text("zero-gamma"), pre = conv_text("zero-gamma");
  none.conv.norm = NormSpec{};
  pre.conv.order = ConvOrder::pre;
  EXPECT_THROW(testing::stack(none, 1, 1), UsageError);
  EXPECT_THROW(testing::stack(pre, 1, 1), UsageError);
  EXPECT_THROW(testing::stack(StackText{"zero-gamma", "mlp"}, 1, 1), UsageError);
}

/// Changes of the net's depth, or of its stages, do not affect the draws of a block.
TEST(LawConvNet, WeightsAreAddressed) {
  const StackPtr shallow = testing::stack(conv_text("residual"), 7, 3),
                 deep = testing::stack(conv_text("rezero"), 7, 30);
  EXPECT_EQ(*shallow->block(2)->parts().weights.at(Role::conv2).weight,
            *deep->block(2)->parts().weights.at(Role::conv2).weight);
}

}  // namespace
}  // namespace rezero
