#include "config/graphs.h"

#include <algorithm>

#include "config/axes.h"
#include "config/input.h"
#include "config/names.h"
#include "config/options.h"
#include "rezero/config/list.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"
#include "rezero/io/npy.h"
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
  const std::string bytes = files.read(path);
  if (ends_with(path, ".pb")) return onnx::parse_tensor(bytes, path);
  const NpyArray array = parse_npy(bytes, "'" + path + "'");
  return Tensor::of(array.shape, Vector(Eigen::Map<const Vector>(array.values.data(),
                                                                 static_cast<Index>(array.values.size()))));
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

/// The value of `from`: from a file, or drawn for the declared extents.
Tensor input_of(const SweepPlan& plan, const std::string& text, const onnx::Endpoints& ends,
                const onnx::SymbolSizes& sizes, std::uint64_t seed, PlanFiles& files) {
  if (plan.input.law == InputLaw::values) {
    Tensor tensor = tensor_from(text, files);
    if (!tensor.is_real())
      throw UsageError("--input '" + printable(text) + "' holds no floating-point numbers");
    onnx::require_dims(ends.port, tensor.dims(), sizes, "--input '" + printable(text) + "'");
    return tensor;
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
      .add("onnx", &PlanOptions::onnx,
           "an ONNX model instead of random stacks; --depth then counts its residual blocks")
      .named("FILE");
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

std::vector<Index> depths_within(const PlanOptions& options, Index blocks, const std::string& what) {
  std::vector<Index> depths = ascending(options.depth.value_or(std::vector<Index>{blocks}));
  if (depths.back() > blocks)
    throw UsageError("--depth " + std::to_string(depths.back()) + " is more than the " +
                     std::to_string(blocks) + (blocks == 1 ? " block of " : " blocks of ") + what);
  return depths;
}

void resolve_graphs(SweepPlan& plan, const PlanOptions& options, const ResolveContext& context,
                    PlanFiles& files) {
  if (options.onnx->size() > 1) throw UsageError("--onnx takes one model");
  const std::string& path = options.onnx->front();
  const std::vector<std::uint64_t> seeds = value_or_default(options, &PlanOptions::seed);
  if (seeds.size() > 1)
    throw UsageError("--seed takes one seed with --onnx (of Dropout masks and of a random input)");
  Real most = 0;
  const auto require = [&](Real bytes) {
    most = std::max(most, bytes);
    if (context.require_memory) context.require_memory(bytes, path);
  };
  const std::string bytes = files.read(path);
  in_file(path, [&] {
    const auto model = std::make_shared<const graph::Model>(onnx::parse_model(bytes, path, require));
    const onnx::Endpoints ends = onnx::find_endpoints(*model, options.from, options.to);
    const onnx::SymbolSizes sizes = sizes_of(options);
    onnx::require_symbols(*model, sizes);
    const std::string input = value_or_default(options, &PlanOptions::input);
    plan.input.law = input_law(input);
    onnx::OnnxOptions settings;
    settings.seed = seeds.front(), settings.block_pattern = options.block_pattern;
    Tensor value = input_of(plan, input, ends, sizes, seeds.front(), files);
    settings.feeds = feeds_of(options, *model, sizes, files);
    plan.input.values = value.reals();
    const onnx::OnnxStackPtr stack = onnx::make_onnx_stack(model, ends, std::move(value), settings);
    plan.stack = StackInput{files.at(path), stack, most, false, {}};
    plan.stack->graph = GraphInput{ends.from,
                                   ends.to,
                                   options.feed.value_or(Names{}),
                                   options.dim.value_or(Names{}),
                                   options.block_pattern,
                                   seeds.front(),
                                   stack->program().masks};
  });
  for (const InputFile& file : files.all())
    if (file.path != path) plan.files.push_back(file);  // the input first, as input_text expects
  plan.depths = depths_within(options, plan.stack->stack->blocks(), "--onnx '" + printable(path) + "'");
}

void describe_graphs(const SweepPlan& plan, PlanOptions& options) {
  const GraphInput& graph = *plan.stack->graph;
  options.onnx = Names{plan.stack->file.path};
  options.from = graph.from, options.to = graph.to;
  if (!graph.feeds.empty()) options.feed = graph.feeds;
  if (!graph.dims.empty()) options.dim = graph.dims;
  options.block_pattern = graph.block_pattern;
  options.depth = plan.depths;
  options.seed = std::vector<std::uint64_t>{graph.seed};
  options.input = input_text(plan);
  options.files.push_back(plan.stack->file);
}

}  // namespace rezero::detail
