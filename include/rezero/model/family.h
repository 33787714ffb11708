#pragma once
/// What a layer is made of: one residual block, or of a transformer an attention block and a feed-forward
/// block.

#include <string_view>
#include <vector>

#include "rezero/model/branch.h"

namespace rezero {

struct Family : Entry {
  std::vector<std::string_view> blocks;  ///< branch kinds of one layer, in order
  bool has_tokens = false;               ///< over positions: --tokens applies
  Index default_tokens = 1;
  Real default_hidden_ratio = 1;

  std::vector<const BranchKind*> branches() const;  ///< resolved `blocks`
  bool uses_activation() const;
  bool has_hidden() const;
  bool has_attention() const;
  bool is_conv() const;  ///< over images
  /// The largest degree of homogeneity of its branches, 0 if one has none.
  int degree() const;
};

/// linear, dense, preactivation, mlp, glu, attention, conv; transformer (attention then mlp),
/// glu-transformer.
const Registry<Family>& families();

}  // namespace rezero
