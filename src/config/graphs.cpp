#include "config/graphs.h"

#include <algorithm>

#include "config/file_list.h"
#include "config/names.h"
#include "config/options.h"
#include "config/stack_files.h"
#include "rezero/config/list.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"
#include "rezero/onnx/onnx_stack.h"
#include "rezero/onnx/reader.h"

namespace rezero::detail {
namespace {

using graph::Tensor;
using Names = std::vector<std::string>;

/// `NAME=VALUE`, split at the last sign that leaves a value.
std::pair<std::string, std::string> assignment(const std::string& text, std::string_view option) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos || sign == 0 || sign + 1 == text.size())
    throw UsageError(std::string(option) + " '" + printable(text) +
                     "' is not NAME=" + (option == "--dim" ? "SIZE" : "FILE"));
  return {text.substr(0, sign), text.substr(sign + 1)};
}

void check_feed(const std::string& text, std::string_view option) {
  assignment(text, option);
}
void check_dim(const std::string& text, std::string_view option) {
  parse_count(assignment(text, option).second, option);
}

onnx::SymbolSizes sizes_of(const PlanOptions& options) {
  onnx::SymbolSizes sizes;
  for (const std::string& text : options.dim.value_or(Names{})) {
    const auto [name, size] = assignment(text, "--dim");
    if (!sizes.emplace(name, parse_count(size, "--dim")).second)
      throw UsageError("--dim names '" + printable(name) + "' twice");
  }
  return sizes;
}

/// A tensor from .npy, or .pb.
Tensor tensor_from(const std::string& path, PlanFiles& files) {
  if (ends_with(path, ".pb")) return onnx::parse_tensor(files.read(path), path);
  const InputArray array = read_input(path, files, {});
  return Tensor::of(array.dims, *array.numbers);
}

/// Numbers of a file as the type that the port declares.
Tensor as_declared(Tensor tensor, graph::Element element) {
  if (element == graph::Element::real || !tensor.is_real()) return tensor;
  graph::Integers whole;
  for (const Real x : tensor.reals()) whole.push_back(static_cast<std::int64_t>(x));
  return Tensor::of(tensor.dims(), std::move(whole), element);
}

std::map<std::string, Tensor> feeds_of(const PlanOptions& options, const graph::Model& model,
                                       const onnx::SymbolSizes& sizes, PlanFiles& files) {
  std::map<std::string, Tensor> feeds;
  std::vector<std::string_view> known;
  for (const graph::Port& port : model.graph.inputs) known.push_back(port.name);
  for (const std::string& text : options.feed.value_or(Names{})) {
    const auto [name, path] = assignment(text, "--feed");
    const auto port = std::find_if(model.graph.inputs.begin(), model.graph.inputs.end(),
                                   [&name = name](const graph::Port& each) { return each.name == name; });
    if (port == model.graph.inputs.end())
      throw UsageError("--feed: " + unknown_name_message("graph input", name, known));
    Tensor tensor = as_declared(tensor_from(path, files), port->element);
    onnx::require_dims(*port, tensor.dims(), sizes, "--feed " + printable(name));
    if (!feeds.emplace(name, std::move(tensor)).second)
      throw UsageError("--feed names '" + printable(name) + "' twice");
  }
  return feeds;
}

/// require_dims, with advice for one that takes a batch for a list of samples.
void require_input(const graph::Port& port, const graph::Dims& dims, const onnx::SymbolSizes& sizes,
                   const std::string& option, bool is_sample) {
  try {
    onnx::require_dims(port, dims, sizes, option + (is_sample ? ", a list of samples," : ""));
  } catch (const UsageError& error) {
    const bool equal_rank = !is_sample && !dims.empty() && dims.size() == port.dims.size();
    throw UsageError(error.what() + std::string(equal_rank ? " (a list of samples has one axis more)" : ""));
  }
}

