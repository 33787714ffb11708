#pragma once
/// Plans that are run, and results constructed by hand, in any format.

#include <string>
#include <vector>

#include "rezero/analysis/sweep.h"
#include "rezero/config/resolve.h"
#include "rezero/report/renderer.h"

namespace rezero::test {

inline SweepPlan plan_of(const PlanOptions& options, PlanUse use = PlanUse::analysis) {
  ResolveContext context;
  context.use = use;
  return resolve_plan(options, context);
}

/// A small plan: residual and rezero blocks of width 6 at depths 1 and 3.
inline PlanOptions small_options() {
  PlanOptions options;
  options.scheme = {"residual", "rezero:alpha=0.5"};
  options.width = std::vector<Index>{6};
  options.depth = std::vector<Index>{1, 3};
  return options;
}

/// Post-norm transformers: 8 features, 3 tokens, 2 heads, one and two layers.
inline PlanOptions transformer_options() {
  PlanOptions options;
  options.scheme = {"post-ln"}, options.family = "transformer";
  options.width = std::vector<Index>{8}, options.depth = std::vector<Index>{1, 2};
  options.tokens = 3, options.heads = 2;
  return options;
}

inline RunInfo some_run() {
  return {"2026-01-31T12:00:00Z", 0.25, 2, "host", 1 << 20};
}

/// The text of given results.
inline std::string written(const SweepPlan& plan, const std::string& format,
                           const std::vector<CellResult>& results, const SweepSummary& summary) {
  std::string text;
  const ReportKind kind = plan.analysis.checks.empty() ? ReportKind::report : ReportKind::verdict;
  const auto renderer = make_renderer(format, kind, [&](std::string_view piece) { text += piece; });
  ReportContext context;
  context.tool.version = "0.0";
  context.plan = &plan;
  context.plan_json = plan_json(plan);
  renderer->begin(context);
  for (const CellResult& result : results) renderer->cell(result);
  renderer->end(summary, some_run());
  return text;
}

/// The text of a plan that is run.
inline std::string run_and_write(const SweepPlan& plan, const std::string& format) {
  std::vector<CellResult> results;
  const SweepSummary summary =
      run_sweep(plan, expand_cells(plan), {}, [&](const CellResult& result) { results.push_back(result); });
  return written(plan, format, results, summary);
}

/// One row with the given singular values (as value · 2^exponent), nothing else known.
inline CellResult row_of(const Spectrum& spectrum) {
  CellResult result;
  result.labels.scheme = SchemeSpec("residual");
  result.labels.family = "mlp", result.labels.activation = "relu", result.labels.init = "he";
  result.labels.width = result.labels.dimension = spectrum.dimension;
  result.labels.tokens = 1;
  DepthResult depth;
  depth.depth = depth.blocks = 1;
  depth.rows = depth.cols = spectrum.dimension;
  depth.spectrum = spectrum;
  depth.metrics.resize(metrics().size());
  result.depths.push_back(std::move(depth));
  return result;
}

inline Spectrum full_spectrum(std::vector<ScaledReal> sigma) {
  Spectrum spectrum;
  spectrum.dimension = static_cast<Index>(sigma.size());
  spectrum.sigma_max = sigma.empty() ? ScaledReal{} : sigma.front();
  spectrum.sigma = std::move(sigma);
  spectrum.accuracy.certified = true;
  spectrum.accuracy.relative_resolution = 1e-14;
  spectrum.provenance.method = "dense";
  return spectrum;
}

}  // namespace rezero::test
