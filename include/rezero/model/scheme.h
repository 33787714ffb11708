#pragma once
/// Scaling schemes: how a block's skip, branch and weights are scaled at initialization. A scheme is data.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rezero/core/named_spec.h"
#include "rezero/core/registry.h"
#include "rezero/core/scaled_real.h"
#include "rezero/model/block.h"

namespace rezero {

/// Population variances over all entries of a block's input x and of its branch's output F(x).
struct BlockProfile {
  ScaledReal input_variance, branch_variance;
};

/// The position and sizes of a block: everything a scheme may depend on.
struct SchemeContext {
  Index block = 0;         ///< 0-based
  Index total_blocks = 1;  ///< residual additions in the stack
  Index layer = 0;         ///< 0-based; a transformer's layer has two blocks
  Index sublayer = 0;      ///< index within the layer, 0-based
  Index total_layers = 1;
  Index width = 1;    ///< features of the block's input
  Index outputs = 1;  ///< features of the block's output
  Index heads = 1;
  bool fused_init = false;  ///< the base initializer draws queries, keys and values as one matrix
  bool measuring = false;   ///< the first pass of a scheme that needs a profile
  const BranchKind* branch = nullptr;
  const Params* params = nullptr;
  std::vector<WeightSlot> slots;  ///< the branch's weights
  /// For schemes with needs_profile: the blocks before this one, measured by a forward pass. Null if only the
  /// fit of the scheme is tested.
  const std::vector<BlockProfile>* profile = nullptr;
  /// For a convolutional branch; its norms do not have weights yet.
  const ConvBranchSpec* conv = nullptr;
  const Activation* activation = nullptr;
  /// Residual additions before this block, since the input or the last block that changed the shape
  /// (inclusive).
  Index since_transition = 0;

  /// m: weight layers of the branch.
  Index weight_layers() const {
    return branch->weight_layers > 0 ? branch->weight_layers : static_cast<Index>(slots.size());
  }
  Role last_role() const { return slots.back().role; }  ///< the branch's last matrix
  Real real(std::string_view name) const { return params->real(name); }
};

/// The slices of a weight that are scaled to unit Euclidean norm. centered_rows: after subtracting their
/// mean, (w − mean w) / √(fan_in var w), the weight standardization of norm-free nets.
enum class UnitNorm { none, rows, columns, centered_rows };

/// Factors of the drawn weight and its bias.
struct WeightGain {
  Real weight = 1;
  Real bias = 1;
  UnitNorm unit = UnitNorm::none;  ///< applied to the draw, before `weight`
};

/// The decisions of a scheme for one block.
struct BlockPlan : Wiring {
  std::optional<Real> last_norm_weight;  ///< γ of the norm that ends a convolutional branch; default: 1
  NormSpec qk_norm;                      ///< replaces the user's
  std::optional<Real> attention_scale;   ///< replaces head width^(−1/2)
  std::map<Role, WeightGain> gains;      ///< default: 1

  WeightGain gain(Role role) const;
};

/// How a scheme's source builds convolutional blocks; applies to options that the user does not set.
struct ConvDefaults {
  ConvOrder order = ConvOrder::post;
  std::string_view norm = {};                       ///< after or before every convolution; empty: none
  ShortcutKind shortcut = ShortcutKind::subsample;  ///< where the shape changes
  std::string_view init = {};                       ///< base initializer; empty: he
};

struct Scheme : Entry {
  std::string_view update;                            ///< the update as a formula
  std::string_view depth_symbol;                      ///< the meaning of L, N or d in the source, and here
  bool (*depends_on_depth)(const Params&) = nullptr;  ///< whether a block depends on the stack's total depth
  BlockPlan (*plan)(const SchemeContext&) = nullptr;
  std::vector<std::string_view> made_for;  ///< families for which the source defines it; empty: any
  bool needs_convolutions = false;         ///< its plan depends on SchemeContext::conv; refused elsewhere
  std::string_view init;                   ///< base initializer of the source over tokens; empty: he
  bool unscaled = false;       ///< skip and branch are not scaled: branches of degree above 1 soon overflow
  bool unit_input = false;     ///< the input is scaled to unit norm at every position
  bool needs_profile = false;  ///< plan depends on SchemeContext::profile (Admin)
  ConvDefaults conv;
};

const Registry<Scheme>& schemes();

/// A resolved scheme: a value type.
class SchemeSpec {
 public:
  explicit SchemeSpec(const NamedSpec& spec);
  explicit SchemeSpec(std::string_view text) : SchemeSpec(parse_named_spec(text)) {}

  std::string canonical() const { return canonical_spec(scheme_->name, params_); }
  bool depends_on_depth() const { return scheme_->depends_on_depth(params_); }
  const Scheme& scheme() const { return *scheme_; }
  const Params& params() const { return params_; }
  Params& params() { return params_; }  ///< for the code that reads files of series parameters

 private:
  const Scheme* scheme_;
  Params params_;
};

}  // namespace rezero
