#pragma once
/// What F is in x ← λx + αF(x): the kinds of residual branch, made from weights by role.

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
  conv1 = 8,
  conv2 = 9,
  conv3 = 10,
  shortcut = 11,  ///< projection of the skip where a block changes the shape
};

/// What a role is called, where its weight stands for initializers, and whether it is a convolution's kernel.
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

/// Where norm and activation stand. post: conv, norm, φ, …, conv, norm. pre: norm, φ, conv, …, norm, φ, conv.
enum class ConvOrder { post, pre };
template <>
inline constexpr auto words<ConvOrder> = closed_set<ConvOrder>("order", {{ConvOrder::post, "post"},
                                                                         {ConvOrder::pre, "pre"}});

/// What a convolutional branch has beside its weights. Two k × k convolutions, or, as a bottleneck, 1 × 1, k
/// × k and 1 × 1 ones; the stride is that of the first k × k convolution.
struct ConvBranchSpec {
  ImageSpec image;  ///< of its input
  ConvOrder order = ConvOrder::post;
  Index kernel_height = 3, kernel_width = 3;
  Index stride = 1;
  Padding padding = Padding::zero;
  bool bottleneck = false;
  Index inner = 0, outputs = 0;  ///< channels between the convolutions, and of the result
  std::vector<NormSpec> norms;   ///< norm1, norm2, …: one a convolution, or none at all

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

/// A weight that a branch kind has, and its size for given widths: a matrix outputs × (inputs · taps).
struct WeightSlot {
  Role role;
  Index outputs;
  Index inputs;
  Index kernel_height = 1, kernel_width = 1;

  Index taps() const { return kernel_height * kernel_width; }
  Index rows() const { return outputs; }
  Index cols() const { return inputs * taps(); }
};

/// Sizes that weights follow from.
struct BranchSizes {
  Index features = 0;
  Index hidden = 0;               ///< of mlp and glu
  Index heads = 1, kv_heads = 1;  ///< of attention
  ConvBranchSpec conv = {};
};

/// What a branch is built from beside its kind.
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

struct BranchKind : Entry {
  std::string_view formula;
  int degree = 1;         ///< of homogeneity when φ is of degree 1 and biases are absent; 0: none
  int weight_layers = 1;  ///< weight matrices on a path through the branch: Fixup's m; 0: as many as slots
  bool uses_activation = false;
  bool ends_in_activation = false;
  bool has_hidden = false;     ///< whether --hidden-ratio applies
  bool has_positions = false;  ///< whether --tokens applies
  bool is_attention = false;
  bool is_conv = false;  ///< over images: ConvBranchSpec applies
  /// In the order in which they act. The last one is the last matrix of the branch: what zero-init and
  /// depth-scaled-init schemes act on.
  std::vector<WeightSlot> (*slots)(const BranchSizes&) = nullptr;
  Branch (*build)(const BranchInputs&) = nullptr;
};

const Registry<BranchKind>& branches();

}  // namespace rezero
