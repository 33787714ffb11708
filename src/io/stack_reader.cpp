#include <algorithm>
#include <limits>
#include <set>

#include "header_memory.h"
#include "json_cursor.h"
#include "rezero/core/error.h"
#include "rezero/io/safetensors.h"
#include "rezero/io/stack_file.h"
#include "stack_keys.h"
#include "stack_tensors.h"
#include "strict_json.h"

namespace rezero {

using detail::bytes_of_parsing;

namespace {

constexpr Real largest_real = std::numeric_limits<Real>::max();
constexpr std::int64_t largest_axis = std::int64_t{1} << 31;

/// Tensors by name. Each is marked when used, so that an unused one can be reported.
class Tensors {
 public:
  explicit Tensors(const SafetensorsFile& file) : file_(file) {}

  bool has(const std::string& name) const { return file_.find(name) != nullptr; }

  /// Marks a tensor as used. Its shape must be one of `shapes`.
  void take(const std::string& name, const std::vector<std::vector<Index>>& shapes) {
    const TensorInfo* info = file_.find(name);
    if (!info) fail("tensor '" + name + "' is missing");
    if (std::find(shapes.begin(), shapes.end(), info->shape) == shapes.end())
      fail("tensor '" + name + "' has shape " + text(info->shape) + ", expected " + text(shapes.front()));
    used_.insert(name);
  }

  Vector vector(const std::string& name, const std::vector<std::vector<Index>>& shapes) {
    take(name, shapes);
    return file_.matrix(name, file_.find(name)->count, 1);
  }

  /// A weight: outputs × inputs, or for a convolution outputs × inputs × kernel height × kernel width.
  Matrix weight(const std::string& name, const WeightSlot& slot) {
    take(name, {stack_tensors::shape(slot)});
    return file_.matrix(name, slot.rows(), slot.cols());
  }

  /// The shape of a convolution's weight.
  std::vector<Index> kernel(const std::string& name) const {
    const TensorInfo* info = file_.find(name);
    if (!info) fail("tensor '" + name + "' is missing");
    if (info->shape.size() != 4 || info->count == 0)
      fail("tensor '" + name + "' has shape " + text(info->shape) + ", expected out x in x height x width");
    if (info->shape[2] % 2 == 0 || info->shape[3] % 2 == 0)
      fail("tensor '" + name + "' has shape " + text(info->shape) + ", and kernels must be odd");
    return info->shape;
  }

  /// Rows of a weight whose number of columns is known: the hidden width.
  Index rows(const std::string& name) const {
    const TensorInfo* info = file_.find(name);
    if (!info) fail("tensor '" + name + "' is missing");
    if (info->shape.size() != 2 || info->count == 0)
      fail("tensor '" + name + "' has shape " + text(info->shape) + ", expected a matrix");
    return info->shape[0];
  }

  void require_all_used() const {
    for (const TensorInfo& info : file_.tensors())
      if (!used_.count(info.name))
        fail("tensor '" + printable(info.name) + "' is not part of the stack that the spec describes");
  }

  [[noreturn]] void fail(const std::string& problem) const { throw IoError(file_.what() + ": " + problem); }

