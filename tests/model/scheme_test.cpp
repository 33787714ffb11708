/// Every scheme against its published formula, in the order of the table.
#include "rezero/model/scheme.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "rezero/core/error.h"
#include "support/stacks.h"

namespace rezero {
namespace {

using At = testing::Place;

BlockPlan plan(const std::string& text, const At& at = {}) {
  const SchemeSpec spec(text);
  return spec.scheme().plan(testing::scheme_context(spec, at));
}

void expect_scales(const BlockPlan& plan, Real skip, Real branch, ScaleRole role) {
  ASSERT_EQ(plan.skip_scale.values.size(), 1);
  ASSERT_EQ(plan.branch_scale.values.size(), 1);
  EXPECT_DOUBLE_EQ(plan.skip_scale.values(0), skip);
  EXPECT_DOUBLE_EQ(plan.branch_scale.values(0), branch);
  EXPECT_EQ(plan.branch_scale.role, role);
  EXPECT_EQ(plan.skip_scale.role, ScaleRole::constant);
  EXPECT_FALSE(plan.pre_norm || plan.post_norm);
}

constexpr ScaleRole constant = ScaleRole::constant, parameter = ScaleRole::parameter;

TEST(Schemes, Scales) {
  expect_scales(plan("plain"), 0, 1, constant);
  expect_scales(plan("residual"), 1, 1, constant);
  expect_scales(plan("fixed"), 1, 0.1, constant);
  expect_scales(plan("fixed:alpha=-2"), 1, -2, constant);
  expect_scales(plan("depth-power"), 1, 0.125, constant);
  expect_scales(plan("depth-power:c=3:p=1"), 1, 3.0 / 64, constant);
  expect_scales(plan("depth-power:p=0"), 1, 1, constant);
  expect_scales(plan("normalized-sum"), std::sqrt(0.5), std::sqrt(0.5), constant);
  expect_scales(plan("rezero"), 1, 0, parameter);
  expect_scales(plan("rezero:alpha=1e-3"), 1, 1e-3, parameter);
  expect_scales(plan("skipinit"), 1, 0, parameter);
  expect_scales(plan("skipinit:alpha=0.125"), 1, 0.125, parameter);
  expect_scales(plan("dead"), 1, 0, parameter);
  expect_scales(plan("zero-last-weight"), 1, 1, constant);
  expect_scales(plan("last-weight-scaled"), 1, 1, constant);
  expect_scales(plan("gated:a=0.25"), 1, 0.25, parameter);
  EXPECT_EQ(plan("gated").mix, MixRule::gated);
  EXPECT_EQ(plan("rezero").mix, MixRule::additive);
}

TEST(Schemes, StableResnet) {
  for (Index l : {0, 1, 9, 63}) {
    expect_scales(plan("stable-resnet", {l, 64}), 1, 0.125, constant);
    const Real index = static_cast<Real>(l + 1);
    expect_scales(plan("stable-resnet:variant=decreasing", {l, 64}), 1,
                  1 / (std::sqrt(index) * std::log(index + 1)), constant);
  }
  EXPECT_TRUE(SchemeSpec("stable-resnet").depends_on_depth());
  EXPECT_FALSE(SchemeSpec("stable-resnet:variant=decreasing").depends_on_depth());
  EXPECT_THROW(SchemeSpec("stable-resnet:variant=linear"), UsageError);
}

/// Squares of the decreasing scales have a bounded sum: the tail beyond l is at most 1/ln(l + 1) … by
/// ∫ dl / (l ln² l).
TEST(Schemes, DecreasingStableResnetIsSquareSummable) {
  Real sum = 0, at_1000 = 0;
  for (Index l = 0; l < 100000; ++l) {
    sum += std::pow(plan("stable-resnet:variant=decreasing", {l, 100000}).branch_scale.values(0), 2);
    if (l == 999) at_1000 = sum;
  }
  EXPECT_LE(sum - at_1000, 1 / std::log(1000.0) - 1 / std::log(100000.0) + 1e-9);
}

/// schemes.md 2.8: last layer zero, the others times L^(−1/(2m−2)): m = 2 gives L^−1/2, biases start at zero.
TEST(Schemes, Fixup) {
  const BlockPlan mlp = plan("fixup");
  EXPECT_EQ(mlp.gain(Role::down).weight, 0);
  EXPECT_DOUBLE_EQ(mlp.gain(Role::up).weight, 0.125);
  EXPECT_EQ(mlp.gain(Role::up).bias, 0);
  EXPECT_EQ(mlp.gain(Role::down).bias, 0);
  const BlockPlan glu = plan("fixup", {0, 64, "glu"});
  EXPECT_EQ(glu.gain(Role::down).weight, 0);
  EXPECT_DOUBLE_EQ(glu.gain(Role::up).weight, 0.125);
  EXPECT_DOUBLE_EQ(glu.gain(Role::gate).weight, 0.125);
  for (const char* single : {"linear", "dense", "preactivation"})
    for (Index total : {1, 64}) EXPECT_EQ(plan("fixup", {0, total, single}).gain(Role::linear).weight, 0);
  expect_scales(mlp, 1, 1, parameter);
}

TEST(Schemes, LastWeights) {
  const BlockPlan scaled = plan("last-weight-scaled:c=2:p=1");
  EXPECT_DOUBLE_EQ(scaled.gain(Role::down).weight, 2.0 / 64);
  EXPECT_EQ(scaled.gain(Role::down).bias, 1) << "the bias is not scaled";
  EXPECT_EQ(scaled.gain(Role::up).weight, 1);
  EXPECT_EQ(plan("last-weight-scaled", {0, 64, "dense"}).gain(Role::linear).weight, 0.125);
  for (const char* zero : {"zero-last-weight", "dead"}) {
    EXPECT_EQ(plan(zero).gain(Role::down).weight, 0);
    EXPECT_EQ(plan(zero).gain(Role::down).bias, 0);
    EXPECT_EQ(plan(zero).gain(Role::up).weight, 1);
    EXPECT_EQ(plan(zero).gain(Role::up).bias, 1);
  }
}

TEST(Schemes, DepthMup) {
  const BlockPlan at = plan("depth-mup:c=2", {0, 64, "dense"});
  expect_scales(at, 1, 0.25, constant);
  ASSERT_TRUE(at.branch_norm);
  EXPECT_EQ(at.branch_norm.kind->name, "mean_subtraction");
  EXPECT_EQ(schemes().at("depth-mup").made_for, std::vector<std::string_view>{"dense"});
}

TEST(Schemes, RezeroAlphasAreOnePerBlock) {
  SchemeSpec spec("rezero:alphas=file.json");
  EXPECT_TRUE(spec.depends_on_depth());
  EXPECT_FALSE(SchemeSpec("rezero:alpha=0.5").depends_on_depth());
  for (ParamValue& value : spec.params().values())
    if (value.name == "alphas") value.series = {0.5, -1, 2};
  StackSpec stack = testing::stack_spec({});
  stack.scheme = spec;
  const StackPtr three = build_stack(stack, 1, 3);
  EXPECT_EQ(three->block(0)->parts().branch_scale.values(0), 0.5);
  EXPECT_EQ(three->block(1)->parts().branch_scale.values(0), -1);
  EXPECT_EQ(three->block(2)->parts().branch_scale.values(0), 2);
  for (Index wrong : {2, 4}) EXPECT_THROW(build_stack(stack, 1, wrong), UsageError);
}

/// A block of a transformer of `layers` layers; even blocks are attention.
At in_transformer(Index block, Index layers) {
  At at{block, 2 * layers, block % 2 == 0 ? "attention" : "mlp", 2, {6, 24, 2, 2}};
  return at;
}

void expect_gains(const std::string& scheme, const At& at, const std::vector<std::pair<Role, Real>>& wanted) {
  const BlockPlan got = plan(scheme, at);
  for (const auto& [role, gain] : wanted)
    EXPECT_NEAR(got.gain(role).weight, gain, 1e-5 * gain) << scheme << ' ' << role_name(role);
}

void expect_norm(const NormSpec& norm, const char* kind, Real eps) {
  ASSERT_TRUE(norm) << kind;
  EXPECT_EQ(norm.kind->name, kind);
  EXPECT_EQ(norm.eps(), eps);
  EXPECT_FALSE(norm.bias);
}

TEST(Schemes, Placements) {
  const struct {
    const char* scheme;
    const char *pre, *inner, *branch, *post;
    Real eps;
  } table[] = {{"post-ln", nullptr, nullptr, nullptr, "layer_norm", 1e-5},
               {"post-ln:norm=rms", nullptr, nullptr, nullptr, "rms_norm", 1e-6},
               {"pre-ln", "layer_norm", nullptr, nullptr, nullptr, 1e-5},
               {"pre-rms", "rms_norm", nullptr, nullptr, nullptr, 1e-6},
               {"peri-ln", "layer_norm", nullptr, "layer_norm", nullptr, 1e-5},
               {"peri-ln:norm=rms", "rms_norm", nullptr, "rms_norm", nullptr, 1e-6},
               {"output-norm", nullptr, nullptr, "layer_norm", nullptr, 1e-5},
               {"normformer", "layer_norm", "layer_norm", nullptr, nullptr, 1e-5},
               {"sub-ln", "layer_norm", "layer_norm", nullptr, nullptr, 1e-5},
               {"layernorm-scaling", "rms_norm", nullptr, nullptr, nullptr, 1e-6},
               {"deepnorm", nullptr, nullptr, nullptr, "layer_norm", 1e-5},
               {"gpt2", "layer_norm", nullptr, nullptr, nullptr, 1e-5},
               {"layerscale", "layer_norm", nullptr, nullptr, nullptr, 1e-6},
               {"adaln-zero", "layer_norm", nullptr, nullptr, nullptr, 1e-6},
               {"branchnorm", nullptr, nullptr, nullptr, "layer_norm", 1e-5},
               {"dyt", "dynamic_tanh", nullptr, nullptr, nullptr, 0},
               {"dyt:placement=post", nullptr, nullptr, nullptr, "dynamic_tanh", 0},
               {"derf", "derf", nullptr, nullptr, nullptr, 0},
               {"ngpt", nullptr, nullptr, "l2_norm", "l2_norm", 0},
               {"t-fixup", nullptr, nullptr, nullptr, nullptr, 0}};
  for (const auto& row : table) {
    SCOPED_TRACE(row.scheme);
    const BlockPlan got = plan(row.scheme, in_transformer(3, 12));
    const auto check = [&](const NormSpec& norm, const char* kind) {
      EXPECT_EQ(norm ? norm.kind->name : "none", std::string_view(kind ? kind : "none"));
      if (norm && norm.kind->find("eps")) {
        EXPECT_EQ(norm.eps(), row.eps);
      }
    };
    check(got.pre_norm, row.pre), check(got.inner_norm, row.inner);
    check(got.branch_norm, row.branch), check(got.post_norm, row.post);
  }
  const BlockPlan attention = plan("normformer", in_transformer(2, 12));
  expect_norm(attention.branch_norm, "layer_norm", 1e-5);
  EXPECT_FALSE(attention.inner_norm);
}

/// schemes.md 2.11, with the numbers printed there.
TEST(Schemes, Deepnorm) {
  const struct {
    const char* scheme;
    Index layers;
    Real alpha, beta;
  } table[] = {{"deepnorm", 12, 2.21336, 0.31947},
               {"deepnorm", 100, std::pow(200, 0.25), std::pow(800, -0.25)},
               {"deepnorm:part=enc-dec-encoder:other=6", 12, 1.68622, 0.417916},
               {"deepnorm:part=enc-dec-encoder:other=6:variant=torchscale", 12, 1.68622, 0.5524},
               {"deepnorm:part=enc-dec-decoder", 6, 2.05977, 0.34329}};
  for (const auto& row : table)
    for (Index block : {Index{0}, 2 * row.layers - 1}) {
      const At at = in_transformer(block, row.layers);
      const BlockPlan got = plan(row.scheme, at);
      const Real beta = got.gain(block % 2 == 0 ? Role::value : Role::up).weight;
      if (block == 0)
        std::printf("  %-56s N = %3d: alpha %.6f, beta %.6f\n", row.scheme, static_cast<int>(row.layers),
                    got.skip_scale.values(0), beta);
      EXPECT_NEAR(got.skip_scale.values(0), row.alpha, 5e-6 * row.alpha) << row.scheme;
      EXPECT_EQ(got.branch_scale.values(0), 1);
      EXPECT_NEAR(beta, row.beta, 2e-5) << row.scheme;
      if (block == 0) {
        expect_gains(row.scheme, at,
                     {{Role::query, 1}, {Role::key, 1}, {Role::value, beta}, {Role::output, beta}});
      } else {
        expect_gains(row.scheme, at, {{Role::up, beta}, {Role::down, beta}});
      }
    }
  EXPECT_EQ(plan("deepnorm", in_transformer(1, 12)).gain(Role::up).bias, 1);
  EXPECT_NEAR(plan("deepnorm:variant=torchscale", in_transformer(1, 12)).gain(Role::up).bias, 0.31947, 1e-5);
  EXPECT_EQ(SchemeSpec("deepnorm").scheme().init, "xavier");
}

/// 2.9: (9N)^(−1/4) is not 9 N^(−1/4); queries and keys keep the fused gain.
TEST(Schemes, TFixup) {
  const Real encoder = 0.67 * std::pow(12, -0.25), decoder = std::pow(108, -0.25), fused = std::sqrt(0.5);
  EXPECT_NEAR(std::pow(encoder, 4), 0.20151 / 12, 1e-6);
  for (const auto& [scheme, gain] :
       {std::pair("t-fixup", encoder), std::pair("t-fixup:part=decoder", decoder)}) {
    expect_gains(scheme, in_transformer(4, 12),
                 {{Role::query, fused}, {Role::key, fused}, {Role::value, gain}, {Role::output, gain}});
    expect_gains(scheme, in_transformer(5, 12), {{Role::up, gain}, {Role::down, gain}});
    expect_scales(plan(scheme, in_transformer(5, 12)), 1, 1, constant);
    for (Role role : {Role::up, Role::down})
      EXPECT_EQ(plan(scheme, in_transformer(5, 12)).gain(role).bias, 0);
  }
}

/// 2.8: L counts sublayers; q, k, v times L^(−1/6) over the fused xavier law, up times L^(−1/2), the last
/// ones zero.
TEST(Schemes, FixupOfTransformers) {
  const Real L = 24, attention = std::pow(L, -1.0 / 6) * std::sqrt(0.5);
  expect_gains("fixup", in_transformer(4, 12),
               {{Role::query, attention}, {Role::key, attention}, {Role::value, attention}});
  expect_gains("fixup", in_transformer(5, 12), {{Role::up, std::pow(L, -0.5)}});
  EXPECT_EQ(plan("fixup", in_transformer(4, 12)).gain(Role::output).weight, 0);
  EXPECT_EQ(plan("fixup", in_transformer(5, 12)).gain(Role::down).weight, 0);
  EXPECT_EQ(SchemeSpec("fixup").scheme().init, "xavier:law=uniform");
}

TEST(Schemes, SubLn) {
  const Real alone = std::sqrt(std::log(24.0)), decoder = std::sqrt(std::log(36.0)),
             encoder = std::sqrt(std::log(18.0) * std::log(24.0) / 3);
  for (const auto& [scheme, gain] :
       {std::pair("sub-ln", alone), std::pair("sub-ln:part=enc-dec-decoder", decoder),
        std::pair("sub-ln:part=enc-dec-encoder:other=6", encoder)}) {
    expect_gains(scheme, in_transformer(4, 12),
                 {{Role::query, 1}, {Role::key, 1}, {Role::value, gain}, {Role::output, gain}});
    expect_gains(scheme, in_transformer(5, 12), {{Role::up, gain}, {Role::down, gain}});
    EXPECT_NEAR(plan(scheme, in_transformer(5, 12)).gain(Role::up).bias, gain, 1e-15)
        << "biases too, by name";
  }
}

TEST(Schemes, LayernormScalingCountsLayers) {
  for (Index block : {0, 1, 2, 3, 22, 23}) {
    const BlockPlan got = plan("lns", in_transformer(block, 12));
    ASSERT_TRUE(got.pre_norm.weight);
    EXPECT_EQ(*got.pre_norm.weight, Vector::Constant(6, 1 / std::sqrt(static_cast<Real>(block / 2 + 1))));
  }
}

/// The first floor(ratio · N) layers are post-norm, also where the product falls below an integer by
/// rounding.
TEST(Schemes, MixLn) {
  const struct {
    const char* scheme;
    Index layers, post;
  } table[] = {{"mix-ln", 12, 3},
               {"mix-ln", 24, 6},
               {"mix-ln", 3, 0},
               {"mix-ln", 7, 1},
               {"mix-ln:ratio=0", 12, 0},
               {"mix-ln:ratio=1", 12, 12},
               {"mix-ln:ratio=0.29", 100, 29},
               {"mix-ln:ratio=0.58", 50, 29}};
  for (const auto& row : table)
    for (Index block = 0; block < 2 * row.layers; ++block) {
      const BlockPlan got = plan(row.scheme, in_transformer(block, row.layers));
      const bool post = block / 2 < row.post;
      EXPECT_EQ(static_cast<bool>(got.post_norm), post) << row.scheme << ' ' << row.layers << ' ' << block;
      EXPECT_EQ(static_cast<bool>(got.pre_norm), !post);
      expect_norm(post ? got.post_norm : got.pre_norm, "rms_norm", 1e-6);
    }
}

TEST(Schemes, LayerscaleRule) {
  for (const auto& [layers, epsilon] :
       {std::pair<Index, Real>(1, 0.1), {18, 0.1}, {19, 1e-5}, {24, 1e-5}, {25, 1e-6}, {48, 1e-6}}) {
    const BlockPlan got = plan("layerscale", in_transformer(1, layers));
    EXPECT_EQ(got.branch_scale.values, Vector::Constant(6, epsilon)) << layers;
    EXPECT_EQ(got.branch_scale.role, parameter);
  }
  EXPECT_EQ(plan("layerscale:epsilon=1e-4", in_transformer(1, 36)).branch_scale.values,
            Vector::Constant(6, 1e-4));
  EXPECT_TRUE(SchemeSpec("layerscale").depends_on_depth());
  EXPECT_FALSE(SchemeSpec("layerscale:epsilon=1e-4").depends_on_depth());
}

TEST(Schemes, Gpt2) {
  const Real gain = 1 / std::sqrt(24.0);
  expect_gains("gpt2", in_transformer(2, 12), {{Role::output, gain}, {Role::value, 1}});
  expect_gains("gpt2", in_transformer(3, 12), {{Role::down, gain}, {Role::up, 1}});
  expect_gains("gpt2:variant=released", in_transformer(3, 12), {{Role::down, 1}});
  EXPECT_FALSE(SchemeSpec("gpt2:variant=released").depends_on_depth());
  EXPECT_EQ(SchemeSpec("gpt2").scheme().init, "normal");
}

TEST(Schemes, SmallOnes) {
  const At at = in_transformer(3, 12);
  EXPECT_EQ(plan("branchnorm", at).branch_scale.values(0), 0);
  EXPECT_EQ(plan("branchnorm", at).branch_scale.role, constant);
  EXPECT_EQ(plan("branchnorm:t=50:horizon=200", at).branch_scale.values(0), 0.25);
  EXPECT_EQ(plan("branchnorm:t=500:horizon=200", at).branch_scale.values(0), 1);
  EXPECT_EQ(plan("adaln-zero", at).branch_scale.values(0), 0);
  EXPECT_EQ(plan("adaln-zero", at).branch_scale.role, parameter);
  EXPECT_EQ(plan("dyt:alpha=0.8", at).pre_norm.param("alpha"), 0.8);
  EXPECT_EQ(plan("dyt", at).pre_norm.param("alpha"), 0.5);
  EXPECT_EQ(plan("derf:placement=post", at).post_norm.param("alpha"), 0.5);
  EXPECT_THROW(SchemeSpec("branchnorm:horizon=0"), UsageError);
  EXPECT_THROW(SchemeSpec("mix-ln:ratio=-1"), UsageError);
}

/// One alpha per layer unless shared=false.
TEST(Schemes, RezeroAlphasOfTransformers) {
  for (bool shared : {true, false}) {
    SchemeSpec spec(std::string("rezero:alphas=f.json") + (shared ? "" : ":shared=false"));
    std::vector<Real> alphas;
    for (int i = 0; i < (shared ? 3 : 6); ++i) alphas.push_back(i + 0.5);
    for (ParamValue& value : spec.params().values())
      if (value.name == "alphas") value.series = alphas;
    testing::StackText text;
    text.family = "transformer", text.tokens.tokens = 2;
    StackSpec stack = testing::stack_spec(text);
    stack.scheme = spec;
    const StackPtr built = build_stack(stack, 1, 3);
    ASSERT_EQ(built->blocks(), 6);
    for (Index l = 0; l < 6; ++l)
      EXPECT_EQ(built->block(l)->parts().branch_scale.values(0), static_cast<Real>(shared ? l / 2 : l) + 0.5);
    EXPECT_THROW(build_stack(stack, 1, 6), UsageError);
  }
}

testing::StackText small_transformer(const std::string& scheme, const char* init) {
  testing::StackText text{scheme, "transformer", 8, "relu", init, 4};
  text.tokens.tokens = 3;
  text.tokens.attention.heads = text.tokens.attention.kv_heads = 2;
  return text;
}

Real variance(const Vector& x) {
  return (x.array() - x.mean()).square().sum() / static_cast<Real>(x.size());
}

/// Admin by hand: a forward pass over the same blocks, with LN(ω x + F(x)) written out.
std::vector<Real> omegas_by_hand(const Stack& stack, bool paper) {
  const NormSpec norm = NormSpec::of("layer_norm", 1e-5);
  Vector x = stack.input();
  Real running = 1, sum = 0;
  std::vector<Real> omegas;
  for (Index l = 0; l < stack.blocks(); ++l) {
    BlockParts bare = stack.block(l)->parts();
    bare.skip_scale = Scale::number(0), bare.post_norm = {};
    const Vector F = ResidualBlock(bare).evaluate(x);
    omegas.push_back(paper ? std::sqrt(sum) : running);
    sum += variance(F);
    const Real used = paper ? 1 : running;
    running = std::sqrt(variance(used * x) + variance(F));
    x = norm.layer(stack.shape())->evaluate(used * x + F);
  }
  return omegas;
}

TEST(Schemes, AdminProfilesTheWeightsItRunsOn) {
  for (const char* init : {"xavier:law=uniform", "torch-default"})
    for (bool paper : {false, true}) {
      const StackPtr stack =
          testing::stack(small_transformer(paper ? "admin:form=paper" : "admin", init), 5, 4);
      const std::vector<Real> wanted = omegas_by_hand(*stack, paper);
      EXPECT_EQ(wanted[0], paper ? 0 : 1);
      for (Index l = 0; l < 8; ++l) {
        const BlockPtr block = stack->block(l);
        ASSERT_EQ(block->parts().skip_scale.values.size(), 8);
        EXPECT_EQ(block->parts().skip_scale.role, parameter);
        for (Index i = 0; i < 8; ++i)
          EXPECT_NEAR(block->parts().skip_scale.values(i), wanted[static_cast<std::size_t>(l)],
                      1e-13 * wanted[static_cast<std::size_t>(l)])
              << l << (paper ? " paper" : " code");
      }
    }
}

/// Admin's fused in-projection: q, k, v have half of xavier's variance, as the gains say.
TEST(Schemes, AdminFusesQueriesKeysAndValues) {
  const StackPtr admin = testing::stack(small_transformer("admin", "xavier:law=uniform"), 5, 2),
                 plain = testing::stack(small_transformer("post-ln", "xavier:law=uniform"), 5, 2);
  for (Role role : {Role::query, Role::key, Role::value, Role::output}) {
    const Real factor = role == Role::output ? 1 : std::sqrt(0.5);
    const BlockPtr a = admin->block(2), p = plain->block(2);
    EXPECT_EQ(*a->parts().weights.at(role).weight, Matrix(*p->parts().weights.at(role).weight * factor));
  }
}

/// nGPT: unit states and weights; each block's J kills the state's direction on the left and, by ε = 0, on
/// the right.
TEST(Schemes, NgptLivesOnTheSphere) {
  testing::StackText text = small_transformer("ngpt", "normal");
  text.family = "glu-transformer";
  text.tokens.attention.causal = true, text.tokens.attention.rope = 10000;
  const StackPtr stack = testing::stack(text, 5, 3);
  Vector x = stack->input();
  const auto norms_of = [](const Vector& v) {
    return Vector(Eigen::Map<const Matrix>(v.data(), 8, 3).colwise().norm());
  };
  for (Index l = 0; l < 6; ++l) {
    EXPECT_LE((norms_of(x).array() - 1).abs().maxCoeff(), 1e-14) << l;
    const BlockPtr block = stack->block(l);
    for (const auto& [role, pair] : block->parts().weights) {
      const Real gain = role == Role::up || role == Role::gate ? std::sqrt(8.0) : 1;
      const bool last = role == Role::down || role == Role::output;
      const Vector norms =
          last ? Vector(pair.weight->colwise().norm()) : Vector(pair.weight->rowwise().norm());
      EXPECT_LE((norms.array() / gain - 1).abs().maxCoeff(), 1e-14) << role_name(role);
    }
    if (l % 2 == 0) {
      EXPECT_EQ(block->parts().attention.qk_norm.kind->name, "l2_norm");
      EXPECT_DOUBLE_EQ(*block->parts().attention.scale, 2) << "the root of the head width 4";
    }
    EXPECT_EQ(block->parts().branch_scale.values, Vector::Constant(8, 0.05));
    const Linearization at = block->linearize(x);
    for (Index t = 0; t < 3; ++t) {
      Vector y = Vector::Zero(24), back(24);
      y.segment(8 * t, 8) = at.value.segment(8 * t, 8);
      at.derivative->apply_transpose(y, back);
      EXPECT_LE(back.cwiseAbs().maxCoeff(), 1e-14) << "a tangent of the sphere";
    }
    x = at.value;
  }
}

TEST(Schemes, AliasesAndCanonicalNames) {
  EXPECT_EQ(schemes().at("fixed-alpha").name, "fixed");
  EXPECT_EQ(schemes().at("zero-conv").name, "zero-last-weight");
  EXPECT_EQ(SchemeSpec("rezero:alpha=0").canonical(), "rezero");
  EXPECT_EQ(SchemeSpec("depth-power:p=1:c=1").canonical(), "depth-power:p=1");
}

/// Every scheme gives finite numbers for every branch kind, block and depth, including the extremes.
TEST(LawSchemes, FinitePlansEverywhere) {
  for (const Scheme& scheme : schemes())
    for (const BranchKind& branch : branches())
      for (Index total : {1, 2, 100000})
        for (Index block : {Index{0}, total - 1}) {
          const std::vector<BlockProfile> profile(static_cast<std::size_t>(total),
                                                  {ScaledReal::make(1), ScaledReal::make(1)});
          BranchSizes sizes{6, 9};
          sizes.conv.inner = sizes.conv.outputs = 6;
          sizes.conv.order = scheme.conv.order;
          sizes.conv.norms.assign(2, NormSpec::of("batch_norm"));
          const testing::Place place{block, total, branch.name.data(), 1, sizes, &profile};
          if (scheme.needs_convolutions && !branch.is_conv) {
            EXPECT_THROW(plan(std::string(scheme.name), place), UsageError);
            continue;
          }
          const BlockPlan at = plan(std::string(scheme.name), place);
          EXPECT_TRUE(at.skip_scale.values.allFinite() && at.branch_scale.values.allFinite()) << scheme.name;
          for (const auto& [role, gain] : at.gains)
            EXPECT_TRUE(std::isfinite(gain.weight) && std::isfinite(gain.bias))
                << scheme.name << ' ' << role_name(role);
        }
}

}  // namespace
}  // namespace rezero
