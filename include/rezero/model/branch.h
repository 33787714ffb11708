#pragma once
/// What F is in x ← λx + αF(x): the kinds of residual branch, made from weights by role.

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "rezero/core/registry.h"
#include "rezero/layers/activation.h"
#include "rezero/layers/attention.h"
#include "rezero/layers/linear.h"

namespace rezero {

/// What a weight does in its branch. The numbers are part of the address of random draws: append, never
/// renumber.
enum class Role : std::uint32_t {
  linear = 0,
  up = 1,
  down = 2,
  gate = 3,
  query = 4,
  key = 5,
  value = 6,
  output = 7,
};

std::string_view role_name(Role role);  ///< as in stack files: linear, up, down, gate, query, …

/// A weight (fan_out × fan_in) and its bias; the bias may be null.
struct WeightPair {
  MatrixPtr weight;
  VectorPtr bias;
};
using BranchWeights = std::map<Role, WeightPair>;

/// A weight that a branch kind has, and its size for given widths.
struct WeightSlot {
  Role role;
  Index fan_out;
  Index fan_in;
  bool last;  ///< the last matrix of the branch: what zero-init and depth-scaled-init schemes act on
};

/// Sizes that weights follow from.
struct BranchSizes {
  Index features = 0;
  Index hidden = 0;               ///< of mlp and glu
  Index heads = 1, kv_heads = 1;  ///< of attention
};

/// What a branch is built from beside its kind.
struct BranchInputs {
  const Activation& activation;
  const BranchWeights& weights;
  Index positions;
  const AttentionSpec& attention;
  const NormSpec& inner_norm;  ///< just before the last matrix
};

/// The layers of F in order; stages[last] is the last matrix.
struct Branch {
  std::vector<LayerPtr> stages;
  std::size_t last = 0;
};

struct BranchKind {
  std::string_view name;
  std::vector<std::string_view> aliases;
  std::string_view formula;
  std::string_view summary;
  std::string_view source;
  int degree = 1;         ///< of homogeneity when φ is of degree 1 and biases are absent; 0: none
  int weight_layers = 1;  ///< weight matrices on a path through the branch: Fixup's m
  bool uses_activation = false;
  bool has_hidden = false;     ///< whether --hidden-ratio applies
  bool has_positions = false;  ///< whether --tokens applies
  bool is_attention = false;
  std::vector<WeightSlot> (*slots)(const BranchSizes&) = nullptr;
  Branch (*build)(const BranchInputs&) = nullptr;
};

const Registry<BranchKind>& branches();

}  // namespace rezero
