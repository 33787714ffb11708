#include "config/checkpoints.h"

#include <algorithm>

#include "config/axes.h"
#include "config/graphs.h"
#include "config/input.h"
#include "config/names.h"
#include "config/options.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"
#include "rezero/io/npy.h"

namespace rezero::detail {
namespace {

using Names = std::vector<std::string>;

/// The layout that was asked for. UsageError naming those that fit if none was.
LayoutSpec layout_of(const PlanOptions& options, const std::string& bytes) {
  if (options.layout) return LayoutSpec(*options.layout);
  const std::string& path = *options.checkpoint;
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
Index positions_of(const PlanOptions& options, const std::string& input, PlanFiles& files) {
  static const Family& usual = families().at("transformer");
  if (input_law(input) != InputLaw::values) return value_or_default(options, &PlanOptions::tokens, &usual);
  const NpyArray array = parse_npy(files.read(input), "'" + input + "'");
  const Index found = array.shape.size() == 2 ? array.shape[0] : 1;
  if (options.tokens && *options.tokens != found)
    throw UsageError("--tokens " + std::to_string(*options.tokens) + " and --input '" + printable(input) +
                     "' contradict each other (the file has " + std::to_string(found) + " positions)");
  return std::max<Index>(found, 1);  // resolve_input refuses a file without any
}

}  // namespace

OptionGroup checkpoint_options() {
  OptionGroup group{"Checkpoints", {}};
  group
      .add("checkpoint", &PlanOptions::checkpoint,
           "a model's state dict (safetensors) instead of random stacks; --depth then counts its blocks, two "
           "per layer")
      .named("FILE");
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

void resolve_checkpoint(SweepPlan& plan, const PlanOptions& options, const ResolveContext& context,
                        PlanFiles& files) {
  const std::string& path = *options.checkpoint;
  const std::vector<std::uint64_t> seeds = value_or_default(options, &PlanOptions::seed);
  if (seeds.size() > 1) throw UsageError("--seed takes one seed with --checkpoint (of a random input)");
  Real most = 0;
  const auto require = [&](Real bytes) {
    most = std::max(most, bytes);
    if (context.require_memory) context.require_memory(bytes, path);
  };
  const std::string input = value_or_default(options, &PlanOptions::input);
  CheckpointSettings settings = checkpoint_settings(options);
  std::string bytes = files.read(path);
  const LayoutSpec layout = layout_of(options, bytes);
  settings.positions = positions_of(options, input, files);
  Checkpoint model = parse_checkpoint(std::move(bytes), path, layout, settings, require);
  if (options.final_norm.value_or(false) && !model.final_norm)
    throw UsageError("--final-norm: checkpoint '" + printable(path) + "' has no norm after its layers");
  const Shape shape = model.blocks.front().shape;
  require_countable({shape.features}, static_cast<Real>(shape.positions), "--tokens");
  plan.input = resolve_input(input, shape, files);
  CheckpointInput seen;
  seen.layout = layout.canonical();
  seen.heads = model.facts.heads, seen.positions = settings.positions;
  seen.causal = settings.causal;
  seen.activation =
      settings.activation ? settings.activation->canonical() : std::string(layout.layout().activation);
  seen.leave_out = settings.leave_out, seen.seed = seeds.front();
  seen.outside = model.facts.outside, seen.final_norm = model.facts.final_norm;
  seen.left_out = model.facts.left_out;
  // Twice: as it is drawn, and in the stack.
  require(most + 2 * sizeof(Real) * static_cast<Real>(shape.size()));
  const StackPtr stack = make_stack(std::move(model.blocks), draw_input(plan.input, shape, seeds.front()),
                                    std::move(model.final_norm));
  plan.stack = StackInput{files.at(path), stack, most, false, {}, std::move(seen)};
  for (const InputFile& file : files.all())
    if (file.path != path) plan.files.push_back(file);
  plan.depths = depths_within(options, stack->blocks(), "--checkpoint '" + printable(path) + "'");
}

void describe_checkpoint(const SweepPlan& plan, PlanOptions& options) {
  const CheckpointInput& seen = *plan.stack->checkpoint;
  options.checkpoint = plan.stack->file.path;
  options.layout = seen.layout;
  if (!seen.leave_out.empty()) options.leave_out = seen.leave_out;
  options.depth = plan.depths;
  options.heads = seen.heads, options.tokens = seen.positions;
  if (seen.causal) options.causal = true;
  options.activation = Names{seen.activation};
  options.seed = std::vector<std::uint64_t>{seen.seed};
  options.input = input_text(plan);
  options.files.push_back(plan.stack->file);
}

}  // namespace rezero::detail
