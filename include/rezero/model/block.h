#pragma once
/// One residual block: the only place where a plan becomes wiring.

#include "rezero/model/branch.h"
#include "rezero/model/wiring.h"

namespace rezero {

/// What the skip carries. subsample: every stride-th pixel, added channels zero. projection: a strided 1 × 1
/// convolution (the weight of Role::shortcut) and a norm, if any; under ConvOrder::pre it reads what the
/// branch's first convolution reads, the input normed and activated (He et al. 2016, arXiv 1603.05027). The
/// last two are for blocks that change the shape.
enum class ShortcutKind { identity, subsample, projection };
template <>
inline constexpr auto words<ShortcutKind> =
    closed_set<ShortcutKind>("shortcut", {{ShortcutKind::identity, "identity", SaidBy::reports},
                                          {ShortcutKind::subsample, "subsample"},
                                          {ShortcutKind::projection, "projection"}});

/// Everything that defines one block; plain data, what stack files hold.
struct BlockParts : Wiring {
  Shape shape;  ///< of x
  const BranchKind* branch = nullptr;
  Activation activation{std::string_view("identity")};
  BranchWeights weights;
  AttentionSpec attention;  ///< of an attention branch
  ConvBranchSpec conv;      ///< of a convolutional branch
  ShortcutKind shortcut = ShortcutKind::identity;
  NormSpec shortcut_norm;  ///< after a projection
  Vector output_bias;      ///< features, or empty

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
  std::vector<LayerPtr> shortcut_;  ///< empty: the identity
  LayerPtr unweighted_;             ///< the branch's last norm without its weight, where that is zero
  std::vector<LayerPtr> before_branch_, after_branch_, after_sum_;  ///< norms, then activations
};

}  // namespace rezero
