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

/// The value of `from`: from a file, or drawn for the declared extents. A file with one axis more than
/// declared holds several, which go to `samples`.
Tensor input_of(const SweepPlan& plan, const std::string& text, const onnx::Endpoints& ends,
                const onnx::SymbolSizes& sizes, std::uint64_t seed, PlanFiles& files,
                std::vector<Vector>& samples) {
  if (plan.input.law == InputLaw::values) {
    Tensor tensor = tensor_from(text, files);
    if (!tensor.is_real())
      throw UsageError("--input '" + printable(text) + "' holds no floating-point numbers");
    if (ends.port.has_dims && tensor.dims().size() == ends.port.dims.size() + 1 && tensor.size() > 0) {
      const Vector& all = tensor.reals();
      samples = split_samples({all.data(), all.data() + all.size()}, tensor.dims()[0]);
      tensor = Tensor::of(graph::Dims(tensor.dims().begin() + 1, tensor.dims().end()), samples.front());
    }
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
           "an ONNX model instead of random stacks, or several, one network at several points of its "
           "training; --depth then counts residual blocks")
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
      .checked_by(check_feed);
  group.add("dim", &PlanOptions::dim, "sizes of symbolic dimensions")
      .named("NAME=SIZE")
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

namespace {

/// One model of the plan, with its input.
struct Imported {
  onnx::OnnxStackPtr stack;
  onnx::Endpoints ends;
  std::vector<Vector> samples;
  Vector input;
};

Imported import_model(const std::string& path, const SweepPlan& plan, const PlanOptions& options,
                      std::uint64_t seed, PlanFiles& files, const MemoryCheck& require) {
  const std::string bytes = files.read(path);
  return in_file(path, [&] {
    const auto model = std::make_shared<const graph::Model>(onnx::parse_model(bytes, path, require));
    Imported imported;
    imported.ends = onnx::find_endpoints(*model, options.from, options.to);
    const onnx::SymbolSizes sizes = sizes_of(options);
    onnx::require_symbols(*model, sizes);
    onnx::OnnxOptions settings;
    settings.seed = seed, settings.block_pattern = options.block_pattern;
    Tensor value = input_of(plan, value_or_default(options, &PlanOptions::input), imported.ends, sizes, seed,
                            files, imported.samples);
    settings.feeds = feeds_of(options, *model, sizes, files);
    imported.input = value.reals();
    imported.stack = onnx::make_onnx_stack(model, imported.ends, std::move(value), settings);
    return imported;
  });
}

/// Checkpoints are one network: equally many blocks of equal shapes.
void require_same_network(const StackInput& first, const Imported& next, const std::string& path) {
  const Stack &a = *first.stack, &b = *next.stack;
  bool same = a.blocks() == b.blocks();
  for (Index l = 0; same && l <= a.blocks(); ++l) same = a.shape_after(l) == b.shape_after(l);
  if (!same)
    throw UsageError("--onnx '" + printable(path) + "' does not have the blocks of '" +
                     printable(first.file.path) +
                     "' (several models must be one network at several points of its training)");
}

}  // namespace

void resolve_graphs(SweepPlan& plan, const PlanOptions& options, const ResolveContext& context,
                    PlanFiles& files) {
  const std::vector<std::uint64_t> seeds = value_or_default(options, &PlanOptions::seed);
  if (seeds.size() > 1)
    throw UsageError("--seed takes one seed with --onnx (of Dropout masks and of a random input)");
  plan.input.law = input_law(value_or_default(options, &PlanOptions::input));
  for (const std::string& path : *options.onnx) {
    Real most = 0;
    const auto require = [&](Real bytes) {
      most = std::max(most, bytes);
      if (context.require_memory) context.require_memory(bytes, path);
    };
    Imported imported = import_model(path, plan, options, seeds.front(), files, require);
    if (plan.stack) {
      require_same_network(*plan.stack, imported, path);
      plan.stack->later.push_back({files.at(path), imported.stack});
      plan.stack->reading_bytes = std::max(plan.stack->reading_bytes, most);
      continue;
    }
    plan.stack.emplace();
    StackInput& first = *plan.stack;
    first.file = files.at(path), first.stack = imported.stack, first.reading_bytes = most;
    first.own_input = false, first.samples = std::move(imported.samples);
    plan.input.values = std::move(imported.input);
    first.graph = GraphInput{imported.ends.from,
                             imported.ends.to,
                             options.feed.value_or(Names{}),
                             options.dim.value_or(Names{}),
                             options.block_pattern,
                             seeds.front(),
                             imported.stack->program().masks};
  }
  const Names& models = *options.onnx;
  for (const InputFile& file : files.all())
    if (std::find(models.begin(), models.end(), file.path) == models.end())
      plan.files.push_back(file);  // the input first, as input_text expects
  plan.depths =
      depths_within(options, plan.stack->stack->blocks(), "--onnx '" + printable(models.front()) + "'");
}

void describe_graphs(const SweepPlan& plan, PlanOptions& options) {
  const GraphInput& graph = *plan.stack->graph;
  options.onnx = Names{plan.stack->file.path};
  for (const StackCheckpoint& checkpoint : plan.stack->later) options.onnx->push_back(checkpoint.file.path);
  options.from = graph.from, options.to = graph.to;
  if (!graph.feeds.empty()) options.feed = graph.feeds;
  if (!graph.dims.empty()) options.dim = graph.dims;
  options.block_pattern = graph.block_pattern;
  options.depth = plan.depths;
  options.seed = std::vector<std::uint64_t>{graph.seed};
  options.input = input_text(plan);
  options.files.push_back(plan.stack->file);
  for (const StackCheckpoint& checkpoint : plan.stack->later) options.files.push_back(checkpoint.file);
}

}  // namespace rezero::detail
