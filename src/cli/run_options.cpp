#include "cli/run_options.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <unordered_map>

#include "cli/limits.h"
#include "cli/notices.h"
#include "cli/output.h"
#include "cli/output_path.h"
#include "cli/progress.h"
#include "cli/tally.h"
#include "cli/tool_info.h"
#include "rezero/config/list.h"
#include "rezero/config/resolve.h"
#include "rezero/core/error.h"
#include "rezero/parallel/for_each.h"

namespace rezero::cli {
namespace {

constexpr Index most_threads = 4096;

/// json into a file or a pipe, a table on a terminal; a file name's ending may say otherwise.
std::string default_format(const std::optional<std::string>& output, const Environment& env) {
  if (!output) return env.out_is_terminal ? "table" : "json";
  const std::string ending = output->substr(std::min(output->rfind('.'), output->size()));
  for (const RendererKind& kind : renderers())  // one without verdicts is refused for them by name
    if (std::count(kind.extensions.begin(), kind.extensions.end(), ending) > 0) return std::string(kind.name);
  return "json";
}

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

/// The most this program has held. getrusage would count what the process held before it became this program,
/// a copy of its parent: it is asked only where the kernel does not tell more.
std::uint64_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0) return std::stoull(line.substr(6)) * 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

std::string smaller_sizes(const SweepPlan& plan) {
  if (plan.stack) return "";
  if (!plan.family->is_conv()) return "use a smaller --width or fewer --tokens, or ";
  return std::string("use a smaller --image, --batch or ") + (plan.conv.staged() ? "--widths" : "--width") +
         ", or ";
}

/// As many workers as fit into memory, where cells go side by side; all where one goes after the other.
int workers_for(const CostEstimate& one, const CellList& cells, const RunSettings& settings) {
  if (spread_of(cells.size(), settings.threads).cells_at_once == 1) return settings.threads;
  const Real room = settings.max_memory - one.shared_bytes;
  return static_cast<int>(std::min<Real>(settings.threads, std::floor(room / one.bytes_per_worker)));
}

/// MemoryError if not even one cell fits.
void require_memory(const SweepPlan& plan, const CostEstimate& one, const RunSettings& settings) {
  if (one.bytes > settings.max_memory)
    throw MemoryError("this would need " + bytes_text(one.bytes) + " of memory, more than the " +
                      bytes_text(settings.max_memory) + " allowed (" + smaller_sizes(plan) +
                      "raise --max-memory)");
}

/// workers_for a plan.
int workers_that_fit(const SweepPlan& plan, const CellList& cells, const RunSettings& settings) {
  const CostEstimate one = estimate_cost(plan, cells, 1, settings.max_memory);
  require_memory(plan, one, settings);
  return workers_for(one, cells, settings);
}

std::string count_of(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string extra_text(Real bytes) {
  return bytes > 0 ? " (and up to " + bytes_text(bytes) + " more where there is room)" : "";
}

/// A line for each way that cells go: `method   spectra by products, n = 32768, 1.2 GB, 900 GFLOP each: 1
/// cell`.
std::string ways_text(const SweepPlan& plan, const CellList& cells, Real max_memory) {
  std::vector<std::pair<std::string, std::size_t>> ways;
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t k = 0; k < cells.kinds(); ++k) {
    const Cell cell = cells.first_of_kind(k);
    const CellCost cost = cost_of(cell, plan.analysis, max_memory);
    if (cost.method.empty()) continue;
    const std::string way = cost.method + (cost.form == JacobianForm::map ? " by products" : " on J formed") +
                            ", n = " + std::to_string(cell.labels.dimension) + ", " + bytes_text(cost.bytes) +
                            extra_text(cost.extra_bytes) + ", " +
                            shortest(std::round(cost.flops / 1e7) / 100) + " GFLOP each: ";
    const auto [known, fresh] = places.emplace(way, ways.size());
    if (fresh) ways.emplace_back(way, 0);
    ways[known->second].second += cells.cells_per_kind();
  }
  std::string text;
  for (const auto& [way, count] : ways) text += "method   " + way + count_of(count, "cell") + "\n";
  return text;
}

int dry_run(const SweepPlan& plan, const CellList& cells, const RunSettings& settings,
            const Environment& env) {
  const CostEstimate one = estimate_cost(plan, cells, 1, settings.max_memory);
  const bool fits = one.bytes <= settings.max_memory;
  const int threads = fits ? workers_for(one, cells, settings) : settings.threads;
  const CostEstimate cost = estimate_cost(plan, cells, threads, settings.max_memory);
  const Real seconds = cost.flops / (measure_flop_rate() * threads);
  std::string text = "cells    " + std::to_string(cost.cells) + " (" + std::to_string(cost.rows) + " rows)\n";
  text += "memory   " + bytes_text(cost.bytes) + extra_text(cost.extra_bytes) + " with " +
          std::to_string(threads) + (threads == 1 ? " thread" : " threads") + ", limit " +
          bytes_text(settings.max_memory) + "\n";
  text += ways_text(plan, cells, settings.max_memory);
  text += "time     at least " + seconds_text(seconds) + ", " + shortest(std::round(cost.flops / 1e7) / 100) +
          " GFLOP at matrix-product speed\n";
  env.out(text);
  require_memory(plan, one, settings);
  return exit_ok;
}

/// Where finished rows stay in a file, what is said of them if a signal ends the run.
class KeptRows {
 public:
  KeptRows(const RunSettings& settings, const RendererKind& format, std::size_t all, const Environment& env)
      : all_(all), env_(env), wanted_(settings.output && format.keeps_rows && env.last_words) {
    if (wanted_) path_ = printable(*settings.output), tell();
  }
  void add() {
    ++kept_;
    if (wanted_) tell();
  }
  void complete() const {
    if (wanted_) env_.last_words("");
  }

