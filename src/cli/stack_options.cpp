#include "cli/stack_options.h"

#include "cli/limits.h"
#include "cli/output_path.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"
#include "rezero/io/file.h"

namespace rezero::cli {
namespace {

constexpr std::uint64_t largest_config = 1 << 28;  // reports with many values are plans as well

}  // namespace

void add_plan_options(CommandLine& line, detail::OptionUse use, const detail::OptionTable& table) {
  for (const detail::OptionGroup& group : table) {
    line.group(std::string(group.heading));
    for (const detail::PlanOption& option : group.options) {
      if (!option.used_in(use)) continue;
      if (option.is_switch())
        line.flag(option.shown(), option.help_text(use));
      else
        line.option(option.shown(), option.value_name(use), option.help_text(use), option.default_in(use));
      if (option.repeats) line.repeatable(option.shown());
    }
  }
}

PlanOptions written_options(const ParsedLine& line, const detail::OptionTable& table) {
  PlanOptions written;
  detail::for_each_option(table, [&](const detail::PlanOption& option) {
    if (const auto text = line.find(std::string(option.name))) option.parse(*text, written);
  });
  return written;
}

PlanOptions plan_options(const ParsedLine& line) {
  PlanOptions written = written_options(line);
  if (const auto config = line.find("config")) {
    refuse_output_onto(line, "--config", *config);
    written = merge(plan_options_from_json(read_file(*config, largest_config), *config), written);
  }
  refuse_output_onto_inputs(line, written);
  return written;
}

SweepPlan read_plan(const PlanOptions& options, PlanUse use) {
  std::optional<Real> of_plan;
  if (options.max_memory) of_plan = options.max_memory->count;
  ResolveContext context;
  context.use = use;
  context.require_memory = [max_memory = memory_limit(of_plan)](Real bytes, const std::string& path) {
    if (bytes > max_memory)
      throw MemoryError("reading '" + printable(path) + "' would need " + bytes_text(bytes) +
                        " of memory, more than the " + bytes_text(max_memory) +
                        " allowed (raise --max-memory)");
  };
  return resolve_plan(options, context);
}

}  // namespace rezero::cli
