#pragma once
/// What F is in x ← λx + αF(x): the kinds of residual branch, made from weights by role.

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "rezero/core/registry.h"
#include "rezero/layers/activation.h"
#include "rezero/layers/linear.h"

namespace rezero {

/// What a weight does in its branch. The numbers are part of the address of random draws: append, never
/// renumber.
enum class Role : std::uint32_t { linear = 0, up = 1, down = 2, gate = 3 };

std::string_view role_name(Role role);  ///< as in stack files: linear, up, down, gate

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
  int degree;         ///< of homogeneity when φ is of degree 1 and biases are absent
  int weight_layers;  ///< weight matrices on a path through the branch: Fixup's m
  bool uses_activation;
  bool has_hidden;  ///< whether --hidden-ratio applies
  std::vector<WeightSlot> (*slots)(Index features, Index hidden);
  Branch (*build)(const Activation&, const BranchWeights&, Index positions);
};

const Registry<BranchKind>& branches();

}  // namespace rezero
