#include "analysis/matrix_free.h"

#include "analysis/depth_view.h"
#include "rezero/analysis/observe.h"
#include "rezero/jacobian/block_maps.h"

namespace rezero::detail {

void run_matrix_free(const StackPtr& stack, const Cell& cell, const AnalysisOptions& options,
                     const CellContext& context, const std::function<void()>& on_block,
                     const std::function<void(DepthResult)>& visit) {
  constexpr int roundings = 3;
  const Index per_layer = stack->blocks_per_layer();
  const Vector x0 = stack->input();
  BlockMapsOptions maps_options;
  maps_options.kept_blocks = cell.route.kept_blocks(context.memory);
  maps_options.checkpoint = [&context] { context.checkpoint(); };
  const BlockMaps maps(stack, x0, cell.depths.back() * per_layer, maps_options);
  for (Index l = 0; l < maps.blocks(); ++l) on_block();
  for (const Index depth : cell.depths) {
    const Index blocks = depth * per_layer;
    const EndNorms norms(*stack->block(blocks - 1));
    const DepthView view(*stack, options, blocks, x0, maps.state(blocks), norms);
    const auto seen_in = [&](Rounding rounding) {
      return view.around(maps.jacobian(blocks, rounding), rounding);
    };
    ReportedJacobian seen;
    seen.depth = depth;
    seen.blocks = blocks;
    seen.J.map = seen_in({});
    for (int sample = 0; sample < roundings; ++sample)
      seen.J.maps_in_other_rounding.push_back(seen_in({true, sample}));
    seen.start = view.start();
    seen.state = view.state();
    seen.null_directions = view.null_directions();
    seen.underflow = [&maps] { return maps.underflow(); };
    visit(observe(seen, options, cell.labels.seed, context.threads));
  }
}

}  // namespace rezero::detail
