#include "analysis/depth_view.h"

#include "rezero/linalg/maps.h"

namespace rezero::detail {
namespace {

/// One position of `size` numbers.
LinearMapPtr position_map(Index size, Index features, std::optional<Index> position) {
  return position ? segment_map(size, *position * features, features) : nullptr;
}

ScaledVector part(const ScaledVector& x, Index features, std::optional<Index> position) {
  if (!position) return x;
  return {Vector(x.mantissa.segment(*position * features, features)), x.exponent};
}

}  // namespace

LinearMapPtr seen_columns(const Stack& stack, const TokenView& view) {
  const LinearMapPtr position = position_map(stack.shape().size(), stack.shape().features, view.wrt);
  return position ? transpose_map(position) : nullptr;
}

DepthView::DepthView(const Stack& stack, const AnalysisOptions& options, Index blocks, const Vector& x0,
                     ScaledVector state, const EndNorms& norms)
    : blocks_(blocks), shape_(stack.shape_after(blocks)), before_(seen_columns(stack, options.view)) {
  const Index features = stack.shape().features;
  NormSpec last = norms.post;
  if (options.final_norm) {
    const NormSpec own = stack.final_norm();
    norm_ = last = own ? own : norms.final_norm();
    before_norm_ = std::move(state);
    state = final_norm_at(*norm_, shape_, before_norm_, blocks_).value;
  }
  null_directions_ = last ? last.null_directions(shape_) : 0;
  // A direction that spans several positions proves nothing about one position's rows.
  if (options.view.of)
    null_directions_ = last && last.kind->across_positions ? 0 : null_directions_ / shape_.positions;
  rows_ = position_map(shape_.size(), features, options.view.of);
  start_ = part({x0, 0}, features, options.view.of);
  state_ = part(state, features, options.view.of);
}

ScaledMap DepthView::after(Index i, Rounding rounding) const {
  if (norm_ && i == 0) return final_norm_at(*norm_, shape_, before_norm_, blocks_, rounding).derivative;
  return {rows_, 0};
}

ScaledMap DepthView::around(ScaledMap J, Rounding rounding) const {
  std::vector<LinearMapPtr> maps;
  if (before_) maps.push_back(before_);
  maps.push_back(J.map);
  for (Index i = 0; i < count_after(); ++i) {
    const ScaledMap map = after(i, rounding);
    maps.push_back(map.map);
    J.exponent += map.exponent;
  }
  return {product_map(std::move(maps)), J.exponent};
}

}  // namespace rezero::detail
