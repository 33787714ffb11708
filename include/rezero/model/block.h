#pragma once
/// One block of a stack, and the residual block: the only place where a plan becomes layers.

#include <functional>
#include <map>
#include <string>

#include "rezero/core/scaled_real.h"
#include "rezero/model/branch.h"
#include "rezero/model/wiring.h"

namespace rezero {

/// The skip path. subsample: every stride-th pixel, with zeros in the added channels. projection: a strided 1
/// × 1 convolution (the weight of Role::shortcut) and an optional norm. Under ConvOrder::pre it reads the
/// normalized and activated input, like the branch's first convolution (He et al. 2016, arXiv 1603.05027).
/// The last two are for blocks that change the shape.
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
  /// Names of parameters in the file they come from, by the names that culprits have (`branch_scale`,
  /// `down.weight`); a parameter without an entry keeps that name.
  std::map<std::string, std::string> names = {};

  Shape output_shape() const;
  /// All norms before, in or after the branch.
  std::vector<const NormSpec*> branch_norms() const;
};

/// The parameter that switches a branch on and off if its scale does not: the last matrix, or the weight of
/// the norm after it if that is zero.
struct LastParameter {
  enum class Kind { matrix, norm_weight };
  Kind kind = Kind::matrix;
  Vector input;            ///< its operand: features × positions
  LinearMapPtr to_output;  ///< ∂x′/∂(the parameter's product)
};

/// A block's value and derivative, and the quantities that profiles and checks need.
struct BlockLinearization {
  Vector value;             ///< x′
  LinearMapPtr derivative;  ///< ∂x′/∂x
  Vector branch_value;      ///< z, the factor of α
  Vector scale_tangent;     ///< ∂x′/∂s for a number s added to every entry of α
  LastParameter last;
  /// u ↦ the norm of uᵀ x′'s gradient with respect to all parameters of the branch, for a block that has no
  /// `last`; empty otherwise.
  std::function<ScaledReal(const Vector& cotangent)> parameter_gradient;
};

struct BlockFacts;

/// λ and α of a block in a profile: averages over features.
struct BlockScales {
  Real skip = 1, branch = 1;
};

/// What stacks consist of. A residual block has BlockParts; a block cut from a graph answers for itself.
class Block : public Layer {
 public:
  /// With `rounding`, the derivative in another rounding: the inputs of layers and the operands of the sum
  /// (except x itself on the skip) are first changed by those relative errors, so that the derivative differs
  /// from the exact one at x about as much as a computed one does. `last` is then omitted.
  virtual BlockLinearization linearize_block(const Vector& x,
                                             SimulatedRounding* rounding = nullptr) const = 0;

  virtual Real weight_count() const = 0;  ///< numbers
  virtual BlockScales scales() const = 0;
  /// The parts of a residual block, or null.
  virtual const BlockParts* residual_parts() const { return nullptr; }
  const BlockParts& parts() const;  ///< of a residual block, which it must be
  /// Where the value at x stops being finite, for messages of blocks without parts: `'root_1' (Log) …`.
  virtual std::string why_not_finite(const Vector& x) const;
  /// Fills `reasons` (if the block is not the identity at x), `off` and `if_dead` for a block without parts.
  virtual void explain(const Vector& x, const BlockLinearization& at, BlockFacts& facts) const;
};

class ResidualBlock final : public Block {
 public:
  explicit ResidualBlock(BlockParts parts);  ///< ShapeError if the weights or scales do not fit

  Shape input_shape() const override { return parts_.shape; }
  Shape output_shape() const override { return parts_.output_shape(); }
  bool positively_homogeneous() const override;
  bool piecewise_linear() const override;

  const BlockParts* residual_parts() const override { return &parts_; }
  BlockLinearization linearize_block(const Vector& x, SimulatedRounding* rounding = nullptr) const override;
  Real weight_count() const override;
  BlockScales scales() const override;

 private:
  Vector do_evaluate(const Vector& x) const override;
  Linearization do_linearize(const Vector& x) const override;
  template <class Property>
  bool every_layer(const Property& has) const;

  BlockParts parts_;
  Branch branch_;
  std::vector<LayerPtr> shortcut_;  ///< empty: the identity
  LayerPtr unweighted_;             ///< the branch's last norm without its weight, if that is zero
  std::vector<LayerPtr> before_branch_, after_branch_, after_sum_;  ///< norms, then activations
};

}  // namespace rezero
