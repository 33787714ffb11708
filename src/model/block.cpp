#include "rezero/model/block.h"

#include <algorithm>
#include <string>

#include "rezero/core/contract.h"
#include "rezero/core/error.h"
#include "rezero/layers/sequential.h"
#include "rezero/layers/subsample.h"
#include "rezero/linalg/maps.h"

namespace rezero {
namespace {

void check_scale(const Scale& scale, const char* name, Index features) {
  if (scale.values.size() != 1 && scale.values.size() != features)
    throw ShapeError(std::string(name) + " has " + std::to_string(scale.values.size()) +
                     " numbers, expected 1 or " + std::to_string(features));
}

void check_stages(const std::vector<LayerPtr>& stages, Shape in, Shape out) {
  if (stages.front()->input_shape() != in || stages.back()->output_shape() != out)
    throw ShapeError("the branch does not take " + std::to_string(in.features) + " features to " +
                     (in == out ? "as many" : std::to_string(out.features)));
  for (std::size_t i = 1; i < stages.size(); ++i)
    if (stages[i]->input_shape() != stages[i - 1]->output_shape())
      throw ShapeError("a weight of the branch takes " + std::to_string(stages[i]->input_shape().features) +
                       " features, the one before gives " +
                       std::to_string(stages[i - 1]->output_shape().features));
}

/// One number, or one per feature repeated for every position.
Vector expand(const Vector& scale, Shape shape) {
  if (scale.size() == 1) return scale;
  return scale.replicate(shape.positions, 1);
}

/// scale ⊙ x for an expanded scale.
Vector times(const Vector& scale, const Vector& x) {
  return scale.size() == 1 ? Vector(scale(0) * x) : Vector(scale.cwiseProduct(x));
}

/// The layers at one stage of a block.
std::vector<LayerPtr> layers_at(Stage stage, const Wiring& wiring, Shape shape) {
  std::vector<LayerPtr> layers;
  for (const NormPlace& place : norm_places)
    if (const NormSpec& norm = wiring.*place.at; place.stage == stage && norm)
      layers.push_back(norm.layer(shape));
  for (const ActivationPlace& place : activation_places)
    if (const auto& activation = wiring.*place.at;
        place.stage == stage && activation && !activation->is_identity())
      layers.push_back(std::make_shared<ActivationLayer>(*activation, shape));
  return layers;
}

/// λ of y = λ⊙x + α⊙z: 1 − α under the gated rule.
Vector skip_values(const BlockParts& parts) {
  if (parts.mix == MixRule::gated) return (1 - parts.branch_scale.values.array()).matrix();
  return parts.skip_scale.values;
}

/// The layers before the branch's first matrix.
std::vector<LayerPtr> before_first_matrix(std::vector<LayerPtr> layers, const Branch& branch) {
  layers.insert(layers.end(), branch.stages.begin(),
                branch.stages.begin() + static_cast<std::ptrdiff_t>(branch.first));
  return layers;
}

std::vector<LayerPtr> make_shortcut(const BlockParts& parts, const std::vector<LayerPtr>& before_branch,
                                    const Branch& branch) {
  const Shape in = parts.shape, out = parts.output_shape();
  if (parts.shortcut == ShortcutKind::identity) {
    if (in != out)
      throw ShapeError("a block that changes the shape needs a shortcut other than the identity");
    return {};
  }
  const ConvBranchSpec& conv = parts.conv;
  if (!parts.branch->is_conv) throw ShapeError("only a convolutional branch has a shortcut of its own");
  if (parts.shortcut == ShortcutKind::subsample)
    return {std::make_shared<Subsample>(in.features, out.features, conv.image, conv.stride)};
  ConvSpec point;
  point.kernel_height = point.kernel_width = 1;
  point.stride = conv.stride;
  const WeightPair& pair = parts.weights.at(Role::shortcut);
  std::vector<LayerPtr> layers;
  if (conv.order == ConvOrder::pre) layers = before_first_matrix(before_branch, branch);
  layers.push_back(std::make_shared<Conv>(pair.weight, pair.bias, conv.image, point));
  if (layers.back()->output_shape() != out)
    throw ShapeError("the projection of the skip does not give the shape of the branch");
  if (parts.shortcut_norm) layers.push_back(parts.shortcut_norm.layer(out));
  return layers;
}

/// The norm that ends the branch, without weight and bias, if its weight is zero; else null.
LayerPtr without_zero_weight(const BlockParts& parts) {
  if (!parts.branch->is_conv || parts.conv.order == ConvOrder::pre || parts.conv.norms.empty())
    return nullptr;
  NormSpec norm = parts.conv.norms.back();
  if (!norm || !norm.weight || !norm.weight->isZero(0)) return nullptr;
  norm.weight = norm.bias = nullptr;
  return norm.layer(parts.output_shape());
}

LinearMapPtr scaling(const Vector& scale, Shape shape) {
  return diagonal_map(scale.size() == 1 ? Vector::Constant(shape.size(), scale(0)) : scale, shape.positions);
}

/// A value passed through layers, and the factors of its derivative.
struct Chain {
  explicit Chain(Vector x, SimulatedRounding* rounds) : value(std::move(x)), rounding(rounds) {}
  void step(const Layer& layer) {
    Linearization at = layer.linearize(rounding ? (*rounding)(value) : value);
    value = std::move(at.value);
    factors.push_back(rounding ? in_other_rounding(at.derivative, *rounding) : std::move(at.derivative));
  }
  Vector value;
  SimulatedRounding* rounding;
  std::vector<LinearMapPtr> factors;
};

}  // namespace

Shape BlockParts::output_shape() const {
  return branch->is_conv ? Shape{conv.outputs, conv.output_image().positions()} : shape;
}

std::vector<const NormSpec*> BlockParts::branch_norms() const {
  std::vector<const NormSpec*> all;
  const auto add = [&all](const NormSpec& norm) {
    if (norm) all.push_back(&norm);
  };
  const auto add_stage = [&](Stage stage) {
    for (const NormPlace& place : norm_places)
      if (place.stage == stage) add(this->*place.at);
  };
  add_stage(Stage::before_branch);
  add_stage(Stage::before_last_matrix);
  if (branch->is_attention) add(attention.qk_norm);  // others have it without using it
  for (const NormSpec& norm : conv.norms) add(norm);
  add_stage(Stage::after_branch);
  return all;
}

ResidualBlock::ResidualBlock(BlockParts parts) : parts_(std::move(parts)) {
  const Shape in = parts_.shape, out = parts_.output_shape();
  if (parts_.branch->is_conv && parts_.conv.image.positions() != in.positions)
    throw ShapeError("the image has " + std::to_string(parts_.conv.image.positions()) +
                     " pixels, the state " + std::to_string(in.positions) + " positions");
  check_scale(parts_.skip_scale, "skip_scale", out.features);
  check_scale(parts_.branch_scale, "branch_scale", out.features);
  if (parts_.output_bias.size() != 0 && parts_.output_bias.size() != out.features)
    throw ShapeError("output_bias has " + std::to_string(parts_.output_bias.size()) + " numbers, expected " +
                     std::to_string(out.features));
  branch_ = parts_.branch->build(
      {parts_.activation, parts_.weights, in.positions, parts_.attention, parts_.inner_norm, parts_.conv});
  check_stages(branch_.stages, in, out);
  before_branch_ = layers_at(Stage::before_branch, parts_, in);
  after_branch_ = layers_at(Stage::after_branch, parts_, out);
  after_sum_ = layers_at(Stage::after_sum, parts_, out);
  shortcut_ = make_shortcut(parts_, before_branch_, branch_);
  unweighted_ = without_zero_weight(parts_);
}

template <class Property>
bool ResidualBlock::every_layer(const Property& has) const {
  const auto all = [&](const std::vector<LayerPtr>& layers) {
    return std::all_of(layers.begin(), layers.end(), has);
  };
  return all(before_branch_) && all(branch_.stages) && all(after_branch_) && all(after_sum_) &&
         all(shortcut_);
}

const BlockParts& Block::parts() const {
  const BlockParts* known = residual_parts();
  REZERO_REQUIRE(known != nullptr);
  return *known;
}

std::string Block::why_not_finite(const Vector&) const {
  return {};
}

void Block::explain(const Vector&, const BlockLinearization&, BlockFacts&) const {}

Real ResidualBlock::weight_count() const {
  Real count = 0;
  for (const auto& [role, pair] : parts_.weights) count += static_cast<Real>(pair.weight->size());
  return count;
}

BlockScales ResidualBlock::scales() const {
  const Real branch = parts_.branch_scale.values.mean();
  return {parts_.mix == MixRule::gated ? 1 - branch : parts_.skip_scale.values.mean(), branch};
}

bool ResidualBlock::positively_homogeneous() const {
  return every_layer([](const LayerPtr& f) { return f->positively_homogeneous(); }) &&
         (parts_.output_bias.size() == 0 || parts_.output_bias.isZero(0));
}

bool ResidualBlock::piecewise_linear() const {
  return every_layer([](const LayerPtr& f) { return f->piecewise_linear(); });
}

Vector ResidualBlock::do_evaluate(const Vector& x) const {
  const Shape out = output_shape();
  const auto through = [](Vector value, const std::vector<LayerPtr>& layers) {
    for (const LayerPtr& layer : layers) value = layer->evaluate(value);
    return value;
  };
  const Vector z = through(through(through(x, before_branch_), branch_.stages), after_branch_);
  const Vector skip = through(x, shortcut_);
  Vector y = times(expand(skip_values(parts_), out), skip);
  y += times(expand(parts_.branch_scale.values, out), z);
  if (parts_.output_bias.size() != 0) y += parts_.output_bias.replicate(out.positions, 1);
  return through(std::move(y), after_sum_);
}

Linearization ResidualBlock::do_linearize(const Vector& x) const {
  BlockLinearization full = linearize_block(x);
  return {std::move(full.value), std::move(full.derivative)};
}

BlockLinearization ResidualBlock::linearize_block(const Vector& x, SimulatedRounding* rounding) const {
  const Shape out_shape = output_shape();
  BlockLinearization out;
  Chain branch(x, rounding);
  std::vector<LinearMapPtr> tail;  // factors of ∂x′/∂(output of the last parameter)
  for (const LayerPtr& layer : before_branch_) branch.step(*layer);
  for (std::size_t i = 0; i < branch_.stages.size(); ++i) {
    const bool last_norm = unweighted_ && i + 1 == branch_.stages.size() && !rounding;
    if (i == branch_.last && !rounding) out.last.input = branch_.stages[i]->multiplied(branch.value);
    if (last_norm) {
      out.last.kind = LastParameter::Kind::norm_weight;
      out.last.input = unweighted_->evaluate(branch.value);
      tail.clear();
    }
    branch.step(*branch_.stages[i]);
    if (i > branch_.last && !last_norm) tail.push_back(branch.factors.back());
  }
  for (const LayerPtr& layer : after_branch_) {
    branch.step(*layer);
    tail.push_back(branch.factors.back());
  }
  Chain skip(x, rounding);
  for (const LayerPtr& layer : shortcut_) skip.step(*layer);
  if (rounding) {
    branch.value = (*rounding)(branch.value);
    skip.value = (*rounding)(skip.value);
  }

  const Vector lambda = expand(skip_values(parts_), out_shape),
               alpha = expand(parts_.branch_scale.values, out_shape);
  out.branch_value = branch.value;
  out.scale_tangent = parts_.mix == MixRule::gated ? Vector(branch.value - skip.value) : branch.value;
  Vector y = times(lambda, skip.value) + times(alpha, branch.value);
  if (parts_.output_bias.size() != 0) y += parts_.output_bias.replicate(out_shape.positions, 1);

  const LinearMapPtr scale_branch = scaling(alpha, out_shape);
  tail.push_back(scale_branch);
  Chain sum(std::move(y), rounding);
  if (shortcut_.empty()) {
    sum.factors.push_back(residual_map(lambda, alpha, product_map(std::move(branch.factors))));
  } else {
    branch.factors.push_back(scale_branch);
    skip.factors.push_back(scaling(lambda, out_shape));
    sum.factors.push_back(
        sum_map(product_map(std::move(skip.factors)), product_map(std::move(branch.factors))));
  }
  for (const LayerPtr& layer : after_sum_) {
    sum.step(*layer);
    tail.push_back(sum.factors.back());
    Vector pushed(out.scale_tangent.size());
    sum.factors.back()->apply(out.scale_tangent, pushed);
    out.scale_tangent = std::move(pushed);
  }
  out.value = std::move(sum.value);
  out.derivative = product_map(std::move(sum.factors));
  out.last.to_output = product_map(std::move(tail));
  return out;
}

}  // namespace rezero
