#include "rezero/theory/network_law.h"

#include <cmath>
#include <string_view>

#include "model/plan_block.h"
#include "rezero/core/error.h"
#include "rezero/init/entry_law.h"
#include "rezero/theory/expectations.h"

namespace rezero::theory {
namespace {

/// The reason why there is no law.
struct NoLaw {
  std::string reason;
};

std::optional<BranchForm> form_of(const BranchKind& kind) {
  if (kind.name == "linear") return BranchForm::linear;
  if (kind.name == "dense") return BranchForm::dense;
  if (kind.name == "preactivation") return BranchForm::preactivation;
  if (kind.name == "mlp") return BranchForm::mlp;
  return std::nullopt;
}

std::string without_law(const BranchKind& kind) {
  if (kind.is_attention) return "attention with a softmax";
  if (kind.is_conv) return "convolutions";
  return "branch '" + std::string(kind.name) + "'";
}

Real number(const Scale& scale, const char* name) {
  if (!scale.all_equal(scale.values(0))) throw NoLaw{std::string("a ") + name + " that differs by feature"};
  return scale.values(0);
}

/// The factor of a norm's output, the same for all features.
Real norm_gain(const NormSpec& norm) {
  if (norm.bias && !norm.bias->isZero(0)) throw NoLaw{"a norm with a bias"};
  if (!norm.weight) return 1;
  const Real gain = (*norm.weight)(0);
  if (!(norm.weight->array() == gain).all()) throw NoLaw{"a norm whose weight differs by feature"};
  return gain;
}

/// What a block's laws need to know about one weight.
struct WeightLaw {
  Real strength = 0;  ///< fan_in · variance, gain included
  Real bias = 0;      ///< variance
  bool fixed_square = false;
  bool normalized = false;
};

class Describer {
 public:
  Describer(const StackSpec& spec, Index depth)
      : spec_(spec),
        geometry_(spec.geometry()),
        layers_(geometry_->layers(depth)),
        has_curvature_(GaussianIntegrals(spec.activation).at(1).has_curvature(1)) {}

  NetworkLaw network() const {
    if (spec_.scheme.scheme().needs_profile) throw NoLaw{"scales that are measured in a first pass"};
    NetworkLaw law;
    law.width = geometry_->shape().features;
    if (spec_.family->uses_activation()) law.activation = spec_.activation;
    input(law);
    const Index count = layers_ * geometry_->blocks_per_layer();
    law.blocks.reserve(static_cast<std::size_t>(count));
    for (Index l = 0; l < count; ++l) law.blocks.push_back(block(l, law));
    return law;
  }

 private:
  void input(NetworkLaw& law) const {
    const InputSpec& given = spec_.input;
    law.fixed_input_square = given.law != InputLaw::normal || spec_.scheme.scheme().unit_input;
    if (given.law == InputLaw::ones) law.input_mean = 1, law.normal_input = false;
    if (given.law == InputLaw::values) {
      const Shape shape = geometry_->shape();
      if (given.values.size() != shape.size()) throw NoLaw{"an input of another size"};
      const auto tokens = given.values.reshaped(shape.features, shape.positions);
      const Vector squares = tokens.colwise().squaredNorm().transpose() / static_cast<Real>(shape.features),
                   means = tokens.colwise().mean().transpose();
      constexpr Real rounding = 1e-12;
      if ((squares.array() - squares(0)).abs().maxCoeff() > rounding * squares(0) ||
          (means.array() - means(0)).abs().maxCoeff() > rounding * std::sqrt(squares(0)))
        throw NoLaw{"given tokens of different size"};
      law.input_square = squares(0), law.input_mean = means(0), law.normal_input = false;
    }
    if (!spec_.scheme.scheme().unit_input) return;
    const Real size = std::sqrt(law.input_square * static_cast<Real>(law.width));
    if (size == 0) return;
    law.input_square = 1 / static_cast<Real>(law.width), law.input_mean /= size;
  }

  WeightLaw weight(const WeightSlot& slot, const BlockPlan& plan) const {
    const WeightContext context{slot.outputs, slot.inputs, spec_.activation.gain(),
                                role_info(slot.role).place, slot.taps()};
    const WeightGain gain = plan.gain(slot.role);
    const EntryLaw entry = spec_.initializer.weight_law(context).times(gain.weight),
                   bias = spec_.initializer.bias_law(context).times(gain.bias);
    return {static_cast<Real>(context.fan_in()) * entry.std() * entry.std(), bias.std() * bias.std(),
            entry.shape() == EntryShape::fixed_square, gain.unit != UnitNorm::none};
  }

  /// The last weight, or that of the norm after it, is zero.
  bool last_is_zero(const BranchKind& kind, Index l, const BlockPlan& plan) const {
    if (plan.last_norm_weight && *plan.last_norm_weight == 0) return true;
    const std::vector<WeightSlot> slots = kind.slots(geometry_->sizes(l));
    const WeightLaw last = weight(slots.back(), plan);
    return last.strength == 0 && !last.normalized;
  }