/// The value of `from` of stack i: from a file, or drawn for the declared extents. Several samples go to
/// `samples`.
Tensor input_of(const SweepPlan& plan, InputFiles& inputs, std::size_t i, const onnx::Endpoints& ends,
                const onnx::SymbolSizes& sizes, std::uint64_t seed, std::optional<SampleList>& samples) {
  if (plan.input.law == InputLaw::values) {
    const std::string option = "--input '" + printable(inputs.path(i)) + "'";
    const InputArray& array = inputs.array(i);
    // Without declared extents the number of axes is not known, and any array is one input.
    if (ends.port.has_dims) samples = samples_of(array, ends.port.dims.size(), inputs.path(i));
    const graph::Dims dims(array.dims.begin() + (samples ? 1 : 0), array.dims.end());
    require_input(ends.port, dims, sizes, option, samples.has_value());
    return Tensor::of(dims, samples && samples->numbers->size() > 0 ? (*samples)[0] : *array.numbers);
  }
  const std::optional<graph::Dims> dims = onnx::declared_dims(ends, sizes);
  if (!dims)
    throw UsageError("the file does not say how large the tensor '" + printable(ends.from) +
                     "' is (give --input FILE.npy)");
  return Tensor::of(*dims, draw_input(plan.input, onnx::shape_of(*dims), seed));
}

/// Errors of the importer, with the file in which they were found.
template <class F>
auto in_file(const std::string& path, F&& f) {
  const std::string file = "'" + printable(path) + "': ";
  const auto named = [&](const std::string& message) {
    return message.find(printable(path)) == std::string::npos ? file + message : message;
  };
  try {
    return f();
  } catch (const UsageError& error) {
    throw UsageError(named(error.what()));
  } catch (const IoError& error) {
    throw IoError(named(error.what()));
  } catch (const MemoryError& error) {
    throw MemoryError(named(error.what()));
  }
}

}  // namespace

OptionGroup graph_options() {
  OptionGroup group{"ONNX models", {}};
  group
      .add(
          "onnx", &PlanOptions::onnx,
          "ONNX models instead of random stacks: one, or a list or quoted pattern (step_*.onnx), one network "
          "through its training; --depth then counts its residual blocks")
      .named("FILE")
      .repeatable();
  group
      .add("from", &PlanOptions::from,
           "tensor with respect to which J is taken: a name, #node, or the end of a name")
      .named("TENSOR")
      .default_text("the first floating-point input");
  group.add("to", &PlanOptions::to, "tensor of which J is taken")
      .named("TENSOR")
      .default_text("the first output");
  group.add("feed", &PlanOptions::feed, "values of other inputs of the graph, from .npy or .pb files")
      .named("NAME=FILE")
      .repeatable()
      .checked_by(check_feed);
  group.add("dim", &PlanOptions::dim, "sizes of symbolic dimensions")
      .named("NAME=SIZE")
      .repeatable()
      .checked_by(check_dim);
  group
      .add("block-pattern", &PlanOptions::block_pattern,
           "regular expression: only sums whose tensor's name matches end a residual block")
      .named("REGEX");
  for (PlanOption& option : group.options)
    option.for_graphs_only().only_in({OptionUse::analysis, OptionUse::verify});
  return group;
}

