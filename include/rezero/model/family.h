#pragma once
/// The content of a layer: one residual block or, for a transformer, an attention block and a feed-forward
/// block.

#include <string_view>
#include <vector>

#include "rezero/model/branch.h"

namespace rezero {

struct GeometryKind;

struct Family : Entry {
  std::vector<std::string_view> blocks;  ///< branch kinds of one layer, in order
  const GeometryKind* geometry = nullptr;
  Index default_tokens = 1;
  Real default_hidden_ratio = 1;

  std::vector<const BranchKind*> branches() const;  ///< resolved `blocks`
  bool uses_activation() const;
  bool has_hidden() const;
  // Which settings of the geometry apply.
  bool has_tokens() const;
  bool has_attention() const;
  bool has_images() const;
  /// The largest degree of homogeneity of its branches; 0 if one has none.
  int degree() const;
};

/// linear, dense, preactivation, mlp, glu, attention, conv; transformer (attention then mlp),
/// glu-transformer.
const Registry<Family>& families();

}  // namespace rezero