 private:
  void tell() const {
    env_.last_words("rezero-analyze: interrupted: '" + path_ + "' keeps " + std::to_string(kept_) + " of " +
                    std::to_string(all_) + (all_ == 1 ? " row\n" : " rows\n"));
  }

  std::size_t kept_ = 0, all_;
  const Environment& env_;
  bool wanted_;
  std::string path_;
};

}  // namespace

void add_run_options(CommandLine& line) {
  line.group("Run");
  line.option("--threads", "N", "number of worker threads", "the number of processors");
  line.option("--max-memory", "BYTES", "refuse runs that would need more memory (4G, 512Mi)",
              "80 % of what this process may use");
  line.flag("--dry-run", "print the number of cells, the memory and a rough time, then exit");
  line.option("-c,--config", "FILE",
              "a plan, or a report whose plan is repeated; options given here take precedence");
  line.flag("--dump-plan", "print the resolved plan as JSON, then exit");
  line.option("--progress", "MODE", "auto (a bar on a terminal), never or plain (lines)", "auto");
  line.flag("-q,--quiet", "no notices and no progress");
}

void add_output_options(CommandLine& line, ReportKind kind) {
  line.group("Output");
  line.option("-o,--output", "FILE",
              "output file, written atomically (- is standard output); ndjson is written row by row, and an "
              "interrupted run keeps its finished rows");
  line.option("--format", "NAME", format_names(kind), "table on a terminal, else json");
  line.flag("--version", "print version and build");
}

RunSettings run_settings(const ParsedLine& line, ReportKind kind, const Environment& env) {
  RunSettings settings;
  settings.threads = available_processors();
  if (const auto text = line.find("threads")) {
    const Index threads = parse_count(*text, "--threads");
    if (threads > most_threads) throw UsageError("--threads may be at most " + std::to_string(most_threads));
    settings.threads = static_cast<int>(threads);
  }
  settings.max_memory = memory_share * usable_memory();
  if (const auto text = line.find("max-memory")) settings.max_memory = parse_bytes(*text, "--max-memory");
  settings.output = output_path(line);
  settings.format = line.find("format").value_or(default_format(settings.output, env));
  make_renderer(settings.format, kind,
                [](std::string_view) {});  // an unknown format is refused before any work
  settings.progress = line.find("progress").value_or("auto");
  settings.quiet = line.has("quiet");
  parse_progress(settings.progress, settings.quiet, env);
  settings.dry_run = line.has("dry-run");
  settings.dump_plan = line.has("dump-plan");
  return settings;
}

int execute(const SweepPlan& plan, ReportKind kind, const RunSettings& settings, const Environment& env) {
  if (settings.dump_plan) {
    env.out(plan_json(plan, 2) + "\n");
    return exit_ok;
  }
  const CellList cells = expand_cells(plan);
  if (settings.dry_run) return dry_run(plan, cells, settings, env);
  const int workers = workers_that_fit(plan, cells, settings);
  if (!settings.quiet)
    for (const std::string& notice : plan_notices(plan)) env.err("note: " + notice + "\n");

  const auto start = std::chrono::steady_clock::now();
  RunInfo info;
  info.started_at_utc = now_utc();
  const RendererKind& format = renderers().at(settings.format);
  const std::unique_ptr<Sink> sink = open_sink(settings.output, format, env);
  KeptRows kept(settings, format, cells.rows(), env);
  const auto renderer =
      make_renderer(settings.format, kind, [&sink](std::string_view text) { sink->append(text); });
  ReportContext context;
  context.tool = tool_info();
  context.plan = &plan;
  context.plan_json = plan_json(plan);

  ProgressReport progress(parse_progress(settings.progress, settings.quiet, env), env);
  RunOptions run;
  run.threads = workers;
  run.max_memory = settings.max_memory;
  run.stop = env.stop;
  if (progress.wanted()) run.progress = [&progress](Index done, Index all) { progress.update(done, all); };
  Tally tally;
  renderer->begin(context);
  const SweepSummary summary = run_sweep(plan, cells, run, [&](const CellResult& row) {
    tally.add(row);
    renderer->cell(row);
    kept.add();
  });
  progress.clear();
  info.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  info.threads = workers;
  info.host = host_name();
  info.peak_bytes = peak_bytes();
  renderer->end(summary, info);
  sink->commit();
  kept.complete();
  return tally.conclude(env);
}

}  // namespace rezero::cli