  BlockLaw block(Index l, const NetworkLaw& network) const {
    const BlockPlan plan = plan_block(spec_, *geometry_, layers_, l);
    BlockLaw law;
    law.scale = number(plan.branch_scale, "branch scale");
    law.skip = plan.mix == MixRule::gated ? 1 - law.scale : number(plan.skip_scale, "skip scale");
    if (!std::isfinite(law.scale) || !std::isfinite(law.skip))
      throw NumericalError("block " + std::to_string(l) + ": a scale is not finite");
    if (geometry_->shape_after(l) != geometry_->shape_after(l + 1)) throw NoLaw{"a block changes the shape"};
    if (plan.post_activation) throw NoLaw{"an activation after the sum"};
    if (spec_.family->has_images() && spec_.conv.outer_activation) throw NoLaw{"an activation after the sum"};

    const BranchKind& kind = geometry_->branch(l);
    const bool off = law.scale == 0 || last_is_zero(kind, l, plan);
    try {
      branch(law, l, plan, network);
    } catch (const NoLaw&) {
      if (!off) throw;
      disregard(law, kind, l, plan);
    }
    return law;
  }

  /// The branch of the block and the norm in front of it, or NoLaw.
  void branch(BlockLaw& law, Index l, const BlockPlan& plan, const NetworkLaw& network) const {
    const BranchKind& kind = geometry_->branch(l);
    const std::optional<BranchForm> form = form_of(kind);
    if (!form) throw NoLaw{without_law(kind)};
    law.form = *form;
    if (plan.inner_norm) throw NoLaw{"a norm inside the branch"};
    if (plan.branch_norm) throw NoLaw{"a norm after the branch"};
    if (plan.branch_activation) throw NoLaw{"an activation after the branch"};
    if (spec_.tied || spec_.initializer.tied_weights()) throw NoLaw{"tied weights"};
    norms(law, plan);

    const BranchSizes sizes = geometry_->sizes(l);
    const std::vector<WeightSlot> slots = kind.slots(sizes);
    const WeightLaw first = weight(slots.front(), plan), last = weight(slots.back(), plan);
    if (first.normalized || last.normalized) throw NoLaw{"normalized weights"};
    if (spec_.initializer.tied_biases() && first.bias + last.bias > 0) throw NoLaw{"tied biases"};
    law.weight = first.strength, law.bias = first.bias;
    law.ensemble = first.fixed_square ? Ensemble::haar : Ensemble::independent;
    if (law.form == BranchForm::mlp) {
      law.weight2 = last.strength, law.bias2 = last.bias;
      law.gamma = static_cast<Real>(sizes.hidden) / static_cast<Real>(sizes.features);
      if (law.ensemble == Ensemble::haar && sizes.hidden != sizes.features)
        throw NoLaw{"orthogonal weights that are not square"};
    }
    if (law.form == BranchForm::preactivation && !network.normal_input)
      throw NoLaw{"a preactivation branch with an input that is not normal"};
    // E ∂F/∂x ≠ 0 makes an outlier, whose size is known for independent entries.
    const bool has_outlier = law.form == BranchForm::dense && has_curvature_;
    if (law.ensemble == Ensemble::haar && has_outlier && law.skip != 0)
      throw NoLaw{"a dense branch with orthogonal weights and an activation that is not odd"};
    if (law.norm == NormPlacement::before_branch) {
      const Real gain = norm_gain(plan.pre_norm);
      // W φ(g x) = g W φ(x) only for an activation of degree 1.
      if (gain != 1 && law.form == BranchForm::preactivation && !(spec_.activation.homogeneous() && gain > 0))
        throw NoLaw{"a scaled norm before the activation"};
      law.weight *= gain * gain;
    }
  }

  static void place(BlockLaw& law, const NormSpec& norm, NormPlacement where) {
    const std::string_view name = norm.kind->name;
    if (name != "layer_norm" && name != "rms_norm") throw NoLaw{"norm '" + std::string(name) + "'"};
    law.norm = where, law.centered = name == "layer_norm", law.epsilon = norm.eps();
  }

  static void norms(BlockLaw& law, const BlockPlan& plan) {
    if (plan.pre_norm && plan.post_norm) throw NoLaw{"norms at two places"};
    if (plan.pre_norm) place(law, plan.pre_norm, NormPlacement::before_branch);
    if (!plan.post_norm) return;
    place(law, plan.post_norm, NormPlacement::after_sum);
    if (norm_gain(plan.post_norm) != 1) throw NoLaw{"a scaled norm after the sum"};
  }

  /// A branch that is off, whatever it is: only its constant output remains.
  void disregard(BlockLaw& law, const BranchKind& kind, Index l, const BlockPlan& plan) const {
    BlockLaw off;
    off.skip = law.skip, off.scale = law.scale;
    off.weight = 0;
    off.unknown_branch = true;
    if (plan.post_norm) {
      if (spec_.family->has_images()) throw NoLaw{"a norm over images"};
      BlockPlan after;
      after.post_norm = plan.post_norm;
      norms(off, after);
    }
    if (off.scale != 0) {
      const WeightLaw last = weight(kind.slots(geometry_->sizes(l)).back(), plan);
      if (last.bias > 0) throw NoLaw{"a branch that is off except for its bias"};
      // A norm or an activation after a zero: the derivative is 0, the value need not be.
      if (plan.branch_activation) throw NoLaw{"an activation after the branch"};
      if (plan.branch_norm && plan.branch_norm.bias) throw NoLaw{"a norm with a bias"};
    }
    law = off;
  }

  const StackSpec& spec_;
  RandomGeometryPtr geometry_;
  Index layers_;
  bool has_curvature_;  ///< E φ″ ≠ 0
};

}  // namespace

bool BlockLaw::off() const {
  return scale == 0 || weight == 0 || (form == BranchForm::mlp && weight2 == 0);
}

Described describe(const StackSpec& spec, Index depth) {
  try {
    return {Describer(spec, depth).network(), {}};
  } catch (const NoLaw& no) {
    return {std::nullopt, no.reason};
  }
}

}  // namespace rezero::theory