 private:
  static std::string text(const std::vector<Index>& shape) { return "(" + joined(shape, ", ") + ")"; }
  const SafetensorsFile& file_;
  std::set<std::string> used_;
};

/// The shape of the state, and its extents if it consists of images.
struct State {
  Shape shape;
  ImageSpec image;
};

State read_state(const JsonCursor& at) {
  at.only({"features", "positions", "height", "width", "batch"});
  State state{{at.at("features").integer(1, largest_axis), at.at("positions").integer(1, largest_axis)}, {}};
  const auto extent = [&](const char* key, Index& field) {
    if (const auto value = at.optional(key)) field = value->integer(1, largest_axis);
  };
  state.image.width = 0;
  extent("height", state.image.height), extent("width", state.image.width),
      extent("batch", state.image.batch);
  const Index positions = state.shape.positions;
  if (positions % state.image.batch != 0) at.at("batch").fail("batch does not divide the positions");
  if (state.image.width == 0) state.image.width = positions / state.image.batch;
  // Axes can be as large as 2^31, so their product is compared factor by factor and cannot overflow.
  const Index pixels = positions / state.image.batch;
  if (pixels % state.image.height != 0 || pixels / state.image.height != state.image.width)
    at.fail("height x width x batch is not the number of positions, " + std::to_string(positions));
  return state;
}

/// The activation under `key` of `owner`, with its parameters; nothing if it is absent or null.
std::optional<Activation> read_activation(const JsonCursor& owner, std::string_view key) {
  const auto at = owner.optional(key);
  if (at) at->resolve([](const std::string& name) { return Activation(NamedSpec{name, {}}); });
  NamedSpec spec{at ? at->string() : "", {}};
  for (const std::string_view name : stack_keys::activation_params()) {
    const auto param = owner.optional(stack_keys::activation_stem(key) + std::string(name));
    if (!param) continue;
    if (!at) param->fail("there is no " + std::string(key));
    spec.params.emplace_back(name, shortest(param->real()));
    try {
      static_cast<void>(Activation(spec));
    } catch (const UsageError& error) {
      param->fail(error.what());
    }
  }
  return at ? std::optional<Activation>(spec) : std::nullopt;
}

void read_norm_params(const JsonCursor& at, Index features, NormSpec& norm) {
  stack_keys::check_norm(at, *norm.kind);
  for (const NormParam& param : norm.kind->numbers) {
    const auto field = param.kind == NormParam::Kind::trained ? std::nullopt : at.optional(param.name);
    if (!field) continue;
    if (param.kind == NormParam::Kind::constant) {
      norm.set(param.name, field->real_between(param.minimum, largest_real));
      continue;
    }
    const Index parts = field->integer(static_cast<Index>(param.minimum), features);
    if (features % parts != 0)
      field->fail(std::string(param.name) + " do not divide the " + std::to_string(features) + " features");
    norm.set(param.name, static_cast<Real>(parts));
  }
}

/// The norm under `key` of `owner`; its tensors are called `prefix`.weight, `prefix`.bias, ….
NormSpec read_norm(const JsonCursor& owner, std::string_view key, const std::string& prefix, Index features,
                   Index samples, Tensors& tensors) {
  NormSpec norm;
  const auto at = owner.optional(key);
  if (!at) return norm;
  norm.kind = at->at("kind").resolve([](const std::string& name) { return &norms().at(name); });
  read_norm_params(*at, features, norm);
  norm.samples = samples;
  const auto vector = [&](std::string_view field, Index size) {
    return std::make_shared<const Vector>(tensors.vector(prefix + std::string(field), {{size}}));
  };
  if (norm.kind->has_weight && tensors.has(prefix + ".weight")) norm.weight = vector(".weight", features);
  if (norm.kind->has_bias && tensors.has(prefix + ".bias")) norm.bias = vector(".bias", features);
  for (const NormParam& param : norm.kind->numbers)
    if (param.kind == NormParam::Kind::trained)
      norm.set(param.name, (*vector("." + std::string(param.name), 1))(0));
  if (norm.kind->has_running && tensors.has(prefix + ".running_mean"))
    norm.running_mean = vector(".running_mean", features);
  if (norm.kind->has_running && tensors.has(prefix + ".running_var")) {
    norm.running_var = vector(".running_var", features);
    if (!(norm.running_var->minCoeff() >= 0))
      tensors.fail("tensor '" + prefix + ".running_var' has a negative number");
  }
  return norm;
}

Scale read_scale(const JsonCursor& block, std::string_view key, Index i, Index features, Tensors& tensors) {
  const auto at = block.optional(key);
  Scale scale = Scale::number(1, ScaleRole::parameter);
  if (!at) return scale;
  if (at->is_string()) {
    at->one_of("scale", {"tensor"});
    scale.values = tensors.vector(stack_tensors::block(i, key), {{features}, {1}});
  } else {
    scale.values(0) = at->real();
  }
  return scale;
}

MixRule read_mix(const JsonCursor& block) {
  const auto at = block.optional("mix");
  return at ? at->word<MixRule>() : MixRule::additive;
}

WeightPair read_weight(const WeightSlot& slot, Index i, Tensors& tensors) {
  WeightPair pair;
  pair.weight = std::make_shared<Matrix>(tensors.weight(stack_tensors::weight(i, slot.role), slot));
  const std::string bias = stack_tensors::bias(i, slot.role);
  if (tensors.has(bias)) pair.bias = std::make_shared<Vector>(tensors.vector(bias, {{slot.outputs}}));
  return pair;
}

AttentionSpec read_attention(const JsonCursor& at, Index features) {
  AttentionSpec spec;
  spec.heads = at.at("heads").integer(1, features);
  if (features % spec.heads != 0)
    at.at("heads").fail("heads must divide the " + std::to_string(features) + " features");
  spec.kv_heads = spec.heads;
  if (const auto kv = at.optional("kv_heads")) {
    spec.kv_heads = kv->integer(1, spec.heads);
    if (spec.heads % spec.kv_heads != 0) kv->fail("kv_heads must divide heads");
  }
  if (const auto causal = at.optional("causal")) spec.causal = causal->boolean();
  if (const auto scale = at.optional("scale")) spec.scale = scale->real();
  if (const auto rope = at.optional("rope")) {
    spec.rope = rope->real_between(1, largest_real);
    if (features / spec.heads % 2 != 0) rope->fail("rotary positions need an even width per head");
  }
  if (const auto norm = at.optional("qk_norm")) {
    spec.qk_norm.kind = norm->at("kind").resolve([](const std::string& name) { return &norms().at(name); });
    if (spec.qk_norm.kind->across_positions) norm->fail("a qk_norm must not mix positions");
    read_norm_params(*norm, features / spec.heads, spec.qk_norm);
  }
  return spec;
}

/// Kernel sizes and inner channels follow from the weights.
ConvBranchSpec read_conv(const JsonCursor& at, Index i, const State& state, Tensors& tensors) {
  ConvBranchSpec spec;
  spec.image = state.image;
  if (const auto order = at.optional("order")) spec.order = order->word<ConvOrder>();
  if (const auto padding = at.optional("padding")) spec.padding = padding->word<Padding>();
  if (const auto stride = at.optional("stride"))
    if (stride->integer(1, largest_axis) != 1)
      stride->fail(
          "only stride 1 is supported (version 1 has no shortcut for a block that changes the shape)");
  spec.bottleneck = tensors.has(stack_tensors::weight(i, Role::conv3));
  spec.inner = tensors.kernel(stack_tensors::weight(i, Role::conv1))[0];
  spec.outputs = state.shape.features;
  const std::vector<Index> kernel =
      tensors.kernel(stack_tensors::weight(i, spec.bottleneck ? Role::conv2 : Role::conv1));
  spec.kernel_height = kernel[2], spec.kernel_width = kernel[3];
  if (!at.optional("norm")) return spec;
  for (Index n = 0; n < spec.convolutions(); ++n) {
    const bool ends = n + 1 == spec.convolutions(), begins = n == 0, pre = spec.order == ConvOrder::pre;
    const Index features = (pre ? begins : ends) ? state.shape.features : spec.inner;
    spec.norms.push_back(read_norm(at, "norm", stack_tensors::block(i, "branch.norm" + std::to_string(n + 1)),
                                   features, state.image.batch, tensors));
  }
  return spec;
}

void read_branch(const JsonCursor& at, Index i, const State& state, BlockParts& parts, Tensors& tensors) {
  parts.branch = at.at("kind").resolve([](const std::string& name) { return &branches().at(name); });
  const Index features = parts.shape.features;
  stack_keys::check_branch(at, *parts.branch);
  if (parts.branch->uses_activation) {
    at.at("activation").string();  // required
    parts.activation = *read_activation(at, "activation");
  }
  if (parts.branch->is_attention) {
    parts.attention = read_attention(at, features);
    parts.attention.sequences = state.image.batch;
  }
  if (parts.branch->is_conv) parts.conv = read_conv(at, i, state, tensors);
  Index hidden = features;
  if (parts.branch->has_hidden) hidden = tensors.rows(stack_tensors::weight(i, Role::up));
  for (const WeightSlot& slot :
       parts.branch->slots({features, hidden, parts.attention.heads, parts.attention.kv_heads, parts.conv}))
    parts.weights[slot.role] = read_weight(slot, i, tensors);
  if (!parts.branch->has_inner_norm) return;
  for (const NormPlace& place : norm_places)
    if (stack_tensors::belongs_to_branch(place))
      parts.*place.at =
          read_norm(at, place.name, stack_tensors::norm(i, place), hidden, state.image.batch, tensors);
}

std::vector<std::string> block_keys() {
  std::vector<std::string> names = {"branch", "skip_scale", "branch_scale", "mix"};
  for (const NormPlace& place : norm_places)
    if (!stack_tensors::belongs_to_branch(place)) names.emplace_back(place.name);
  for (const ActivationPlace& place : activation_places) {
    names.emplace_back(place.name);
    for (const std::string_view param : stack_keys::activation_params())
      names.push_back(stack_keys::activation_stem(place.name) + std::string(param));
  }
  return names;
}

BlockParts read_block(const JsonCursor& at, Index i, const State& state, Tensors& tensors) {
  const Shape shape = state.shape;
  static const std::vector<std::string> keys = block_keys();
  at.only({keys.begin(), keys.end()});
  BlockParts parts;
  parts.shape = shape;
  read_branch(at.at("branch"), i, state, parts, tensors);
  for (const NormPlace& place : norm_places)
    if (!stack_tensors::belongs_to_branch(place))
      parts.*place.at = read_norm(at, place.name, stack_tensors::norm(i, place), shape.features,
                                  state.image.batch, tensors);
  for (const ActivationPlace& place : activation_places) parts.*place.at = read_activation(at, place.name);
  parts.skip_scale = read_scale(at, "skip_scale", i, shape.features, tensors);
  parts.branch_scale = read_scale(at, "branch_scale", i, shape.features, tensors);
  parts.mix = read_mix(at);
  if (parts.mix == MixRule::gated && !parts.skip_scale.all_equal(1))
    at.fail("a gated mix has no skip_scale (it is 1 - branch_scale)");
  const std::string bias = stack_tensors::block(i, "output_bias");
  if (tensors.has(bias)) parts.output_bias = tensors.vector(bias, {{shape.features}});
  return parts;
}

void check_format(const SafetensorsFile& file) {
  const auto value = [&file](const char* key) {
    const std::string* text = file.find_metadata(key);
    if (!text)
      throw IoError(file.what() + ": metadata '" + key +
                    "' is missing (not a rezero-stack file; --checkpoint reads state dicts)");
    return *text;
  };
  if (value("format") != "rezero-stack")
    throw IoError(file.what() + ": format is '" + printable(value("format")) +
                  "', expected 'rezero-stack' (--checkpoint reads state dicts)");
  if (value("version") != "1")
    throw IoError(file.what() + ": version '" + printable(value("version")) +
                  "' is not known (this reads version 1)");
  value("spec");
}

Real bytes_of_blocks(const SafetensorsFile& file, std::size_t blocks) {
  Real numbers = 0;
  for (const TensorInfo& info : file.tensors()) numbers += static_cast<Real>(info.count);
  return numbers * sizeof(Real) + static_cast<Real>(blocks) * block_overhead_bytes;
}

}  // namespace

StackPtr parse_stack_file(std::string bytes, const std::string& path, const MemoryCheck& require_memory) {
  const MemoryCheck require = require_memory ? require_memory : [](Real) {};
  const Real parsing = bytes_of_parsing(bytes);
  require(parsing);
  const SafetensorsFile file = parse_safetensors(std::move(bytes), "stack file '" + printable(path) + "'");
  check_format(file);
  const auto document = parse_strict_json(*file.find_metadata("spec"), file.what() + ": spec");
  const JsonCursor spec(document, file.what() + ": spec");
  spec.only({"state", "blocks", "provenance"});
  const State state = read_state(spec.at("state"));
  require(parsing + bytes_of_blocks(file, spec.at("blocks").json().size()));
  Tensors tensors(file);
  const Vector input = tensors.vector("input", {{state.shape.positions, state.shape.features}});
  std::vector<BlockParts> blocks;
  for (const JsonCursor& at : spec.at("blocks").elements())
    blocks.push_back(read_block(at, static_cast<Index>(blocks.size()), state, tensors));
  if (blocks.empty()) spec.at("blocks").fail("a stack needs at least one block");
  tensors.require_all_used();
  try {
    return make_stack(std::move(blocks), input);
  } catch (const ShapeError& error) {
    throw IoError(file.what() + ": " + error.what());
  }
}

}  // namespace rezero
