#include "rezero/model/block.h"

#include <algorithm>
#include <string>

#include "rezero/core/contract.h"
#include "rezero/core/error.h"
#include "rezero/layers/sequential.h"
#include "rezero/linalg/maps.h"

namespace rezero {
namespace {

void check_scale(const Scale& scale, const char* name, Index features) {
  if (scale.values.size() != 1 && scale.values.size() != features)
    throw ShapeError(std::string(name) + " has " + std::to_string(scale.values.size()) +
                     " numbers, expected 1 or " + std::to_string(features));
}

void check_stages(const std::vector<LayerPtr>& stages, Shape shape) {
  if (stages.front()->input_shape() != shape || stages.back()->output_shape() != shape)
    throw ShapeError("the branch does not take " + std::to_string(shape.features) + " features to as many");
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

void add_activation(std::vector<LayerPtr>& layers, const std::optional<Activation>& activation, Shape shape) {
  if (activation && !activation->is_identity())
    layers.push_back(std::make_shared<ActivationLayer>(*activation, shape));
}

/// λ of y = λ⊙x + α⊙z: 1 − α under the gated rule.
Vector skip_values(const BlockParts& parts) {
  if (parts.mix == MixRule::gated) return (1 - parts.branch_scale.values.array()).matrix();
  return parts.skip_scale.values;
}

}  // namespace

std::string_view to_string(MixRule mix) {
  return mix == MixRule::gated ? "gated" : "additive";
}

ResidualBlock::ResidualBlock(BlockParts parts) : parts_(std::move(parts)) {
  const Shape shape = parts_.shape;
  check_scale(parts_.skip_scale, "skip_scale", shape.features);
  check_scale(parts_.branch_scale, "branch_scale", shape.features);
  if (parts_.output_bias.size() != 0 && parts_.output_bias.size() != shape.features)
    throw ShapeError("output_bias has " + std::to_string(parts_.output_bias.size()) + " numbers, expected " +
                     std::to_string(shape.features));
  branch_ = parts_.branch->build(
      {parts_.activation, parts_.weights, shape.positions, parts_.attention, parts_.inner_norm});
  check_stages(branch_.stages, shape);
  if (parts_.pre_norm) pre_ = parts_.pre_norm.layer(shape);
  if (parts_.branch_norm) after_branch_.push_back(parts_.branch_norm.layer(shape));
  add_activation(after_branch_, parts_.branch_activation, shape);
  if (parts_.post_norm) after_sum_.push_back(parts_.post_norm.layer(shape));
  add_activation(after_sum_, parts_.post_activation, shape);
}

bool ResidualBlock::positively_homogeneous() const {
  const auto homogeneous = [](const LayerPtr& f) { return f->positively_homogeneous(); };
  return (!pre_ || homogeneous(pre_)) &&
         std::all_of(branch_.stages.begin(), branch_.stages.end(), homogeneous) &&
         std::all_of(after_branch_.begin(), after_branch_.end(), homogeneous) &&
         std::all_of(after_sum_.begin(), after_sum_.end(), homogeneous) &&
         (parts_.output_bias.size() == 0 || parts_.output_bias.isZero(0));
}

Vector ResidualBlock::do_evaluate(const Vector& x) const {
  Vector z = pre_ ? pre_->evaluate(x) : x;
  for (const LayerPtr& stage : branch_.stages) z = stage->evaluate(z);
  for (const LayerPtr& stage : after_branch_) z = stage->evaluate(z);
  Vector y = times(expand(skip_values(parts_), parts_.shape), x);
  y += times(expand(parts_.branch_scale.values, parts_.shape), z);
  if (parts_.output_bias.size() != 0) y += expand(parts_.output_bias, parts_.shape);
  for (const LayerPtr& stage : after_sum_) y = stage->evaluate(y);
  return y;
}

Linearization ResidualBlock::do_linearize(const Vector& x) const {
  BlockLinearization full = linearize_block(x);
  return {std::move(full.value), std::move(full.derivative)};
}

BlockLinearization ResidualBlock::linearize_block(const Vector& x) const {
  BlockLinearization out;
  std::vector<LinearMapPtr> branch, tail;  // factors of ∂z/∂x; of ∂z/∂(output of the last matrix)
  Vector z = x;
  const auto step = [&z](const Layer& layer) {
    Linearization at = layer.linearize(z);
    z = std::move(at.value);
    return at.derivative;
  };
  if (pre_) branch.push_back(step(*pre_));
  for (std::size_t i = 0; i < branch_.stages.size(); ++i) {
    if (i == branch_.last) out.last_input = z;
    branch.push_back(step(*branch_.stages[i]));
    if (i > branch_.last) tail.push_back(branch.back());
  }
  for (const LayerPtr& layer : after_branch_) branch.push_back(step(*layer)), tail.push_back(branch.back());

  const Vector lambda = expand(skip_values(parts_), parts_.shape),
               alpha = expand(parts_.branch_scale.values, parts_.shape);
  out.branch_value = z;
  out.scale_tangent = parts_.mix == MixRule::gated ? Vector(z - x) : z;
  Vector y = times(lambda, x) + times(alpha, z);
  if (parts_.output_bias.size() != 0) y += expand(parts_.output_bias, parts_.shape);

  std::vector<LinearMapPtr> block = {residual_map(lambda, alpha, product_map(std::move(branch)))};
  tail.push_back(
      diagonal_map(alpha.size() == 1 ? Vector::Constant(x.size(), alpha(0)) : alpha, parts_.shape.positions));
  z = std::move(y);
  for (const LayerPtr& layer : after_sum_) {
    block.push_back(step(*layer));
    tail.push_back(block.back());
    Vector pushed(out.scale_tangent.size());
    block.back()->apply(out.scale_tangent, pushed);
    out.scale_tangent = std::move(pushed);
  }
  out.value = std::move(z);
  out.derivative = product_map(std::move(block));
  out.last_to_output = product_map(std::move(tail));
  return out;
}

}  // namespace rezero
