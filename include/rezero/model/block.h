#pragma once
/// One residual block: the only place where a plan becomes wiring.

#include <optional>

#include "rezero/layers/norm.h"
#include "rezero/model/branch.h"

namespace rezero {

/// A trained number, or one that the scheme fixes for good.
enum class ScaleRole { parameter, constant };

/// A multiplier of the skip or the branch: one number, or one per feature.
struct Scale {
  Vector values = Vector::Ones(1);  ///< size 1 or features
  ScaleRole role = ScaleRole::constant;

  static Scale number(Real value, ScaleRole role = ScaleRole::constant) {
    return {Vector::Constant(1, value), role};
  }
  bool all_equal(Real value) const { return (values.array() == value).all(); }
};

/// additive: y = λ⊙x + α⊙z + b. gated: y = (1 − α)⊙x + α⊙z + b, the skip scale left alone at 1.
enum class MixRule { additive, gated };
std::string_view to_string(MixRule mix);

/// What the skip carries. subsample: every stride-th pixel, added channels zero. projection: a strided 1 × 1
/// convolution (the weight of Role::shortcut) and a norm, if any; under ConvOrder::pre it reads what the
/// branch's first convolution reads, the input normed and activated (He et al. 2016, arXiv 1603.05027). The
/// last two are for blocks that change the shape.
enum class ShortcutKind { identity, subsample, projection };
std::string_view to_string(ShortcutKind kind);

/// Everything that defines one block; plain data, what stack files hold.
///   z  = branch_activation( branch_norm( F( pre_norm(x) ) ) )
///   y  = mix(λ, S(x), α, z) + output_bias     x′ = post_activation( post_norm(y) )     S: the shortcut
struct BlockParts {
  Shape shape;  ///< of x
  const BranchKind* branch = nullptr;
  Activation activation{std::string_view("identity")};
  BranchWeights weights;
  AttentionSpec attention;  ///< of an attention branch
  ConvBranchSpec conv;      ///< of a convolutional branch
  NormSpec inner_norm;      ///< just before the branch's last matrix
  ShortcutKind shortcut = ShortcutKind::identity;
  NormSpec shortcut_norm;  ///< after a projection
  NormSpec pre_norm, branch_norm, post_norm;
  std::optional<Activation> branch_activation, post_activation;
  Scale skip_scale, branch_scale;
  Vector output_bias;  ///< features, or empty
  MixRule mix = MixRule::additive;

  Shape output_shape() const;
  /// All that stand before, in or behind the branch.
  std::vector<const NormSpec*> branch_norms() const;
};

/// The parameter that switches a branch on and off where its scale does not: the last matrix, or the weight
/// of the norm behind it where that is zero.
struct LastParameter {
  enum class Kind { matrix, norm_weight };
  Kind kind = Kind::matrix;
  Vector input;            ///< what it multiplies: features × positions
  LinearMapPtr to_output;  ///< ∂x′/∂(its product)
};

/// A block's value and derivative, and what profiles and checks want to know beside.
struct BlockLinearization {
  Vector value;             ///< x′
  LinearMapPtr derivative;  ///< ∂x′/∂x
  Vector branch_value;      ///< z: what α multiplies
  Vector scale_tangent;     ///< ∂x′/∂s for a number s added to every entry of α
  LastParameter last;
};

class ResidualBlock final : public Layer {
 public:
  explicit ResidualBlock(BlockParts parts);  ///< ShapeError if the weights or scales do not fit

  Shape input_shape() const override { return parts_.shape; }
  Shape output_shape() const override { return parts_.output_shape(); }
  bool positively_homogeneous() const override;
  bool piecewise_linear() const override;

  const BlockParts& parts() const { return parts_; }
  /// With `rounding`, in another rounding: what each layer takes and what the sum adds is changed by those
  /// relative errors first (not x itself on the skip), so that the derivative differs from the exact one at x
  /// about as much as rounding makes any computed one differ. `last` is left out then.
  BlockLinearization linearize_block(const Vector& x, SimulatedRounding* rounding = nullptr) const;

 private:
  Vector do_evaluate(const Vector& x) const override;
  Linearization do_linearize(const Vector& x) const override;
  template <class Property>
  bool every_layer(const Property& has) const;

  BlockParts parts_;
  Branch branch_;
  std::vector<LayerPtr> shortcut_;      ///< empty: the identity
  LayerPtr pre_;                        ///< null: nothing there
  LayerPtr unweighted_;                 ///< the branch's last norm without its weight, where that is zero
  std::vector<LayerPtr> after_branch_;  ///< branch_norm, branch_activation
  std::vector<LayerPtr> after_sum_;     ///< post_norm, post_activation
};

}  // namespace rezero
