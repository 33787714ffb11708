/// The layers on which every law of layers is tested.
#include "support/layer_cases.h"

#include <algorithm>
#include <functional>

#include "rezero/layers/conv.h"
#include "rezero/layers/gated.h"
#include "rezero/layers/sequential.h"
#include "rezero/layers/subsample.h"
#include "support/draws.h"

namespace rezero::testing {
namespace {

MatrixPtr weight(Index out, Index in, std::uint32_t id) {
  return share(Matrix(normal(out, in, id) / std::sqrt(static_cast<Real>(in))));
}
VectorPtr bias(Index out, std::uint32_t id) {
  return share(Vector(0.3 * normal(out, id)));
}

class Cases {
 public:
  void add(const std::string& name, LayerPtr layer) {
    Vector point = normal(layer->input_shape().size(), ++next_);
    cases_.push_back({name, std::move(layer), std::move(point)});
  }
  void add_block(const std::string& name, BlockParts parts) {
    add(name, std::make_shared<ResidualBlock>(std::move(parts)));
  }
  std::vector<LayerCase> take() { return std::move(cases_); }

 private:
  std::vector<LayerCase> cases_;
  std::uint32_t next_ = 5000;
};

void add_simple_layers(Cases& cases) {
  for (Index positions : {1, 3}) {
    const std::string suffix = "_positions_" + std::to_string(positions);
    cases.add("linear" + suffix, std::make_shared<Linear>(weight(4, 6, 1), nullptr, positions));
    cases.add("linear_biased" + suffix, std::make_shared<Linear>(weight(6, 4, 2), bias(6, 3), positions));
    cases.add("linear_zero_bias" + suffix,
              std::make_shared<Linear>(weight(4, 4, 2), share(Vector(Vector::Zero(4))), positions));
    const auto gate = std::make_shared<Linear>(weight(5, 4, 4), bias(5, 5), positions);
    const auto up = std::make_shared<Linear>(weight(5, 4, 6), nullptr, positions);
    for (const char* phi : {"silu", "identity", "relu"})
      cases.add("gated_product_" + std::string(phi) + suffix,
                std::make_shared<GatedProduct>(gate, up, Activation(phi)));
    const auto act = std::make_shared<ActivationLayer>(Activation("gelu"), Shape{5, positions});
    const auto down = std::make_shared<Linear>(weight(3, 5, 7), nullptr, positions);
    cases.add("sequential" + suffix, std::make_shared<Sequential>(std::vector<LayerPtr>{gate, act, down}));
    cases.add("sequential_of_one" + suffix, std::make_shared<Sequential>(std::vector<LayerPtr>{up}));
  }
}

void add_activations(Cases& cases) {
  std::vector<std::string> names = {"leaky_relu:slope=0.3", "elu:a=0.6"};
  for (const ActivationKind& kind : activations()) names.emplace_back(kind.name);
  for (const std::string& name : names)
    cases.add("activation_" + name, std::make_shared<ActivationLayer>(Activation(name), Shape{9, 2}));
}

void add_branches(Cases& cases) {
  std::uint32_t id = 100;
  for (const BranchKind& kind : branches())
    for (const char* phi : {"relu", "tanh"})
      for (Index positions : {1, 3})
        for (Biases biases : {Biases::absent, Biases::present}) {
          PartsSpec spec{kind.name.data(), phi, {5, positions}, 7, biases, id += 10};
          cases.add_block("block_" + std::string(kind.name) + "_" + phi + "_positions_" +
                              std::to_string(positions) + (biases == Biases::present ? "_biased" : ""),
                          random_parts(spec));
        }
}

NormSpec norm(const NormKind& kind, Real eps, bool weighted, bool biased, Index features) {
  NormSpec spec;
  spec.kind = &kind;
  for (const auto& [name, value] : {std::pair("eps", eps), {"alpha", 0.7}, {"groups", 2.0}})
    if (kind.find(name)) spec.set(name, value);
  if (weighted) spec.weight = share(normal(features, 35));
  if (biased) spec.bias = share(normal(features, 36));
  return spec;
}

void add_norms(Cases& cases) {
  for (const NormKind& kind : norms())
    for (Index positions : {1, 3})
      for (Real eps : {0.0, 1e-5})
        for (bool weighted : {false, true})
          for (bool biased : {false, true}) {
            if ((weighted && !kind.has_weight) || (biased && !kind.has_bias) ||
                (eps != 0 && !kind.find("eps")))
              continue;
            cases.add(std::string(kind.name) + "_positions_" + std::to_string(positions) +
                          (eps > 0 ? "_eps" : "") + (weighted ? "_weight" : "") + (biased ? "_bias" : ""),
                      norm(kind, eps, weighted, biased, 6).layer({6, positions}));
          }
}

/// Statistics of batches: over several samples, groups of one feature, running ones.
void add_batch_norms(Cases& cases) {
  for (bool affine : {false, true}) {
    const std::string suffix = affine ? "_affine" : "";
    const auto add = [&](const std::string& name, const char* kind, Shape shape,
                         const std::function<void(NormSpec&)>& change) {
      NormSpec spec = norm(norms().at(kind), 1e-5, affine, affine, shape.features);
      change(spec);
      cases.add(name + suffix, spec.layer(shape));
    };
    add("batch_norm_many_positions", "batch_norm", {9, 20}, [](NormSpec&) {});
    add("group_norm_samples", "group_norm", {6, 8}, [](NormSpec& s) { s.samples = 4; });
    add("group_norm_one_group", "group_norm", {5, 6}, [](NormSpec& s) { s.set("groups", 1).samples = 2; });
    add("instance_norm", "group_norm", {3, 10}, [](NormSpec& s) { s.set("groups", 3).samples = 2; });
    add("group_norm_alone", "group_norm", {4, 2}, [](NormSpec& s) { s.set("groups", 4).samples = 2; });
    add("batch_norm_eval_mean", "batch_norm_eval", {6, 3},
        [](NormSpec& s) { s.running_mean = share(normal(6, 37)); });
    add("batch_norm_eval_variance", "batch_norm_eval", {6, 3},
        [](NormSpec& s) { s.running_var = share(Vector(normal(6, 38).cwiseAbs2())); });
  }
}

void add_convs(Cases& cases) {
  const auto add = [&](const std::string& name, Index in, Index out, ImageSpec image, ConvSpec spec) {
    const MatrixPtr W = weight(out, in * spec.taps(), 40);
    cases.add("conv_" + name, std::make_shared<Conv>(W, nullptr, image, spec));
    cases.add("conv_biased_" + name, std::make_shared<Conv>(W, bias(out, 41), image, spec));
  };
  const Index in = 3, out = 4;
  for (Padding padding : {Padding::zero, Padding::circular}) {
    const std::string suffix = "_" + std::string(to_string(padding));
    add("3x3" + suffix, in, out, {4, 5}, {3, 3, 1, padding});
    add("3x3_batch" + suffix, in, out, {3, 4, 2}, {3, 3, 1, padding});
    add("3x3_many_channels" + suffix, 9, 17, {3, 3}, {3, 3, 1, padding});
    add("5x5" + suffix, in, out, {6, 5}, {5, 5, 1, padding});
    add("5x5_beyond_the_image" + suffix, in, out, {2, 1}, {5, 5, 1, padding});
    add("1x3" + suffix, in, out, {3, 4}, {1, 3, 1, padding});
    add("3x1" + suffix, in, out, {3, 4}, {3, 1, 1, padding});
    add("1x1" + suffix, in, out, {3, 4, 2}, {1, 1, 1, padding});
    add("3x3_stride" + suffix, in, out, {4, 6, 2}, {3, 3, 2, padding});
    add("5x5_stride" + suffix, in, out, {6, 3}, {5, 5, 3, padding});
  }
  add("3x3_stride_of_odd_sizes", in, out, {5, 3}, {3, 3, 2});
}

/// `features` to `heads` heads of `width`, over `positions`.
struct AttentionCase {
  std::string name;
  Index features, width, positions;
  AttentionSpec spec;
  Biases biases = Biases::absent;
};

std::vector<AttentionCase> attention_cases() {
  std::vector<AttentionCase> all;
  const auto add = [&](const std::string& name, Index width, Index positions, AttentionSpec spec) {
    for (Biases biases : {Biases::absent, Biases::present})
      all.push_back({name, width * spec.heads, width, positions, spec, biases});
  };
  const auto spec = [](Index heads, Index kv_heads,
                       const std::function<void(AttentionSpec&)>& change = nullptr) {
    AttentionSpec made;
    made.heads = heads, made.kv_heads = kv_heads;
    if (change) change(made);
    return made;
  };
  const auto causal = [](AttentionSpec& s) { s.causal = true; };
  const auto runs = [](AttentionSpec& s) { s.sequences = 2; };
  const auto rotary = [](AttentionSpec& s) { s.rope = 10; };
  add("one_head", 4, 3, spec(1, 1));
  add("several_heads", 2, 4, spec(3, 3));
  add("shared_keys", 2, 3, spec(4, 2));
  add("one_key_head", 3, 3, spec(2, 1));
  add("causal", 2, 4, spec(2, 2, causal));
  add("one_position", 2, 1, spec(2, 2));
  add("positions_alone", 2, 3, spec(2, 1, [](AttentionSpec& s) { s.sequences = 3; }));
  add("sequences", 2, 6, spec(2, 2, runs));
  add("scale", 3, 3, spec(2, 2, [](AttentionSpec& s) { s.scale = 1.7; }));
  add("rotary", 4, 3, spec(2, 2, rotary));
  add("rotary_sequences", 2, 6, spec(2, 2, [&](AttentionSpec& s) { rotary(s), runs(s); }));
  for (const char* kind : {"layer_norm", "rms_norm", "l2_norm"})
    add(std::string("qk_") + kind, 4, 3,
        spec(2, 1, [&](AttentionSpec& s) { s.qk_norm = norm(norms().at(kind), 1e-5, false, false, 4); }));
  add("everything", 4, 6, spec(4, 2, [&](AttentionSpec& s) {
        causal(s), runs(s), rotary(s), s.scale = 2;
        s.qk_norm = norm(norms().at("rms_norm"), 1e-5, true, true, 4);
      }));
  all.push_back({"narrower_than_the_stream", 6, 2, 3, spec(2, 2)});
  // With scale-free queries and keys and no biases, attention is homogeneous, but does not claim to be,
  // because nothing uses it.
  all.erase(std::remove_if(
                all.begin(), all.end(),
                [](const AttentionCase& c) { return c.name == "qk_l2_norm" && c.biases == Biases::absent; }),
            all.end());
  return all;
}

void add_attention(Cases& cases) {
  std::uint32_t id = 1200;
  for (const AttentionCase& c : attention_cases()) {
    const Index queries = c.width * c.spec.heads, keys = c.width * c.spec.kv_heads;
    const auto b = [&](Index size) { return c.biases == Biases::present ? bias(size, ++id) : nullptr; };
    AttentionWeights w;
    w.query = weight(queries, c.features, ++id), w.query_bias = b(queries);
    w.key = weight(keys, c.features, ++id), w.key_bias = b(keys);
    w.value = weight(keys, c.features, ++id), w.value_bias = b(keys);
    const std::string suffix = c.biases == Biases::present ? "_biased" : "";
    cases.add("attention_" + c.name + suffix, std::make_shared<Attention>(w, c.spec, c.positions));
    if (queries != c.features) continue;
    BlockParts parts =
        random_parts({"attention", "identity", {c.features, c.positions}, 0, c.biases, id += 10, c.spec});
    cases.add_block("block_attention_" + c.name + suffix, parts);
    parts.inner_norm = NormSpec::of("layer_norm");
    cases.add_block("block_attention_inner_norm_" + c.name + suffix, std::move(parts));
  }
}

BlockParts with_vector_scales(BlockParts parts) {
  parts.skip_scale = {normal(parts.shape.features, 31), ScaleRole::parameter};
  parts.branch_scale = {normal(parts.shape.features, 32), ScaleRole::parameter};
  return parts;
}

/// Every norm at every place of every branch that has it, and at all of them at once.
void add_placements(Cases& cases) {
  AttentionSpec heads;
  heads.heads = heads.kv_heads = 2;
  for (const char* branch : {"mlp", "glu", "attention"})
    for (const char* kind : {"layer_norm", "rms_norm", "l2_norm", "dynamic_tanh", "mean_subtraction"})
      for (Index positions : {1, 3}) {
        const BlockParts base =
            random_parts({branch, "gelu", {6, positions}, 8, Biases::present, 1700, heads});
        const std::string suffix =
            "_" + std::string(kind) + "_" + branch + "_positions_" + std::to_string(positions);
        BlockParts everywhere = with_vector_scales(base);
        for (const NormPlace& place : norm_places) {
          BlockParts parts = base;
          parts.*place.at = everywhere.*place.at = NormSpec::of(kind);
          cases.add_block("placed_" + std::string(place.name) + suffix, std::move(parts));
        }
        cases.add_block("placed_everywhere" + suffix, std::move(everywhere));
      }
}

void add_wirings(Cases& cases) {
  const NormSpec centering = NormSpec::of("mean_subtraction");
  for (Index positions : {1, 3}) {
    const std::string suffix = "_positions_" + std::to_string(positions);
    PartsSpec spec{"mlp", "relu", {5, positions}, 3, Biases::absent, 900};
    const BlockParts base = random_parts(spec);
    const auto add = [&](const std::string& name, const std::function<void(BlockParts&)>& change) {
      BlockParts parts = base;
      change(parts);
      cases.add_block("wiring_" + name + suffix, std::move(parts));
    };
    add("vector_scales", [](BlockParts& p) { p = with_vector_scales(p); });
    add("no_skip", [](BlockParts& p) { p.skip_scale = Scale::number(0); });
    add("output_bias", [](BlockParts& p) { p.output_bias = normal(5, 33); });
    add("gated", [](BlockParts& p) { p.mix = MixRule::gated, p.branch_scale = Scale::number(0.3); });
    add("gated_vector", [](BlockParts& p) { p = with_vector_scales(p), p.mix = MixRule::gated; });
    add("pre_norm", [&](BlockParts& p) { p.pre_norm = centering; });
    add("branch_norm", [&](BlockParts& p) { p.branch_norm = centering; });
    add("post_norm", [&](BlockParts& p) { p.post_norm = centering; });
    add("branch_activation", [](BlockParts& p) { p.branch_activation = Activation("relu"); });
    add("post_activation", [](BlockParts& p) { p.post_activation = Activation("softplus"); });
    add("everything", [&](BlockParts& p) {
      p = with_vector_scales(random_parts({"glu", "gelu", {5, p.shape.positions}, 6, Biases::present, 950}));
      p.output_bias = normal(5, 34);
      p.pre_norm = p.branch_norm = p.post_norm = centering;
      p.branch_activation = Activation("silu"), p.post_activation = Activation("leaky_relu");
    });
  }
}

/// Basic and bottleneck blocks in both orders, with norms, and with the shortcuts of blocks that change the
/// shape.
void add_conv_blocks(Cases& cases) {
  ConvBranchSpec conv;
  conv.image = {3, 4, 2};
  conv.inner = 3;
  NormSpec group = NormSpec::of("group_norm");
  group.samples = 2;
  for (const ConvOrder order : {ConvOrder::post, ConvOrder::pre})
    for (const bool bottleneck : {false, true})
      for (const char* norm : {"none", "batch_norm", "batch_norm_eval", "group_norm"})
        for (const Index stride : {1, 2}) {
          conv.order = order, conv.bottleneck = bottleneck, conv.stride = stride;
          conv.outputs = stride == 1 ? 4 : 5;
          const NormSpec kind = std::string(norm) == "group_norm" ? group
                                : std::string(norm) == "none"     ? NormSpec{}
                                                                  : NormSpec::of(norm);
          conv.norms.assign(kind ? static_cast<std::size_t>(conv.convolutions()) : 0, kind);
          PartsSpec spec{"conv", "gelu", {4, 24}, 3, Biases::present, 2600};
          spec.conv = conv;
          BlockParts parts = random_parts(spec);
          const std::string name =
              "block_conv_" + std::string(to_string(order)) + (bottleneck ? "_bottleneck_" : "_") + norm;
          if (stride == 1) {
            cases.add_block(name, std::move(parts));
            continue;
          }
          parts.shortcut = ShortcutKind::subsample;
          parts.branch_activation = parts.post_activation = Activation("softplus");
          cases.add_block(name + "_subsample", parts);
          parts.shortcut = ShortcutKind::projection;
          parts.weights[Role::shortcut] = {weight(5, 4, 2700), bias(5, 2701)};
          if (kind) parts.shortcut_norm = kind;
          parts.mix = MixRule::gated, parts.branch_scale = Scale::number(0.3);
          cases.add_block(name + "_projection", std::move(parts));
        }
  for (const Index outputs : {3, 5})
    cases.add("subsample_to_" + std::to_string(outputs),
              std::make_shared<Subsample>(3, outputs, ImageSpec{3, 4, 2}, 2));
}

}  // namespace

BlockParts random_parts(const PartsSpec& spec) {
  BlockParts parts;
  parts.shape = spec.shape;
  parts.branch = &branches().at(spec.branch);
  parts.activation = Activation(spec.activation);
  parts.attention = spec.attention;
  if (parts.branch->is_conv) {
    parts.conv = spec.conv;
    if (spec.conv.outputs == 0) {
      parts.conv.image = {1, spec.shape.positions, 1};
      parts.conv.inner = spec.hidden, parts.conv.outputs = spec.shape.features;
    }
  }
  BranchSizes sizes = sizes_of(parts);
  sizes.hidden = spec.hidden;
  std::uint32_t id = spec.id;
  for (const WeightSlot& slot : parts.branch->slots(sizes)) {
    VectorPtr b = spec.biases == Biases::present ? bias(slot.outputs, ++id) : nullptr;
    parts.weights[slot.role] = {weight(slot.rows(), slot.cols(), ++id), std::move(b)};
  }
  return parts;
}

BranchSizes sizes_of(const BlockParts& parts) {
  Index hidden = 1;
  if (parts.branch->has_hidden && parts.weights.count(Role::up))
    hidden = parts.weights.at(Role::up).weight->rows();
  return {parts.shape.features, hidden, parts.attention.heads, parts.attention.kv_heads, parts.conv};
}

const std::vector<LayerCase>& layer_cases() {
  static const std::vector<LayerCase> all = [] {
    Cases cases;
    add_simple_layers(cases);
    add_activations(cases);
    add_branches(cases);
    add_wirings(cases);
    add_norms(cases);
    add_batch_norms(cases);
    add_convs(cases);
    add_attention(cases);
    add_placements(cases);
    add_conv_blocks(cases);
    return cases.take();
  }();
  return all;
}

}  // namespace rezero::testing
