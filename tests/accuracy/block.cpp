#include <stdexcept>
#include <string>

#include "accuracy/reference.h"

namespace rezero::reference {
namespace {

State gated(const BlockParts& parts, const State& X) {
  const State gate = affine(parts.weights.at(Role::gate), parts.shape.positions, X);
  const State up = affine(parts.weights.at(Role::up), parts.shape.positions, X);
  State result;
  for (std::size_t i = 0; i < up.size(); ++i) result.push_back(activated(parts.activation, gate[i]) * up[i]);
  return result;
}

/// The inner norm, if any, and the last matrix.
State finished(const BlockParts& parts, Role last, State X) {
  const Index positions = parts.shape.positions;
  if (parts.inner_norm)
    X = normed(parts.inner_norm, {static_cast<Index>(X.size()) / positions, positions}, X);
  return affine(parts.weights.at(last), positions, X);
}

State branch(const BlockParts& parts, const State& X) {
  const std::string_view name = parts.branch->name;
  const Index positions = parts.shape.positions;
  const auto weight = [&](Role role, const State& from) {
    return affine(parts.weights.at(role), positions, from);
  };
  const auto phi = [&](const State& from) { return activated(parts.activation, from); };
  if (name == "linear") return weight(Role::linear, X);
  if (name == "dense") return phi(weight(Role::linear, X));
  if (name == "preactivation") return weight(Role::linear, phi(X));
  if (name == "mlp") return finished(parts, Role::down, phi(weight(Role::up, X)));
  if (name == "glu") return finished(parts, Role::down, gated(parts, X));
  if (name == "attention") return finished(parts, Role::output, attended(parts, X));
  if (name == "conv") return conv_branch(parts, X);
  throw std::logic_error("no formula of the branch " + std::string(name));
}

Number entry(const Vector& scale, Index feature) {
  return scale(scale.size() == 1 ? 0 : feature);
}

}  // namespace

State affine(const WeightPair& pair, Index positions, const State& X) {
  const Matrix& W = *pair.weight;
  State Y(static_cast<std::size_t>(W.rows() * positions));
  for (Index t = 0; t < positions; ++t)
    for (Index i = 0; i < W.rows(); ++i) {
      Dual& y = Y[static_cast<std::size_t>(t * W.rows() + i)];
      if (pair.bias) y.value = (*pair.bias)(i);
      for (Index j = 0; j < W.cols(); ++j) y.add(W(i, j), X[static_cast<std::size_t>(t * W.cols() + j)]);
    }
  return Y;
}

State passed(const BlockParts& parts, const State& X) {
  const Shape out = parts.output_shape();
  State z = branch(parts, parts.pre_norm ? normed(parts.pre_norm, parts.shape, X) : X);
  if (parts.branch_norm) z = normed(parts.branch_norm, out, z);
  if (parts.branch_activation) z = activated(*parts.branch_activation, z);
  const State skip = shortcut(parts, X);
  State y(z.size());
  for (Index i = 0; i < out.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Index feature = i % out.features;
    const Number alpha = entry(parts.branch_scale.values, feature);
    y[k].add(parts.mix == MixRule::gated ? 1 - alpha : entry(parts.skip_scale.values, feature), skip[k]);
    y[k].add(alpha, z[k]);
    if (parts.output_bias.size() != 0) y[k].value = y[k].value + entry(parts.output_bias, feature);
  }
  if (parts.post_norm) y = normed(parts.post_norm, out, y);
  return parts.post_activation ? activated(*parts.post_activation, y) : y;
}

}  // namespace rezero::reference
