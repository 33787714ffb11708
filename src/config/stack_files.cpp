#include "config/stack_files.h"

#include <algorithm>

#include "config/axes.h"
#include "config/file_list.h"
#include "config/names.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"
#include "rezero/io/stack_file.h"

namespace rezero::detail {
namespace {

std::string counted(Index count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

std::string shape_text(Shape shape) {
  return joined({shape.positions, shape.features}, " × ");
}

/// How the blocks of b differ in shape from those of a; empty if they do not.
std::string difference(const Stack& a, const Stack& b) {
  if (a.blocks() != b.blocks()) return counted(b.blocks(), "block") + ", not " + std::to_string(a.blocks());
  for (Index l = 0; l <= a.blocks(); ++l)
    if (a.shape_after(l) != b.shape_after(l))
      return shape_text(b.shape_after(l)) + " numbers " +
             (l == 0 ? "at its input" : "after block " + std::to_string(l - 1)) + ", not " +
             shape_text(a.shape_after(l));
  return {};
}

/// The stack with the input of the options instead of its own.
StackFile with_given_input(StackFile file, const InputSpec& law, InputFiles& inputs, std::size_t i) {
  const Shape shape = file.stack->shape();
  if (law.law != InputLaw::values) {
    file.stack = with_input(file.stack, draw_input(law, shape, 0));
    return file;
  }
  const InputArray& array = inputs.array(i);
  file.samples = samples_for(array, shape, inputs.path(i));
  file.stack = with_input(file.stack, file.samples ? (*file.samples)[0] : *array.numbers);
  return file;
}

}  // namespace

Real bytes_of(const Stack& stack) {
  Real bytes = 0;
  for (Index l = 0; l < stack.blocks(); ++l)
    bytes += block_overhead_bytes + stack.block(l)->weight_count() * sizeof(Real);
  return bytes;
}

MemoryCheck ReadingMemory::of(const std::string& path) {
  return [this, path](Real bytes) {
    peak_ = std::max(peak_, kept_ + bytes);
    if (context_.require_memory) context_.require_memory(kept_ + bytes, path);
  };
}

const InputArray& InputFiles::array(std::size_t stack) {
  const std::string& at = path(stack);
  const auto known = arrays_.find(at);
  if (known != arrays_.end()) return known->second;
  InputArray array = read_input(at, files_, memory_.of(at));
  if (!array.is_real()) throw UsageError("--input '" + printable(at) + "' holds no floating-point numbers");
  memory_.keep(static_cast<Real>(array.numbers->size()) * sizeof(Real));
  return arrays_.emplace(at, std::move(array)).first->second;
}

void add_stack_file(StackInput& stacks, StackFile next, std::string_view option) {
  if (!stacks.files.empty()) {
    const StackFile& first = stacks.first();
    std::string other = difference(*first.stack, *next.stack);
    const Index samples = next.samples ? next.samples->count : 0;
    if (other.empty() && samples != stacks.samples())
      other = counted(samples, "sample") + ", not " + std::to_string(stacks.samples());
    if (!other.empty())
      throw UsageError(std::string(option) + " '" + printable(next.file.path) + "' has " + other + " as '" +
                       printable(first.file.path) +
                       "' (several files are one network at several points of its training)");
  }
  stacks.files.push_back(std::move(next));
}

void finish_stack_files(SweepPlan& plan, const PlanOptions& options, const PlanFiles& files,
                        const ReadingMemory& memory, std::string_view option) {
  StackInput& stacks = *plan.stack;
  stacks.reading_bytes = memory.peak();
  const Index blocks = stacks.first().stack->blocks();
  plan.depths = ascending(options.depth.value_or(std::vector<Index>{blocks}));
  if (plan.depths.back() > blocks)
    throw UsageError("--depth " + std::to_string(plan.depths.back()) + " is more than the " +
                     counted(blocks, "block") + " of " + std::string(option) + " '" +
                     printable(stacks.first().file.path) + "'");
  require_few_rows(static_cast<Real>(stacks.files.size()) *
                       static_cast<Real>(std::max<Index>(stacks.samples(), 1)) *
                       static_cast<Real>(plan.depths.size()),
                   "files × samples × depths");
  const std::vector<std::string> paths = stack_paths(stacks);
  for (const InputFile& file : files.all())
    if (std::find(paths.begin(), paths.end(), file.path) == paths.end()) plan.files.push_back(file);
}

void resolve_stack_files(SweepPlan& plan, const PlanOptions& options, const ResolveContext& context,
                         PlanFiles& files) {
  const std::vector<std::string> paths = expand_files(*options.stack, options.files, "--stack");
  StackInput& stacks = plan.stack.emplace();
  ReadingMemory memory(context);
  if (options.input) {
    stacks.own_input = false, plan.input.law = input_law(*options.input);
    if (plan.input.law == InputLaw::values)
      stacks.inputs = expand_inputs(*options.input, paths.size(), options.files);
  }
  InputFiles inputs(stacks.inputs, files, memory);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    std::string bytes = files.read(paths[i]);
    StackFile next{files.at(paths[i]), nullptr};
    next.stack = context.read_stack ? context.read_stack(std::move(bytes), paths[i])
                                    : parse_stack_file(std::move(bytes), paths[i], memory.of(paths[i]));
    if (options.input) next = with_given_input(std::move(next), plan.input, inputs, i);
    if (paths.size() > 1) memory.keep(bytes_of(*next.stack));
    add_stack_file(stacks, std::move(next), "--stack");
  }
  finish_stack_files(plan, options, files, memory, "--stack");
}

void describe_stack_files(const SweepPlan& plan, PlanOptions& options) {
  options.stack = stack_paths(*plan.stack);
  options.depth = plan.depths;
  if (!plan.stack->own_input) options.input = input_text(plan);
  describe_hashes(*plan.stack, options);
}

std::vector<std::string> stack_paths(const StackInput& stacks) {
  std::vector<std::string> paths;
  for (const StackFile& each : stacks.files) paths.push_back(each.file.path);
  return paths;
}

void describe_hashes(const StackInput& stacks, PlanOptions& options) {
  for (const StackFile& each : stacks.files) options.files.push_back(each.file);
}

}  // namespace rezero::detail
