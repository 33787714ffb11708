#include "rezero/model/stack_spec.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rezero/core/contract.h"

namespace rezero {
namespace {

constexpr Index bottleneck_ratio = 4;  // He et al. 2016 (arXiv 1512.03385), table 1

}  // namespace

Index StackSpec::hidden() const {
  return std::max<Index>(1, std::llround(hidden_ratio * static_cast<Real>(width)));
}

Index ConvNetSpec::blocks() const {
  return std::accumulate(stages.begin(), stages.end(), Index{0});
}

StagePlace stage_place(const ConvNetSpec& net, Index l) {
  StagePlace place;
  place.block = l;
  if (!net.staged()) return place;
  while (place.block >= net.stages[static_cast<std::size_t>(place.stage)]) {
    place.block -= net.stages[static_cast<std::size_t>(place.stage)];
    ++place.stage;
    REZERO_REQUIRE(place.stage < static_cast<Index>(net.stages.size()));
  }
  place.transition = place.stage > 0 && place.block == 0;
  return place;
}

ImageSpec stage_image(const ConvNetSpec& net, Index stage) {
  ConvSpec halving;
  halving.stride = 2;
  ImageSpec image = net.image;
  for (Index i = 0; i < stage; ++i) image = conv_output(image, halving);
  return image;
}

Shape shape_after(const ConvNetSpec& net, Index width, Index blocks) {
  const Index stage = blocks == 0 ? 0 : stage_place(net, blocks - 1).stage;
  return {net.staged() ? net.widths.at(static_cast<std::size_t>(stage)) : width,
          stage_image(net, stage).positions()};
}

Shape StackSpec::shape() const {
  return family->is_conv() ? shape_after(conv, width, 0) : Shape{width, tokens.tokens};
}

Index StackSpec::layers(Index depth) const {
  return conv.staged() ? conv.blocks() : depth;
}

std::vector<Index> StackSpec::stage_ends(Index layers) const {
  if (!conv.staged()) return {0, layers - 1};
  std::vector<Index> all;
  Index end = 0;
  for (const Index stage : conv.stages) {
    all.push_back(end);
    end += stage;
    all.push_back(end - 1);
  }
  return all;
}

BranchSizes StackSpec::sizes(Index l) const {
  BranchSizes sizes{width, hidden(), tokens.attention.heads, tokens.attention.kv_heads, {}};
  if (!family->is_conv()) return sizes;
  const StagePlace place = stage_place(conv, l);
  const Shape before = shape_after(conv, width, l);
  ConvBranchSpec& branch = sizes.conv;
  branch.order = conv_order();
  branch.kernel_height = branch.kernel_width = conv.kernel;
  branch.padding = conv.padding;
  branch.bottleneck = conv.bottleneck;
  branch.stride = place.transition ? 2 : 1;
  branch.image = stage_image(conv, place.stage - (place.transition ? 1 : 0));
  sizes.features = before.features;
  branch.outputs = shape_after(conv, width, l + 1).features;
  branch.inner = conv.bottleneck ? branch.outputs / bottleneck_ratio : branch.outputs;
  if (NormSpec norm = conv_norm()) {
    norm.samples = conv.image.batch;
    branch.norms.assign(static_cast<std::size_t>(branch.convolutions()), norm);
  }
  return sizes;
}

ConvOrder StackSpec::conv_order() const {
  return conv.order.value_or(scheme.scheme().conv.order);
}

NormSpec StackSpec::conv_norm() const {
  const std::string_view own = scheme.scheme().conv.norm;
  NormSpec norm = conv.norm ? *conv.norm : own.empty() ? NormSpec{} : NormSpec::of(own);
  if (conv.initial_statistics && norm && !norm.kind->with_given_statistics.empty())
    norm.kind = &norms().at(norm.kind->with_given_statistics);
  return norm;
}

ShortcutKind StackSpec::conv_shortcut() const {
  return conv.shortcut.value_or(scheme.scheme().conv.shortcut);
}

}  // namespace rezero
