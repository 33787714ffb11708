#include "support/layer_cases.h"

#include <functional>

#include "rezero/layers/gated.h"
#include "rezero/layers/sequential.h"
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
    cases.add("mean_subtraction" + suffix, std::make_shared<MeanSubtraction>(Shape{6, positions}));
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

BlockParts with_vector_scales(BlockParts parts) {
  parts.skip_scale = {normal(parts.shape.features, 31), ScaleRole::parameter};
  parts.branch_scale = {normal(parts.shape.features, 32), ScaleRole::parameter};
  return parts;
}

void add_wirings(Cases& cases) {
  const NormSpec centering{&norms().at("mean_subtraction")};
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

}  // namespace

BlockParts random_parts(const PartsSpec& spec) {
  BlockParts parts;
  parts.shape = spec.shape;
  parts.branch = &branches().at(spec.branch);
  parts.activation = Activation(spec.activation);
  std::uint32_t id = spec.id;
  for (const WeightSlot& slot : parts.branch->slots(spec.shape.features, spec.hidden)) {
    VectorPtr b = spec.biases == Biases::present ? bias(slot.fan_out, ++id) : nullptr;
    parts.weights[slot.role] = {weight(slot.fan_out, slot.fan_in, ++id), std::move(b)};
  }
  return parts;
}

const std::vector<LayerCase>& layer_cases() {
  static const std::vector<LayerCase> all = [] {
    Cases cases;
    add_simple_layers(cases);
    add_activations(cases);
    add_branches(cases);
    add_wirings(cases);
    return cases.take();
  }();
  return all;
}

}  // namespace rezero::testing
