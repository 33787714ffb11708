#include "config/checkpoints.h"

#include <algorithm>

#include "config/axes.h"
#include "config/file_list.h"
#include "config/names.h"
#include "config/options.h"
#include "config/stack_files.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"

namespace rezero::detail {
namespace {

using Names = std::vector<std::string>;

/// The layout that was asked for. UsageError naming those that fit if none was.
LayoutSpec layout_of(const PlanOptions& options, const std::string& path, const std::string& bytes) {
  if (options.layout) return LayoutSpec(*options.layout);
  const SafetensorsFile file = parse_state_dict(bytes, path);
  Names fitting;
  for (const Layout* layout : fitting_layouts(file, options.leave_out.value_or(Names{})))
    fitting.emplace_back(layout->name);
  throw UsageError("--checkpoint '" + printable(path) + "' needs --layout NAME (" +
                   (fitting.empty() ? "see --layout list; its names fit none of them"
                                    : "its names fit " + joined({fitting.begin(), fitting.end()})) +
                   ")");
}

/// Positions of the input: of the file that holds it, or of --tokens.
Index positions_of(const PlanOptions& options, const InputArray* array, const InputFiles& inputs,
                   std::size_t i) {
  static const Family& usual = families().at("transformer");
  if (!array) return value_or_default(options, &PlanOptions::tokens, &usual);
  const std::size_t rank = array->dims.size();  // of one input 2, of several 3
  const Index found = rank == 2 || rank == 3 ? array->dims[rank - 2] : 1;
  if (options.tokens && *options.tokens != found)
    throw UsageError("--tokens " + std::to_string(*options.tokens) + " and --input '" +
                     printable(inputs.path(i)) + "' contradict each other (the file has " +
                     std::to_string(found) + " positions)");
  return std::max<Index>(found, 1);  // samples_for refuses a file without any
}

}  // namespace

OptionGroup checkpoint_options() {
  OptionGroup group{"Checkpoints", {}};
  group
      .add(
          "checkpoint", &PlanOptions::checkpoint,
          "a model's state dict (safetensors) instead of random stacks, or a list or quoted pattern of them, "
          "one network through its training; --depth then counts its blocks, two per layer")
      .named("FILE")
      .repeatable()
      .help_in(OptionUse::one_stack,
               "a model's state dict (safetensors) instead of random stacks; --depth then counts its blocks, "
               "two per layer");
  group
      .add("layout", &PlanOptions::layout,
           "what the tensors of the checkpoint are called and mean; list explains all layouts")
      .named("NAME[:P=V]...")
      .checked_by(makes<LayoutSpec>);
  group
      .add("leave-out", &PlanOptions::leave_out,
           "tensors of the checkpoint that are not part of the stack: names, or their first components")
      .named("NAME")
      .repeatable();
  for (PlanOption& option : group.options) option.for_checkpoints_only();
  return group;
}

CheckpointSettings checkpoint_settings(const PlanOptions& options) {
  CheckpointSettings settings;
  settings.heads = options.heads;
  settings.causal = options.causal.value_or(false);
  settings.leave_out = options.leave_out.value_or(Names{});
  if (!options.activation) return settings;
  if (options.activation->size() > 1) throw UsageError("--activation takes one activation with --checkpoint");
  settings.activation = Activation(options.activation->front());
  return settings;
}

namespace {

/// How a model was read, as far as all of a plan are read alike.
CheckpointInput seen_in(const Checkpoint& model, const LayoutSpec& layout, const CheckpointSettings& settings,
                        std::uint64_t seed) {
  CheckpointInput seen;
  seen.layout = layout.canonical();
  seen.heads = model.facts.heads, seen.positions = settings.positions;
  seen.causal = settings.causal;
  seen.activation =
      settings.activation ? settings.activation->canonical() : std::string(layout.layout().activation);
  seen.leave_out = settings.leave_out, seen.seed = seed;
  seen.outside = model.facts.outside, seen.final_norm = model.facts.final_norm;
  seen.left_out = model.facts.left_out;
  return seen;
}

/// Otherwise the plan could not say how the second was read.
void require_read_alike(const StackInput& stacks, const CheckpointInput& next, const std::string& path) {
  const CheckpointInput& first = *stacks.checkpoint;
  const auto refuse = [&](const std::string& this_one, const std::string& other) {
    throw UsageError("--checkpoint '" + printable(path) + "' has " + this_one + ", '" +
                     printable(stacks.first().file.path) + "' " + other +
                     " (several files are one network at several points of its training)");
  };
  if (next.heads != first.heads) refuse(std::to_string(next.heads) + " heads", std::to_string(first.heads));
  if (next.final_norm.empty() != first.final_norm.empty())
    refuse(next.final_norm.empty() ? "no norm after its layers" : "a norm after its layers",
           next.final_norm.empty() ? "has one" : "has none");
}

/// Adds the names that are not in the list yet.
void add_names(Names& names, const Names& more) {
  for (const std::string& name : more)
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

/// File i of the plan, as its layout reads it, with its input.
StackFile read_checkpoint(const std::string& path, std::size_t i, SweepPlan& plan, const PlanOptions& options,
                          std::uint64_t seed, PlanFiles& files, InputFiles& inputs,
                          const MemoryCheck& require_memory) {
  StackInput& stacks = *plan.stack;
  Real most = 0;
  const auto require = [&](Real bytes) {
    most = std::max(most, bytes);
    require_memory(bytes);
  };
  CheckpointSettings settings = checkpoint_settings(options);
  std::string bytes = files.read(path);
  const LayoutSpec layout = layout_of(options, path, bytes);
  const bool given = plan.input.law == InputLaw::values;
  settings.positions = positions_of(options, given ? &inputs.array(i) : nullptr, inputs, i);
  Checkpoint model = parse_checkpoint(std::move(bytes), path, layout, settings, require);
  if (options.final_norm.value_or(false) && !model.final_norm)
    throw UsageError("--final-norm: checkpoint '" + printable(path) + "' has no norm after its layers");
  const Shape shape = model.blocks.front().shape;
  require_countable({shape.features}, static_cast<Real>(shape.positions), "--tokens");
  CheckpointInput seen = seen_in(model, layout, settings, seed);
  if (stacks.checkpoint) {
    require_read_alike(stacks, seen, path);
    add_names(stacks.checkpoint->outside, seen.outside);
    add_names(stacks.checkpoint->left_out, seen.left_out);
  } else {
    stacks.checkpoint = std::move(seen);
  }
  StackFile file{files.at(path), nullptr};
  if (given) file.samples = samples_for(inputs.array(i), shape, inputs.path(i));
  // Twice: as it is drawn, and in the stack.
  require(most + 2 * sizeof(Real) * static_cast<Real>(shape.size()));
  Vector x = !given         ? draw_input(plan.input, shape, seed)
             : file.samples ? (*file.samples)[0]
                            : *inputs.array(i).numbers;
  file.stack = make_stack(std::move(model.blocks), std::move(x), std::move(model.final_norm));
  return file;
}

}  // namespace

void resolve_checkpoints(SweepPlan& plan, const PlanOptions& options, const ResolveContext& context,
                         PlanFiles& files) {
  const std::vector<std::uint64_t> seeds = value_or_default(options, &PlanOptions::seed);
  if (seeds.size() > 1) throw UsageError("--seed takes one seed with --checkpoint (of a random input)");
  const Names paths = expand_files(*options.checkpoint, options.files, "--checkpoint");
  const std::string input = value_or_default(options, &PlanOptions::input);
  plan.input.law = input_law(input);
  StackInput& stacks = plan.stack.emplace();
  stacks.own_input = false;
  if (plan.input.law == InputLaw::values) stacks.inputs = expand_inputs(input, paths.size(), options.files);
  ReadingMemory memory(context);
  InputFiles inputs(stacks.inputs, files, memory);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    StackFile next =
        read_checkpoint(paths[i], i, plan, options, seeds.front(), files, inputs, memory.of(paths[i]));
    if (paths.size() > 1) memory.keep(bytes_of(*next.stack));
    add_stack_file(stacks, std::move(next), "--checkpoint");
  }
  finish_stack_files(plan, options, files, memory, "--checkpoint");
}

void describe_checkpoints(const SweepPlan& plan, PlanOptions& options) {
  const CheckpointInput& seen = *plan.stack->checkpoint;
  options.checkpoint = stack_paths(*plan.stack);
  options.layout = seen.layout;
  if (!seen.leave_out.empty()) options.leave_out = seen.leave_out;
  options.depth = plan.depths;
  options.heads = seen.heads, options.tokens = seen.positions;
  if (seen.causal) options.causal = true;
  options.activation = Names{seen.activation};
  options.seed = std::vector<std::uint64_t>{seen.seed};
  options.input = input_text(plan);
  describe_hashes(*plan.stack, options);
}

}  // namespace rezero::detail
