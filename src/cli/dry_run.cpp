#include "cli/dry_run.h"

#include <cmath>
#include <optional>

#include "cli/limits.h"
#include "cli/routes_text.h"
#include "rezero/config/list.h"
#include "rezero/core/error.h"

namespace rezero::cli {
namespace {

std::string smaller_sizes(const SweepPlan& plan) {
  if (plan.stack) return "";
  if (!plan.family->has_images()) return "use a smaller --width or fewer --tokens, or ";
  return std::string("use a smaller --image, --batch or ") + (plan.conv.staged() ? "--widths" : "--width") +
         ", or ";
}

/// A limit in whole megabytes, in the notation of --max-memory, under which the plan would fit; nothing if
/// the plan has a limit, or if none helps.
std::optional<std::string> limit_that_helps(const SweepPlan& plan, Real limit) {
  if (plan.analysis.max_memory) return std::nullopt;
  SweepPlan limited = plan;
  const Real megabytes = std::floor(limit / 1e6);
  limited.analysis.max_memory = megabytes * 1e6;
  if (estimate_cost(limited, expand_cells(limited)).bytes(1) > megabytes * 1e6) return std::nullopt;
  return shortest(megabytes) + "M";
}

constexpr Real start_seconds = 0.003;  // of the process

}  // namespace

void require_memory(const SweepPlan& plan, const CostEstimate& cost, Real limit) {
  if (cost.bytes(1) <= limit) return;
  const std::optional<std::string> helps = limit_that_helps(plan, limit);
  throw MemoryError("this would need " + bytes_text(cost.bytes(1)) + " of memory, more than the " +
                    bytes_text(limit) + " allowed (" +
                    (helps ? "give --max-memory " + *helps + " for a method that fits, " : "") +
                    smaller_sizes(plan) + "raise --max-memory)");
}

int dry_run(const SweepPlan& plan, const CellList& cells, int threads_wanted, const Environment& env) {
  const Real limit = memory_limit(plan.analysis.max_memory);
  const CostEstimate cost = estimate_cost(plan, cells);
  const Spread spread = spread_of(cost, threads_wanted, limit);
  const int threads = spread.threads(), at_once = spread.cells_at_once;
  const Real rate = measure_flop_rate(), seconds = start_seconds + duration(cost, spread) / rate;
  CostEstimate most = cost;
  most.effort += most.more_effort;
  std::string text = "cells    " + std::to_string(cost.cells) + " (" + std::to_string(cost.rows) + " rows)\n";
  const Real bytes = cost.bytes(at_once), least = cost.least_bytes(at_once);
  text +=
      "memory   " + bytes_text(least) +
      (bytes_text(least) != bytes_text(bytes) ? " (up to " + bytes_text(bytes) + " for the product method)"
                                              : "") +
      extra_text(cost.extra_bytes(at_once, limit)) + " with " + std::to_string(threads) +
      (threads == 1 ? " thread" : " threads") + ", limit " + bytes_text(limit) + "\n";
  text += routes_text(plan, cells, limit);
  text += "time     about " + seconds_text(seconds) +
          (cost.more_effort > 0 ? ", up to " + seconds_text(start_seconds + duration(most, spread) / rate) +
                                      " if all spectra need the product method"
                                : "") +
          "; " + shortest(std::round(cost.flops / 1e7) / 100) + " GFLOP\n";
  env.out(text);
  require_memory(plan, cost, limit);
  return exit_ok;
}

}  // namespace rezero::cli
