#pragma once
/// F in x ← λx + αF(x): the kinds of residual branch, built from weights by role.

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "rezero/core/registry.h"
#include "rezero/core/words.h"
#include "rezero/init/initializer.h"
#include "rezero/layers/activation.h"
#include "rezero/layers/attention.h"
#include "rezero/layers/conv.h"
#include "rezero/layers/linear.h"

namespace rezero {

/// The function of a weight in its branch. The numbers are part of the address of random draws: append, never
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
  conv1 = 8,
  conv2 = 9,
  conv3 = 10,
  shortcut = 11,  ///< projection of the skip where a block changes the shape
};

/// The name of a role, the place of its weight for initializers, and whether it is a convolution kernel.
struct RoleInfo {
  Role role;
  std::string_view name;  ///< in stack files
  WeightPlace place;
  enum class Form { matrix, kernel } form;  ///< a kernel is out × in × height × width in stack files
};
const RoleInfo& role_info(Role role);
inline std::string_view role_name(Role role) {
  return role_info(role).name;
}

/// The order of norm and activation. post: conv, norm, φ, …, conv, norm. pre: norm, φ, conv, …, norm, φ,
/// conv.
enum class ConvOrder { post, pre };
template <>
inline constexpr auto words<ConvOrder> = closed_set<ConvOrder>("order", {{ConvOrder::post, "post"},
                                                                         {ConvOrder::pre, "pre"}});

/// A convolutional branch without its weights. It has two k × k convolutions or, as a bottleneck, 1 × 1, k ×
/// k and 1 × 1 ones. The stride is that of the first k × k convolution.
struct ConvBranchSpec {
  ImageSpec image;  ///< of its input
  ConvOrder order = ConvOrder::post;
  Index kernel_height = 3, kernel_width = 3;
  Index stride = 1;
  Padding padding = Padding::zero;
  bool bottleneck = false;
  Index inner = 0, outputs = 0;  ///< channels between the convolutions, and of the output
  std::vector<NormSpec> norms;   ///< norm1, norm2, …: one per convolution, or none at all

  Index taps() const { return kernel_height * kernel_width; }
  Index convolutions() const { return bottleneck ? 3 : 2; }
  ConvSpec convolution(Index i) const;  ///< the i-th, from 0
  ImageSpec output_image() const;
};

/// A weight (fan_out × fan_in) and its bias; the bias may be null.
struct WeightPair {
  MatrixPtr weight;
  VectorPtr bias;
};
using BranchWeights = std::map<Role, WeightPair>;

/// A weight of a branch kind and its size for given widths: a matrix outputs × (inputs · taps).
struct WeightSlot {
  Role role;
  Index outputs;
  Index inputs;
  Index kernel_height = 1, kernel_width = 1;

  Index taps() const { return kernel_height * kernel_width; }
  Index rows() const { return outputs; }
  Index cols() const { return inputs * taps(); }
};

/// The sizes that determine those of the weights.
struct BranchSizes {
  Index features = 0;
  Index hidden = 0;               ///< for mlp and glu
  Index heads = 1, kv_heads = 1;  ///< for attention
  ConvBranchSpec conv = {};
};

/// Everything from which a branch is built, except its kind.
struct BranchInputs {
  const Activation& activation;
  const BranchWeights& weights;
  Index positions;
  const AttentionSpec& attention;
  const NormSpec& inner_norm;  ///< just before the last matrix
  const ConvBranchSpec& conv;
};

/// The layers of F in order; stages[first] and stages[last] are its first and last matrices.
struct Branch {
  std::vector<LayerPtr> stages;
  std::size_t last = 0;
  std::size_t first = 0;
};

/// The cost of each pair of positions in one block.
struct PairWork {
  Real flops = 0;  ///< of the derivative, per column
  Real kept = 0;   ///< numbers in a stored derivative
};

struct GeometryKind;
const GeometryKind& vector_geometry();

struct BranchKind : Entry {
  std::string_view formula;
  int degree = 1;  ///< of homogeneity if φ is of degree 1 and there are no biases; 0: none
  /// weight matrices on a path through the branch (Fixup's m); 0: the number of slots
  int weight_layers = 1;
  bool uses_activation = false;
  bool ends_in_activation = false;
  bool has_hidden = false;                              ///< whether --hidden-ratio applies
  bool has_inner_norm = false;                          ///< whether a norm may stand before the last matrix
  bool is_attention = false;                            ///< AttentionSpec applies
  bool is_conv = false;                                 ///< ConvBranchSpec applies
  const GeometryKind& (*geometry)() = vector_geometry;  ///< of the family of this branch alone
  /// In the order in which they act. The last one is the last matrix of the branch, on which zero-init and
  /// depth-scaled-init schemes act.
  std::vector<WeightSlot> (*slots)(const BranchSizes&) = nullptr;
  Branch (*build)(const BranchInputs&) = nullptr;

  // The cost of a block. Measured: while they are applied, maps hold 1.3 to 1.8 times the weights for wide
  // branches, and 6.7 to 6.9 times for convolutions, which are packed both ways.
  Real copies_at_work = 1.6;  ///< of its weights, including the originals, while its maps are applied
  Real kept_copies = 1;       ///< of its weights in a stored derivative
  Real matrices_at_work = 0;  ///< of J's size, besides J and its successor
  PairWork (*pairs)(const BranchSizes&) = nullptr;  ///< if positions act on each other
};

const Registry<BranchKind>& branches();

}  // namespace rezero
