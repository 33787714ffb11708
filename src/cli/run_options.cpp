#include "cli/run_options.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>

#include "cli/dry_run.h"
#include "cli/limits.h"
#include "cli/notices.h"
#include "cli/output.h"
#include "cli/output_path.h"
#include "cli/progress.h"
#include "cli/tally.h"
#include "cli/tool_info.h"
#include "cli/unresolved_rows.h"
#include "rezero/config/list.h"
#include "rezero/config/resolve.h"
#include "rezero/core/error.h"
#include "rezero/parallel/for_each.h"

namespace rezero::cli {
namespace {

constexpr Index most_threads = 4096;

/// json for a file or a pipe, a table for a terminal; the ending of a file name may select another format.
std::string default_format(const std::optional<std::string>& output, const Environment& env) {
  if (!output) return env.out_is_terminal ? "table" : "json";
  const std::string ending = output->substr(std::min(output->rfind('.'), output->size()));
  for (const RendererKind& kind : renderers())  // a format without verdicts is refused by name later
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

/// The peak memory of this program. getrusage would also count the memory of its parent, of which the process
/// was a copy before it became this program, so it is used only if the kernel does not provide more.
std::uint64_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0) return std::stoull(line.substr(6)) * 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

/// If finished rows stay in a file: the line printed about them if a signal ends the run.
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
  if (settings.dry_run) return dry_run(plan, cells, settings.threads, env);
  const Real limit = memory_limit(plan.analysis.max_memory);
  const CostEstimate cost = estimate_cost(plan, cells);
  require_memory(plan, cost, limit);
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
  run.threads = settings.threads;
  run.memory = limit;
  run.stop = env.stop;
  if (progress.wanted()) run.progress = [&progress](const SweepProgress& now) { progress.update(now); };
  Tally tally(plan);
  UnresolvedRows unresolved(plan, cells);
  renderer->begin(context);
  const SweepSummary summary = run_sweep(plan, cells, run, [&](const CellResult& row) {
    tally.add(row);
    unresolved.add(row);
    renderer->cell(row);
    kept.add();
  });
  progress.clear();
  info.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  info.threads = spread_of(cost, settings.threads, limit).threads();
  info.host = host_name();
  info.peak_bytes = peak_bytes();
  renderer->end(summary, info);
  sink->commit();
  kept.complete();
  if (const auto notice = unresolved.notice(spread_of(cost, settings.threads, limit));
      notice && !settings.quiet)
    env.err("note: " + *notice + "\n");
  return tally.conclude(env);
}

}  // namespace rezero::cli
