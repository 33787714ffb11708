#include "cli/commands.h"
#include "cli/limits.h"
#include "cli/notices.h"
#include "cli/output_path.h"
#include "cli/stack_options.h"
#include "cli/tool_info.h"
#include "rezero/core/error.h"
#include "rezero/core/text.h"
#include "rezero/io/stack_file.h"

namespace rezero::cli {
namespace {

template <class List>
void require_one(const List& list, const char* option) {
  if (list.size() != 1)
    throw UsageError("export writes one stack, got " + std::to_string(list.size()) + " values of " + option +
                     " (give one)");
}

/// Without --depth a net with stages has one depth per stage, but their number is not why it is refused.
void require_one_shape(const SweepPlan& plan) {
  const std::vector<LayerRun> runs = geometry_of(plan, plan.widths.front())->runs(plan.depths.back());
  if (runs.size() > 1)
    throw UsageError(
        "export cannot write a net with several --stages (the first block of a later stage changes the shape "
        "of "
        "the state, and a stack file of version 1 has no shortcut for that): give a --depth of at most " +
        std::to_string(runs.front().count) + ", within the first stage, or leave out --stages");
}

/// The only cell described by the options.
StackSpec one_stack(const SweepPlan& plan) {
  require_one_shape(plan);
  require_one(plan.schemes, "--scheme");
  require_one(plan.depths, "--depth");
  require_one(plan.widths, "--width");
  require_one(plan.activations, "--activation");
  require_one(initializers_of(plan, plan.schemes[0]), "--init");
  require_one(plan.seeds, "--seed");
  return stack_spec(plan, plan.schemes[0], plan.widths[0], plan.activations[0],
                    initializer_of(plan, plan.schemes[0]));
}

/// One block is in memory at a time: its weights, the raw draws, and a copy in the order of the file.
void require_memory(const StackSpec& spec) {
  const Real needed = 3 * block_weight_bytes(spec), allowed = memory_limit(std::nullopt);
  if (needed > allowed)
    throw MemoryError("this would need " + bytes_text(needed) + " of memory, more than the " +
                      bytes_text(allowed) + " allowed (use a smaller --width)");
}

std::vector<std::pair<std::string, std::string>> provenance(const SweepPlan& plan) {
  const ToolInfo tool = tool_info();
  return {
      {"tool", tool.name + " " + tool.version},   {"scheme", plan.schemes[0].canonical()},
      {"family", std::string(plan.family->name)}, {"init", initializer_of(plan, plan.schemes[0]).canonical()},
      {"depth", std::to_string(plan.depths[0])},  {"seed", std::to_string(plan.seeds[0])}};
}

std::vector<std::pair<std::string, std::string>> checkpoint_provenance(const SweepPlan& plan) {
  const ToolInfo tool = tool_info();
  const CheckpointInput& model = *plan.stack->checkpoint;
  return {{"tool", tool.name + " " + tool.version},
          {"checkpoint", printable(plan.stack->first().file.path)},
          {"sha256", plan.stack->first().file.sha256},
          {"layout", model.layout},
          {"seed", std::to_string(model.seed)}};
}

/// The blocks of a checkpoint, without its norm after them, which a stack file has no place for.
void write_checkpoint(const SweepPlan& plan, const std::string& path, const Environment& env,
                      const std::function<void()>& checkpoint) {
  require_one(plan.stack->files, "--checkpoint");
  require_one(plan.depths, "--depth");
  if (const Index samples = plan.stack->samples(); samples > 0)
    throw UsageError("export writes one stack with one input, and --input '" +
                     printable(plan.stack->inputs.front()) + "' is a list of " + std::to_string(samples));
  for (const std::string& notice : checkpoint_notices(*plan.stack->checkpoint, false))
    env.err("note: " + notice + "\n");
  const StackPtr stack = plan.stack->first().stack;
  write_stack_file(*slice_stack(stack, 0, plan.depths[0], stack->input()), path, checkpoint_provenance(plan),
                   checkpoint);
}

int export_stack(const Arguments& args, const Environment& env) {
  CommandLine line(
      "rezero-analyze export [options] -o FILE.safetensors",
      "Writes one random stack, or the stack of a checkpoint, weights and input, as a rezero-stack file\n"
      "(docs/stack-format.md).\n",
      "Examples:\n"
      "  rezero-analyze export --scheme fixup --depth 12 --width 64 --seed 7 -o fixup.safetensors\n"
      "  rezero-analyze export --checkpoint model.safetensors --layout gpt2 --heads 12 -o "
      "stack.safetensors\n");
  add_plan_options(line, detail::OptionUse::one_stack);
  line.group("Output");
  line.option("-c,--config", "FILE", "a plan; options given here take precedence");
  line.option("-o,--output", "FILE", "output file, written atomically; - is standard output (required)");
  const auto parsed = line.parse(args);
  if (!parsed) return print(env, line.help());
  if (const auto layouts = layouts_text(*parsed)) return print(env, *layouts);
  if (!parsed->has("output")) throw UsageError("export needs -o FILE");
  const std::string path = output_path(*parsed).value_or("/dev/stdout");
  if (!output_path(*parsed) && env.out_is_terminal)
    throw UsageError(
        "export writes binary data, and standard output is a terminal (give -o FILE, or a pipe)");
  const PlanOptions options = plan_options(*parsed);
  if (options.stack || options.onnx)
    throw UsageError("export writes random stacks; the plan names a file, which is a stack already");
  const SweepPlan plan = read_plan(options, PlanUse::analysis);
  const auto checkpoint = [&env] {
    if (env.stop && *env.stop) throw Cancelled();
  };
  if (plan.stack) {
    write_checkpoint(plan, path, env, checkpoint);
    return exit_ok;
  }
  const StackSpec spec = one_stack(plan);
  require_memory(spec);
  const StackPtr stack = build_stack(spec, plan.seeds[0], plan.depths[0]);
  // A net with stages is built whole, whatever the requested depth.
  const Index blocks = plan.depths[0] * stack->blocks_per_layer();
  write_stack_file(*slice_stack(stack, 0, blocks, stack->input()), path, provenance(plan), checkpoint);
  return exit_ok;
}

}  // namespace

Command command_export() {
  Command command;
  command.name = "export";
  command.summary = "write one random stack, or that of a checkpoint, to a file";
  command.run = export_stack;
  return command;
}

}  // namespace rezero::cli
