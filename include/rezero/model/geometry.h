#pragma once
/// The geometry of a stack: what its states consist of, and how shapes and work change from layer to layer.
/// Plans, estimates and reports get everything they need to know from it, without drawing or reading a
/// weight. Every family has a geometry. A model read from a file is a geometry and a source of blocks.

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

/// Consecutive layers of equal shape and work. In a run of a stage's layers, the input of the first may
/// differ.
struct LayerRun {
  Index first = 0, count = 0;

  Index last() const { return first + count - 1; }
};

/// The cost of one layer as far as shapes determine it. Counts are in numbers, not bytes.
struct LayerWork {
  Real flops_per_column = 0;  ///< of its derivative
  Real weights = 0;           ///< of its largest block
  Real weights_at_work = 0;   ///< the same, including the copies made by its maps while they are applied
  Real kept = 0;              ///< of its stored derivatives, besides eight states per block
  Real matrices_at_work = 0;  ///< of J's size, besides J and its successor
  /// positions that share a pass through the weights in a product with one column
  Index positions_at_once = 1;
};

/// The geometry in reports; 0 and empty if not applicable.
struct GeometryLabels {
  std::string order, norm;  ///< over images: post or pre; the norm of the convolutions, or none
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
  /// Layers of the stack built for `depth`; some settings fix their number.
  virtual Index layers(Index depth) const { return depth; }
  Shape shape() const { return shape_after(0); }      ///< of the input
  virtual Shape shape_after(Index blocks) const = 0;  ///< of the state after that many blocks
  /// The first `layers` layers as runs.
  virtual std::vector<LayerRun> runs(Index layers) const { return {{0, layers}}; }
  virtual LayerWork work(Index layer) const = 0;
  /// Whether checks look at each run of blocks of one shape by itself where a block changes the shape.
  virtual bool checked_by_runs() const { return true; }
  virtual GeometryLabels labels() const { return {{}, {}, shape().features, shape().positions}; }
};
using GeometryPtr = std::shared_ptr<const Geometry>;

/// The geometry of a random stack also determines how its blocks are built.
class RandomGeometry : public Geometry {
 public:
  explicit RandomGeometry(const StackSpec& spec);

  Index blocks_per_layer() const override { return static_cast<Index>(kinds_.size()); }
  LayerWork work(Index layer) const override;

  const BranchKind& branch(Index block) const {
    return *kinds_[static_cast<std::size_t>(block % blocks_per_layer())];
  }
  /// Sizes of the weights of a block.
  virtual BranchSizes sizes(Index block) const = 0;
  /// Residual additions before a block, since the input or the last block that changed the shape (inclusive).
  virtual Index since_transition(Index block) const { return block; }
  /// Adds the parts of a block that depend on the geometry: the settings of attention or of convolutions, and
  /// the shortcut.
  virtual void furnish(BlockParts& parts, const BlockPlan& plan, Index block) const = 0;

 private:
  std::vector<const BranchKind*> kinds_;  ///< of a layer, in order
};
using RandomGeometryPtr = std::shared_ptr<const RandomGeometry>;

/// Settings of geometries over tokens, besides the width.
struct TokenSpec {
  Index tokens = 1;
  AttentionSpec attention = {};  ///< heads, kv_heads, causal, scale, rope; qk_norm
};

/// Settings of the geometry of images, besides the width. Absent options are the scheme's.
struct ConvNetSpec {
  ImageSpec image{8, 8, 1};
  Index kernel = 3;  ///< odd
  Padding padding = Padding::zero;
  bool bottleneck = false;  ///< inner channels: a quarter of the width
  bool outer_activation = false;
  std::optional<ConvOrder> order;
  std::optional<NormSpec> norm;     ///< a spec without kind: no norm
  bool initial_statistics = false;  ///< batch norms use the statistics of a new net: mean 0, variance 1
  std::optional<ShortcutKind> shortcut;
  /// Blocks and channels of each stage. Each stage except the first begins with a block of stride 2 that
  /// changes the shape. Empty: one stage of any depth.
  std::vector<Index> stages, widths;

  bool staged() const { return !stages.empty(); }
  Index blocks() const;  ///< of all stages
};

/// Output channels per channel of the 3 × 3 convolution of a bottleneck (He et al. 2016, arXiv 1512.03385,
/// table 1).
constexpr Index bottleneck_ratio = 4;

/// The settings of all geometries; each uses its own.
struct GeometryOptions {
  TokenSpec tokens = {};
  ConvNetSpec conv = {};
};

/// A layout of states. To add one: a file in src/model/geometries/ and a line below.
struct GeometryKind {
  Index default_width = 64;
  RandomGeometryPtr (*make)(const StackSpec&) = nullptr;
  /// The base initializer of a scheme's source; empty: he.
  std::string_view (*base_law)(const Scheme&, const Family&) = nullptr;
  /// The non-default settings as phrases for a headline.
  std::vector<std::string> (*describe)(const GeometryOptions&, const Family&) = nullptr;
  /// Number of layers if the settings fix it; 0: any depth.
  Index (*fixed_layers)(const GeometryOptions&) = nullptr;

  bool layers_are_fixed(const GeometryOptions& options) const {
    return fixed_layers && fixed_layers(options) > 0;
  }
};

const GeometryKind& vector_geometry();
const GeometryKind& token_geometry();
const GeometryKind& image_geometry();

}  // namespace rezero
