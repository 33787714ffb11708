#pragma once
/// Everything that defines a random stack but its seed and depth: plain data.

#include "rezero/core/words.h"
#include "rezero/init/initializer.h"
#include "rezero/model/family.h"
#include "rezero/model/scheme.h"

namespace rezero {

enum class InputLaw {
  normal,  ///< i.i.d. standard normal
  sphere,  ///< uniform on the sphere of radius √features at each position
  ones,    ///< all ones
  values,  ///< given
};
template <>
inline constexpr auto words<InputLaw> = closed_set<InputLaw>("input",
                                                             {{InputLaw::normal, "normal"},
                                                              {InputLaw::sphere, "sphere"},
                                                              {InputLaw::ones, "ones"},
                                                              {InputLaw::values, "values", SaidBy::reports}});

struct InputSpec {
  InputLaw law = InputLaw::normal;
  Vector values = {};  ///< for InputLaw::values: shape.size() numbers
};

/// What families over tokens take beside the width.
struct TokenSpec {
  Index tokens = 1;
  AttentionSpec attention = {};  ///< heads, kv_heads, causal, scale, rope; qk_norm
};

/// What the family over images takes beside the width. Absent options are the scheme's.
struct ConvNetSpec {
  ImageSpec image{8, 8, 1};
  Index kernel = 3;  ///< odd
  Padding padding = Padding::zero;
  bool bottleneck = false;  ///< inner channels: a quarter of the width
  bool outer_activation = false;
  std::optional<ConvOrder> order;
  std::optional<NormSpec> norm;     ///< a spec without kind: no norm
  bool initial_statistics = false;  ///< batch norms take the statistics of a new net: mean 0, variance 1
  std::optional<ShortcutKind> shortcut;
  /// Blocks and channels of each stage; each stage but the first begins with a block of stride 2 that changes
  /// the shape. Empty: one stage of any depth.
  std::vector<Index> stages, widths;

  bool staged() const { return !stages.empty(); }
  Index blocks() const;  ///< of all stages
};

struct StackSpec {
  SchemeSpec scheme;
  const Family* family = nullptr;
  Index width = 128;
  Real hidden_ratio = 1;
  Activation activation;
  Initializer initializer;
  bool tied = false;  ///< one set of weights for all layers
  InputSpec input;
  TokenSpec tokens = {};
  ConvNetSpec conv = {};

  /// max(1, round(hidden_ratio · width)).
  Index hidden() const;
  Shape shape() const;  ///< of the input
  /// Of the stack that is built for `depth`: a net with stages is built whole.
  Index layers(Index depth) const;
  /// The first and the last of that many layers, or of each stage: one of every shape among them.
  std::vector<Index> stage_ends(Index layers) const;
  /// Of a layer's weights; over images, those of the block `l`.
  BranchSizes sizes(Index l = 0) const;

  // Over images, with what the scheme says where the user is silent.
  ConvOrder conv_order() const;
  NormSpec conv_norm() const;
  ShortcutKind conv_shortcut() const;  ///< of blocks that change the shape
};

/// Where block l of a net over images stands, from 0.
struct StagePlace {
  Index stage = 0, block = 0;  ///< the block within its stage
  bool transition = false;     ///< the first of a later stage: stride 2, other channels
};
StagePlace stage_place(const ConvNetSpec& net, Index l);
/// Images within a stage: half the height and width (rounded up) of those of the stage before.
ImageSpec stage_image(const ConvNetSpec& net, Index stage);
/// Of the state after `blocks` blocks; `width` channels where the net has no stages.
Shape shape_after(const ConvNetSpec& net, Index width, Index blocks);

}  // namespace rezero
