#pragma once
/// Layouts of checkpoints: the tensors that the state dict of a kind of model has, and what each of them
/// becomes in a stack of residual blocks. A layout is a table with one row per tensor; parse_checkpoint
/// (checkpoint.h) interprets all of them. To add one: a file in src/io/layouts/ and a line in layouts.def.

#include <string>
#include <string_view>
#include <vector>

#include "rezero/core/registry.h"
#include "rezero/model/branch.h"

namespace rezero {

/// A size that is not in any option, but follows from the shapes of tensors.
enum class Extent {
  one,       ///< a single number; the shape may also be ()
  features,  ///< d
  hidden,    ///< h, of the feed-forward branch; may differ from layer to layer
  queries,   ///< q: heads × head width
  keys,      ///< k: key and value heads × head width
  pairs,     ///< w/2: half the head width
};

/// An axis of a tensor: a multiple of an extent, as 3d.
struct TensorAxis {
  Extent extent;
  Index times = 1;
};

/// What becomes of a tensor.
enum class TensorUse {
  weight,             ///< of its roles, one below the other in equal parts
  bias,               ///< the same
  norm_weight,        ///< of the norm of a block
  norm_bias,          ///< the same
  branch_scale,       ///< of one block or several
  final_norm_weight,  ///< of the norm after the stack
  final_norm_bias,    ///< the same
  frequencies,        ///< no part of the stack: base^(−2i/w), which tell the width w of a head and the base
  outside,            ///< no part of the stack
};

/// A row of a layout.
struct LayoutTensor {
  std::string_view name;  ///< `layers.{layer}.linear1.weight`; without {layer} for a tensor outside layers
  TensorUse use = TensorUse::outside;
  std::vector<TensorAxis> shape = {};  ///< out × in; empty: any
  std::vector<Index> blocks = {};      ///< of the layer, which get it
  std::vector<Role> roles = {};        ///< of weights and biases
  bool optional = false;               ///< it is in all layers or in none
  bool conv1d = false;                 ///< stored as in × out, unless the parameter `stored` says `linear`

  bool in_layers() const { return name.find("{layer}") != std::string_view::npos; }
  /// Part of the stack, or of the norm after it.
  bool is_read() const { return use != TensorUse::frequencies && use != TensorUse::outside; }
};

/// A kind of state dict. Parameters with a meaning for all layouts: `norm_first` (true or false; without it
/// norms come first), `eps` of the norms, `rope` (base of rotary positions), `stored` (conv1d or linear).
struct Layout : Entry {
  std::vector<std::string_view> branches;  ///< kinds of the blocks of a layer, in order
  std::string_view norm;                   ///< kind of the norm of each block, and after the stack
  bool has_block_norms = true;             ///< if not, only the norm after the stack has that kind
  std::string_view activation = "relu";    ///< unless another is given
  bool causal = false;                     ///< whatever is given
  std::vector<LayoutTensor> tensors;

  /// The text before the number of the layer: `layers.`.
  std::string_view stem() const;
};

const Registry<Layout>& layouts();

/// A layout with its parameters: `torch-encoder:norm_first=true`.
class LayoutSpec {
 public:
  explicit LayoutSpec(const NamedSpec& spec);
  explicit LayoutSpec(std::string_view text) : LayoutSpec(parse_named_spec(text)) {}

  std::string canonical() const { return canonical_spec(layout_->name, params_); }
  const Layout& layout() const { return *layout_; }
  const Params& params() const { return params_; }
  /// The value of a parameter that the layout may have; null if it has none with that name.
  const ParamValue* find(std::string_view param) const;
  bool norms_first() const;
  /// Whether the tensor is stored with its axes swapped.
  bool swapped(const LayoutTensor& tensor) const;
  /// The axes of a tensor as they are stored.
  std::vector<TensorAxis> stored_shape(const LayoutTensor& tensor) const;

 private:
  const Layout* layout_;
  Params params_;
};

/// `3d × d`.
std::string axes_text(const std::vector<TensorAxis>& axes);

}  // namespace rezero
