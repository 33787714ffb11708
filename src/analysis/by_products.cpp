#include "analysis/by_products.h"

#include <algorithm>
#include <cmath>

#include "analysis/final_norm.h"
#include "rezero/analysis/observe.h"
#include "rezero/jacobian/block_maps.h"
#include "rezero/linalg/maps.h"

namespace rezero::detail {
namespace {

/// J with what the report sees around it: the final norm, one position's rows and columns.
class View {
 public:
  View(const Stack& stack, const AnalysisOptions& options) : stack_(stack), options_(options) {}

  ScaledMap map(ScaledMap J, const ScaledVector& state, Index depth, Rounding rounding) {
    state_ = state;
    const Index n = stack_.shape().size(), d = stack_.shape().features,
                rows = stack_.shape_after(depth).size();
    std::vector<LinearMapPtr> factors;
    if (options_.view.wrt) factors.push_back(transpose_map(segment_map(n, *options_.view.wrt * d, d)));
    factors.push_back(J.map);
    if (options_.final_norm) {
      FinalNorm norm = final_norm_at(stack_, state, depth - 1, rounding);
      factors.push_back(norm.derivative.map);
      J.exponent += norm.derivative.exponent;
      state_ = std::move(norm.value);
    }
    if (options_.view.of) factors.push_back(segment_map(rows, *options_.view.of * d, d));
    return {product_map(std::move(factors)), J.exponent};
  }

  ScaledVector state() const { return part(state_); }
  ScaledVector part(const ScaledVector& x) const {
    if (!options_.view.of) return x;
    const Index d = stack_.shape().features;
    return {Vector(x.mantissa.segment(*options_.view.of * d, d)), x.exponent};
  }

 private:
  const Stack& stack_;
  const AnalysisOptions& options_;
  ScaledVector state_;
};

}  // namespace

void run_by_products(const StackPtr& stack, const Cell& cell, const AnalysisOptions& options,
                     const CellContext& context, const std::function<void(DepthResult)>& visit) {
  const Index per_layer = stack->blocks_per_layer();
  const Vector x0 = stack->input();
  BlockMapsOptions maps_options;
  maps_options.kept_blocks = cell.route.kept_blocks(context.memory);
  maps_options.checkpoint = [&context] { context.checkpoint(); };
  const BlockMaps maps(stack, x0, cell.depths.back() * per_layer, maps_options);
  for (Index l = 0; l < maps.blocks() && context.on_block; ++l) context.on_block();
  View view(*stack, options);
  for (const Index depth : cell.depths) {
    const Index blocks = depth * per_layer;
    JacobianView J;
    const auto seen_by = [&](Rounding rounding) {
      return view.map(maps.jacobian(blocks, rounding), maps.state(blocks), blocks, rounding);
    };
    for (int sample = 0; sample < 3; ++sample) J.maps_in_other_rounding.push_back(seen_by({true, sample}));
    J.map = seen_by({});
    const ScaledVector seen = view.state(), start = view.part({x0, 0});
    DepthResult result = observe_by_products({blocks, J, seen, [&maps] { return maps.underflow(); }}, start,
                                             options, cell.labels.seed, context.threads);
    result.depth = depth;
    visit(std::move(result));
  }
}

}  // namespace rezero::detail
