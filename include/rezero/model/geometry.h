#pragma once
/// What the states of a stack are made of and how they change from layer to layer: all that plans, estimates
/// and reports ask without drawing or reading a weight. A family brings its geometry with it; a model that is
/// read from a file is a geometry and a source of blocks.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rezero/model/block.h"

namespace rezero {

struct BlockPlan;
struct Family;
struct Scheme;
struct StackSpec;

/// Consecutive layers that are alike in shape and work. In a run of a stage's layers the first may differ in
/// its input.
struct LayerRun {
  Index first = 0, count = 0;

  Index last() const { return first + count - 1; }
};

/// What one layer takes, as far as shapes tell; counts are of numbers, not of bytes.
struct LayerWork {
  Real flops_per_column = 0;    ///< of its derivative, applied to one column
  Real weights = 0;             ///< of its largest block
  Real weights_at_work = 0;     ///< the same with what its maps make of them while they are applied
  Real kept = 0;                ///< of its kept derivatives, beside eight states a block
  Real matrices_at_work = 0;    ///< of J's size, beside J and its successor
  Index positions_at_once = 1;  ///< that share a pass through the weights, in a product with one column
};

/// What a report says of a geometry; 0 and empty where it does not apply.
struct GeometryLabels {
  std::string order, norm;  ///< over images: post or pre; the norm beside convolutions, or none
  Index width = 0;          ///< features
  Index tokens = 0;         ///< positions
};

class Geometry {
 public:
  Geometry() = default;
  Geometry(const Geometry&) = delete;
  Geometry& operator=(const Geometry&) = delete;
  virtual ~Geometry() = default;

  virtual Index blocks_per_layer() const { return 1; }  ///< depth counts layers
  /// Of the stack that is built for `depth`: some settings fix how many there are.
  virtual Index layers(Index depth) const { return depth; }
  Shape shape() const { return shape_after(0); }      ///< of the input
  virtual Shape shape_after(Index blocks) const = 0;  ///< of the state behind that many blocks
  /// The first `layers` layers, in runs.
  virtual std::vector<LayerRun> runs(Index layers) const { return {{0, layers}}; }
  virtual LayerWork work(Index layer) const = 0;
  virtual GeometryLabels labels() const { return {{}, {}, shape().features, shape().positions}; }
};
using GeometryPtr = std::shared_ptr<const Geometry>;

/// The geometry of a random stack also says what its blocks are made with.
class RandomGeometry : public Geometry {
 public:
  explicit RandomGeometry(const StackSpec& spec);

  Index blocks_per_layer() const override { return static_cast<Index>(kinds_.size()); }
  LayerWork work(Index layer) const override;

  const BranchKind& branch(Index block) const {
    return *kinds_[static_cast<std::size_t>(block % blocks_per_layer())];
  }
  /// Of the weights of a block.
  virtual BranchSizes sizes(Index block) const = 0;
  /// Residual additions before a block, since the input or the last block that changed the shape (which
  /// counts).
  virtual Index since_transition(Index block) const { return block; }
  /// Adds to a block what is the geometry's: attention's settings, or those of convolutions, and the
  /// shortcut.
  virtual void furnish(BlockParts& parts, const BlockPlan& plan, Index block) const = 0;

 private:
  std::vector<const BranchKind*> kinds_;  ///< of a layer, in order
};
using RandomGeometryPtr = std::shared_ptr<const RandomGeometry>;

/// What geometries over tokens take beside the width.
struct TokenSpec {
  Index tokens = 1;
  AttentionSpec attention = {};  ///< heads, kv_heads, causal, scale, rope; qk_norm
};

/// What the geometry of images takes beside the width. Absent options are the scheme's.
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

/// Channels of the 3 × 3 convolution of a bottleneck: one for that many of the result (He et al. 2016, arXiv
/// 1512.03385, table 1).
constexpr Index bottleneck_ratio = 4;

/// The settings of all geometries; each looks at its own.
struct GeometryOptions {
  TokenSpec tokens = {};
  ConvNetSpec conv = {};
};

/// A way to lay out states. Adding one: a file in src/model/geometries/ and a line below.
struct GeometryKind {
  Index default_width = 64;
  RandomGeometryPtr (*make)(const StackSpec&) = nullptr;
  /// The base law that a scheme's source starts from; empty: he.
  std::string_view (*base_law)(const Scheme&, const Family&) = nullptr;
  /// The settings as phrases for a headline, the usual ones left out.
  std::vector<std::string> (*describe)(const GeometryOptions&, const Family&) = nullptr;
  /// Layers where the settings fix their number; 0: any depth.
  Index (*fixed_layers)(const GeometryOptions&) = nullptr;

  bool layers_are_fixed(const GeometryOptions& options) const {
    return fixed_layers && fixed_layers(options) > 0;
  }
};

const GeometryKind& vector_geometry();
const GeometryKind& token_geometry();
const GeometryKind& image_geometry();

}  // namespace rezero
