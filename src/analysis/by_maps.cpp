#include "analysis/by_maps.h"

#include <algorithm>

#include "analysis/by_rows.h"
#include "analysis/depth_view.h"
#include "analysis/factors.h"
#include "rezero/analysis/observe.h"
#include "rezero/jacobian/block_maps.h"

namespace rezero::detail {
namespace {

/// J as products, in several roundings.
void see_products(ReportedJacobian& seen, const BlockMaps& maps, const DepthView& view) {
  constexpr int roundings = 3;
  const auto seen_in = [&](Rounding rounding) {
    return view.around(maps.jacobian(seen.blocks, rounding), rounding);
  };
  seen.J.map = seen_in({});
  for (int sample = 0; sample < roundings; ++sample)
    seen.J.maps_in_other_rounding.push_back(seen_in({true, sample}));
  seen.underflow = [&maps] { return maps.underflow(); };
}

/// J formed by rows, and its factors unless `missing` says why there are none. `formed` must outlive `seen`.
void see_rows(ReportedJacobian& seen, FormedJacobian& formed, const BlockMaps& maps, const DepthView& view,
              std::optional<std::string> missing, const CellContext& context) {
  const FactorSource factors = factors_of(maps, seen.blocks, view, [&context] { context.checkpoint(); });
  formed = form_by_rows(factors, view.state().mantissa.size(), context.threads);
  seen.J = view_of(formed.J);
  if (missing)
    seen.J.factors.missing = std::move(*missing);
  else
    seen.J.factors = factors;
  seen.forming = formed.forming;
  seen.zeros_hold = formed.zeros_hold;
  seen.underflow = [&formed, &maps] { return std::max(formed.underflow, maps.underflow()); };
}

}  // namespace

void run_by_maps(const StackPtr& stack, const Cell& cell, const AnalysisOptions& options,
                 const CellContext& context, const std::function<void()>& on_block,
                 const std::function<void(DepthResult)>& visit) {
  const Index per_layer = stack->blocks_per_layer();
  const Vector x0 = stack->input();
  BlockMapsOptions maps_options;
  maps_options.kept_blocks = cell.route.kept_blocks(context.memory);
  maps_options.checkpoint = [&context] { context.checkpoint(); };
  const BlockMaps maps(stack, x0, cell.depths.back() * per_layer, maps_options);
  for (Index l = 0; l < maps.blocks(); ++l) on_block();
  for (std::size_t i = 0; i < cell.depths.size(); ++i) {
    ReportedJacobian seen;
    seen.depth = cell.depths[i];
    seen.blocks = seen.depth * per_layer;
    const EndNorms norms(*stack->block(seen.blocks - 1));
    const DepthView view(*stack, options, seen.blocks, x0, maps.state(seen.blocks), norms);
    seen.start = view.start();
    seen.state = view.state();
    seen.null_directions = view.null_directions();
    FormedJacobian formed;
    if (cell.route.by_rows)
      see_rows(seen, formed, maps, view, cell.route.factors_missing(i), context);
    else
      see_products(seen, maps, view);
    visit(observe(seen, options, cell.labels.seed, context.threads));
  }
}

}  // namespace rezero::detail