namespace {

/// One model of the plan, with its input.
struct Imported {
  onnx::OnnxStackPtr stack;
  onnx::Endpoints ends;
  std::optional<SampleList> samples;
  Real bytes = 0;  ///< of the model, which stays
};

Real bytes_of(const graph::Model& model) {
  Real bytes = 0;
  for (const auto& [name, tensor] : model.graph.initializers)
    bytes += static_cast<Real>(tensor.size()) * sizeof(Real);
  return bytes;
}

/// Model i of the plan.
Imported import_model(const std::string& path, std::size_t i, const SweepPlan& plan,
                      const PlanOptions& options, std::uint64_t seed, PlanFiles& files, InputFiles& inputs,
                      const MemoryCheck& require) {
  const std::string bytes = files.read(path);
  return in_file(path, [&] {
    const auto model = std::make_shared<const graph::Model>(onnx::parse_model(bytes, path, require));
    for (const graph::ExternalFile& file : model->external_files) files.note(file.path, file.sha256);
    Imported imported;
    imported.bytes = bytes_of(*model);
    imported.ends = onnx::find_endpoints(*model, options.from, options.to);
    const onnx::SymbolSizes sizes = sizes_of(options);
    onnx::require_symbols(*model, sizes);
    onnx::OnnxOptions settings;
    settings.seed = seed, settings.block_pattern = options.block_pattern;
    Tensor value = input_of(plan, inputs, i, imported.ends, sizes, seed, imported.samples);
    settings.feeds = feeds_of(options, *model, sizes, files);
    imported.stack = onnx::make_onnx_stack(model, imported.ends, std::move(value), settings);
    return imported;
  });
}

GraphInput graph_input(const Imported& imported, const PlanOptions& options, std::uint64_t seed) {
  return {imported.ends.from,
          imported.ends.to,
          options.feed.value_or(Names{}),
          options.dim.value_or(Names{}),
          options.block_pattern,
          seed,
          imported.stack->program().masks};
}

/// Otherwise the plan could not say between which tensors J was taken.
void require_same_endpoints(const StackInput& stacks, const onnx::Endpoints& ends, const std::string& path) {
  const GraphInput& first = *stacks.graph;
  if (ends.from == first.from && ends.to == first.to) return;
  throw UsageError("--onnx '" + printable(path) + "' goes from '" + printable(ends.from) + "' to '" +
                   printable(ends.to) + "', but '" + printable(stacks.first().file.path) + "' from '" +
                   printable(first.from) + "' to '" + printable(first.to) +
                   "' (several files are one network at several points of its training)");
}

}  // namespace

void resolve_graphs(SweepPlan& plan, const PlanOptions& options, const ResolveContext& context,
                    PlanFiles& files) {
  const std::vector<std::uint64_t> seeds = value_or_default(options, &PlanOptions::seed);
  if (seeds.size() > 1)
    throw UsageError("--seed takes one seed with --onnx (of Dropout masks and of a random input)");
  const Names paths = expand_files(*options.onnx, options.files, "--onnx");
  const std::string input = value_or_default(options, &PlanOptions::input);
  plan.input.law = input_law(input);
  StackInput& stacks = plan.stack.emplace();
  stacks.own_input = false;
  if (plan.input.law == InputLaw::values) stacks.inputs = expand_inputs(input, paths.size(), options.files);
  ReadingMemory memory(context);
  InputFiles inputs(stacks.inputs, files, memory);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string& path = paths[i];
    const Imported imported =
        import_model(path, i, plan, options, seeds.front(), files, inputs, memory.of(path));
    memory.keep(imported.bytes);
    if (stacks.graph)
      require_same_endpoints(stacks, imported.ends, path);
    else
      stacks.graph = graph_input(imported, options, seeds.front());
    add_stack_file(stacks, {files.at(path), imported.stack, imported.samples}, "--onnx");
  }
  finish_stack_files(plan, options, files, memory, "--onnx");
}

void describe_graphs(const SweepPlan& plan, PlanOptions& options) {
  const GraphInput& graph = *plan.stack->graph;
  options.onnx = stack_paths(*plan.stack);
  options.from = graph.from, options.to = graph.to;
  if (!graph.feeds.empty()) options.feed = graph.feeds;
  if (!graph.dims.empty()) options.dim = graph.dims;
  options.block_pattern = graph.block_pattern;
  options.depth = plan.depths;
  options.seed = std::vector<std::uint64_t>{graph.seed};
  options.input = input_text(plan);
  describe_hashes(*plan.stack, options);
}

}  // namespace rezero::detail
