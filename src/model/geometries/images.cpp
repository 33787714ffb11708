/// Batches of images, in one stage or in several that halve the images and change the channels.

#include <numeric>

#include "rezero/core/contract.h"
#include "rezero/model/stack_spec.h"

namespace rezero {
namespace {

/// The position of a block.
struct StagePlace {
  Index stage = 0, block = 0;  ///< the block within its stage
  bool transition = false;     ///< the first of a later stage: stride 2, other channels
};

/// The scheme's norm if the user does not choose one.
NormSpec norm_of(const StackSpec& spec) {
  const ConvNetSpec& net = spec.conv;
  const std::string_view own = spec.scheme.scheme().conv.norm;
  NormSpec norm = net.norm ? *net.norm : own.empty() ? NormSpec{} : NormSpec::of(own);
  if (net.initial_statistics && norm && !norm.kind->with_given_statistics.empty())
    norm.kind = &norms().at(norm.kind->with_given_statistics);
  norm.samples = net.image.batch;
  return norm;
}

class ImageGeometry final : public RandomGeometry {
 public:
  explicit ImageGeometry(const StackSpec& spec)
      : RandomGeometry(spec),
        net_(spec.conv),
        width_(spec.width),
        order_(net_.order.value_or(spec.scheme.scheme().conv.order)),
        shortcut_(net_.shortcut.value_or(spec.scheme.scheme().conv.shortcut)),
        norm_(norm_of(spec)) {}

  Shape shape_after(Index blocks) const override {
    const Index stage = blocks == 0 ? 0 : place(blocks - 1).stage;
    return {channels(stage), image(stage).positions()};
  }
  Index layers(Index depth) const override { return net_.staged() ? net_.blocks() : depth; }
  std::vector<LayerRun> runs(Index layers) const override;
  BranchSizes sizes(Index block) const override;
  /// In the first stage, the preceding blocks. A transition belongs to the stage it ends.
  Index since_transition(Index block) const override {
    const StagePlace at = place(block);
    return at.transition ? net_.stages[static_cast<std::size_t>(at.stage - 1)] : at.block;
  }
  void furnish(BlockParts& parts, const BlockPlan& plan, Index block) const override;
  GeometryLabels labels() const override {
    return {std::string(to_string(order_)), std::string(norm_ ? norm_.kind->name : "none"), width_, 0};
  }

 private:
  Index channels(Index stage) const {
    return net_.staged() ? net_.widths.at(static_cast<std::size_t>(stage)) : width_;
  }
  StagePlace place(Index block) const;
  /// Half the height and width (rounded up) of the preceding stage.
  ImageSpec image(Index stage) const;

  ConvNetSpec net_;
  Index width_;
  ConvOrder order_;
  ShortcutKind shortcut_;  ///< of blocks that change the shape
  NormSpec norm_;
};

StagePlace ImageGeometry::place(Index block) const {
  StagePlace place;
  place.block = block;
  if (!net_.staged()) return place;
  while (place.block >= net_.stages[static_cast<std::size_t>(place.stage)]) {
    place.block -= net_.stages[static_cast<std::size_t>(place.stage)];
    ++place.stage;
    REZERO_REQUIRE(place.stage < static_cast<Index>(net_.stages.size()));
  }
  place.transition = place.stage > 0 && place.block == 0;
  return place;
}

ImageSpec ImageGeometry::image(Index stage) const {
  ConvSpec halving;
  halving.stride = 2;
  ImageSpec image = net_.image;
  for (Index i = 0; i < stage; ++i) image = conv_output(image, halving);
  return image;
}

std::vector<LayerRun> ImageGeometry::runs(Index layers) const {
  if (!net_.staged()) return Geometry::runs(layers);
  std::vector<LayerRun> runs;
  Index first = 0;
  for (const Index stage : net_.stages) {
    if (first >= layers) break;
    runs.push_back({first, std::min(stage, layers - first)});
    first += stage;
  }
  return runs;
}

BranchSizes ImageGeometry::sizes(Index block) const {
  const StagePlace at = place(block);
  BranchSizes sizes;
  sizes.features = shape_after(block).features;
  ConvBranchSpec& branch = sizes.conv;
  branch.order = order_;
  branch.kernel_height = branch.kernel_width = net_.kernel;
  branch.padding = net_.padding;
  branch.bottleneck = net_.bottleneck;
  branch.stride = at.transition ? 2 : 1;
  branch.image = image(at.stage - (at.transition ? 1 : 0));
  branch.outputs = channels(at.stage);
  branch.inner = net_.bottleneck ? branch.outputs / bottleneck_ratio : branch.outputs;
  if (norm_) branch.norms.assign(static_cast<std::size_t>(branch.convolutions()), norm_);
  return sizes;
}

/// The projection of the skip has a norm only if norms follow convolutions.
void ImageGeometry::furnish(BlockParts& parts, const BlockPlan& plan, Index block) const {
  parts.conv = sizes(block).conv;
  if (plan.last_norm_weight)
    parts.conv.norms.back().weight =
        std::make_shared<Vector>(Vector::Constant(parts.conv.outputs, *plan.last_norm_weight));
  if (net_.outer_activation && !parts.post_activation) parts.post_activation = parts.activation;
  if (!place(block).transition) return;
  parts.shortcut = shortcut_;
  if (shortcut_ == ShortcutKind::projection && order_ == ConvOrder::post) parts.shortcut_norm = norm_;
}

RandomGeometryPtr make(const StackSpec& spec) {
  return std::make_shared<ImageGeometry>(spec);
}

std::string_view base_law(const Scheme& scheme, const Family&) {
  return scheme.conv.init;
}

std::vector<std::string> describe(const GeometryOptions& options, const Family&) {
  const ConvNetSpec& net = options.conv;
  std::vector<std::string> phrases = {std::to_string(net.image.height) + "×" +
                                      std::to_string(net.image.width) + " pixels"};
  if (net.image.batch > 1) phrases.push_back("batch " + std::to_string(net.image.batch));
  if (net.kernel != 3) phrases.push_back("kernel " + std::to_string(net.kernel));
  if (net.padding != Padding::zero) phrases.push_back(std::string(to_string(net.padding)) + " padding");
  if (net.bottleneck) phrases.emplace_back("bottleneck");
  if (net.initial_statistics) phrases.emplace_back("initial batch norm statistics");
  if (net.outer_activation) phrases.emplace_back("outer activation");
  std::string stages;
  for (std::size_t i = 0; i < net.stages.size(); ++i)
    stages += (i ? " + " : "") + std::to_string(net.stages[i]) + " × " + std::to_string(net.widths[i]);
  if (!stages.empty()) phrases.push_back(std::move(stages));
  return phrases;
}

}  // namespace

Index ConvNetSpec::blocks() const {
  return std::accumulate(stages.begin(), stages.end(), Index{0});
}

const GeometryKind& image_geometry() {
  static const GeometryKind kind = [] {
    GeometryKind images;
    // Channels of the first stage of the nets of He et al. 2016; 64 would give thousands of rows.
    images.default_width = 16;
    images.make = make;
    images.base_law = base_law;
    images.describe = describe;
    images.fixed_layers = [](const GeometryOptions& options) { return options.conv.blocks(); };
    return images;
  }();
  return kind;
}

}  // namespace rezero
