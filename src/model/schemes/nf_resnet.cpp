#include "parts.h"
#include "rezero/core/error.h"
#include "rezero/layers/gaussian_moments.h"

namespace rezero {
namespace {

struct PublishedGain {
  std::string_view activation;
  Real gain;
};

/// Constants of the authors' code (nfnets/base.py): sampled, hence accurate to about 1e-3.
constexpr PublishedGain published[] = {
    {"identity", 1},        {"relu", 1.7139588594}, {"gelu", 1.7015043497}, {"silu", 1.7881293297},
    {"tanh", 1.5939117671}, {"elu", 1.2716004848},  {"selu", 1.0008515120}, {"leaky_relu", 1.7059034109}};

/// The gain that gives φ(z), z ~ N(0, 1), unit variance: exactly Var φ(z)^(−1/2), or the number in the code.
Real activation_gain(const SchemeContext& at) {
  const Activation& phi = *at.activation;
  if (at.params->text("gains") == "exact") return 1 / std::sqrt(gaussian_moments(phi).variance());
  for (const PublishedGain& row : published)
    if (row.activation == phi.kind().name) return row.gain;
  throw UsageError("scheme 'nf-resnet': the authors' code has no gain for activation '" + phi.canonical() +
                   "' (use gains=exact)");
}

/// Weights are standardized. Each convolution follows an activation scaled by its gain γ. The first
/// convolution, and the projection that reads the same activation, are also scaled by β = 1/√(expected
/// variance of the stream): 1 at the start and again where the shape changes, plus α² per block. The factors
/// are folded into the weights: conv(γβ φ(x)) = (γβ W) φ(x).
BlockPlan plan(const SchemeContext& at) {
  if (!at.conv)
    throw UsageError("scheme 'nf-resnet' standardizes the weights of convolutions (use --family conv)");
  if (at.conv->order != ConvOrder::pre)
    throw UsageError("scheme 'nf-resnet' needs --order pre (its activations come before the convolutions)");
  const Real alpha = at.real("alpha");
  const Real beta = 1 / std::sqrt(1 + static_cast<Real>(at.since_transition) * alpha * alpha);
  const Real gain = activation_gain(at);
  BlockPlan result = scheme_parts::branch_scaled(alpha * at.real("skip_gain"), ScaleRole::parameter);
  for (const WeightSlot& slot : at.slots)
    result.gains[slot.role] = {slot.role == Role::conv1 ? gain * beta : gain, 1, UnitNorm::centered_rows};
  result.gains[Role::shortcut] = {gain * beta, 1, UnitNorm::centered_rows};
  return result;
}

}  // namespace

Scheme scheme_nf_resnet() {
  Scheme scheme;
  scheme.name = "nf-resnet";
  scheme.update = "x' = S(x) + alpha skip_gain F(x beta_l)";
  scheme.summary =
      "norm-free: standardized weights, activations with gain, the branch's input scaled to unit variance";
  scheme.source = "Brock, De & Smith 2021 (arXiv 2101.08692)";
  scheme.depth_symbol = "l: residual additions since the input or the last block that changed the shape";
  scheme.params = {
      {"alpha", ParamKind::real, "0.2", "branch scale; alpha^2 is the variance that a block adds"},
      {"skip_gain", ParamKind::real, "0",
       "learned factor of the branch scale; starts at 0; 1 shows the branches"},
      {"gains",
       ParamKind::choice,
       "exact",
       "activation gains: 1/sqrt(Var phi(z)) exactly, or the constants of the authors' code",
       {"exact", "published"}}};
  scheme.depends_on_depth = scheme_parts::ignores_depth;
  scheme.plan = plan;
  scheme.made_for = {"conv"};
  scheme.needs_convolutions = true;
  scheme.conv.order = ConvOrder::pre;
  scheme.conv.shortcut = ShortcutKind::projection;
  return scheme;
}

}  // namespace rezero
