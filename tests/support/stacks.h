#pragma once
/// Random stacks for tests, and Jacobians as plain matrices.

#include <cmath>
#include <string>
#include <vector>

#include "rezero/jacobian/forward.h"
#include "support/draws.h"

namespace rezero::testing {

/// A stack in a test, in the notation of a user.
struct StackText {
  std::string scheme = "residual";
  std::string family = "mlp";
  Index width = 12;
  std::string activation = "relu";
  std::string init = "he";
  Real hidden_ratio = 1;
  TokenSpec tokens = {};
  ConvNetSpec conv = {};
};

inline StackSpec stack_spec(const StackText& text) {
  StackSpec spec(text.scheme, text.family);
  spec.width = text.width;
  spec.hidden_ratio = text.hidden_ratio;
  spec.activation = Activation(text.activation);
  spec.initializer = Initializer(text.init);
  spec.tokens = text.tokens;
  spec.conv = text.conv;
  return spec;
}

/// Input of a scheme: block `block` of `total`, `per_layer` blocks per layer, with these sizes.
struct Place {
  Index block = 0, total = 64;
  const char* branch = "mlp";
  Index per_layer = 1;
  BranchSizes sizes{6, 9};
  const std::vector<BlockProfile>* profile = nullptr;
};

inline SchemeContext scheme_context(const SchemeSpec& spec, const Place& place) {
  SchemeContext at;
  at.block = place.block, at.total_blocks = place.total;
  at.layer = place.block / place.per_layer, at.sublayer = place.block % place.per_layer;
  at.total_layers = place.total / place.per_layer;
  at.since_transition = place.block;
  at.branch = &branches().at(place.branch);
  at.width = place.sizes.features, at.heads = place.sizes.heads;
  at.outputs = at.branch->is_conv ? place.sizes.conv.outputs : at.width;
  at.params = &spec.params();
  at.slots = at.branch->slots(place.sizes);
  at.profile = place.profile;
  static const Activation relu(std::string_view("relu"));
  at.activation = &relu;
  if (at.branch->is_conv) at.conv = &place.sizes.conv;
  return at;
}

inline StackPtr stack(const StackText& text, std::uint64_t seed, Index depth) {
  return build_stack(stack_spec(text), seed, depth);
}

/// One recorded step of the forward pass.
struct KeptStep {
  Index blocks = 0;
  ScaledVector state;
  ScaledMatrix jacobian;
};

inline std::vector<KeptStep> steps(const Stack& of, const Matrix& tangents, const std::vector<Index>& depths,
                                   const ForwardOptions& options = {}) {
  std::vector<KeptStep> kept;
  forward_jacobian(
      of, of.input(), tangents, depths,
      [&](const ForwardStep& step) {
        kept.push_back({step.blocks, step.state, step.jacobian});
      },
      options);
  return kept;
}

inline KeptStep last_step(const Stack& of, const ForwardOptions& options = {}) {
  const Index n = of.shape().size();
  return steps(of, Matrix::Identity(n, n), {of.blocks()}, options).back();
}

/// mantissa · 2^exponent, if within the range of doubles.
template <class Scaled>
auto plain(const Scaled& a) {
  return decltype(a.mantissa)(a.mantissa * std::exp2(static_cast<Real>(a.exponent)));
}

}  // namespace rezero::testing
