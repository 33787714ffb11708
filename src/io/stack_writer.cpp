#include <map>
#include <nlohmann/json.hpp>

#include "rezero/core/error.h"
#include "rezero/io/safetensors.h"
#include "rezero/io/stack_file.h"
#include "stack_tensors.h"

namespace rezero {
namespace {

using Json = nlohmann::ordered_json;

/// The shortest entries of a block, in the spec and for one tensor, take 150 bytes of a header of 100 MB.
constexpr Index most_blocks = 100'000'000 / 150;

/// A block's entry in the spec and its tensors; the numbers come when they are written.
struct BlockEntry {
  Json spec;
  std::vector<TensorLayout> layout;
};

/// Version 1 has a key for the slope of leaky_relu, and no other parameter of an activation.
void put_activation(Json& owner, const std::string& key, const std::string& slope_key,
                    const Activation& activation) {
  owner[key] = std::string(activation.kind().name);
  for (const ParamValue& param : activation.params().values()) {
    if (param.is_default) continue;
    if (param.name != "slope")
      throw UsageError("a stack file cannot hold activation '" + activation.canonical() +
                       "' (version 1 has no '" + param.name + "'); use the default");
    owner[slope_key] = param.number;
  }
}

void put_norm_kind(Json& owner, const char* key, const NormSpec& norm) {
  owner[key] = {{"kind", std::string(norm.kind->name)}};
  if (norm.kind->has_eps) owner[key]["eps"] = norm.eps;
  if (norm.kind->has_groups) owner[key]["groups"] = norm.groups;
}

void put_norm_tensors(BlockEntry& entry, const NormSpec& norm, const std::string& prefix) {
  if (norm.weight) entry.layout.push_back({prefix + ".weight", {norm.weight->size()}});
  if (norm.bias) entry.layout.push_back({prefix + ".bias", {norm.bias->size()}});
  if (norm.kind->has_alpha) entry.layout.push_back({prefix + ".alpha", {1}});
  if (norm.running_mean) entry.layout.push_back({prefix + ".running_mean", {norm.running_mean->size()}});
  if (norm.running_var) entry.layout.push_back({prefix + ".running_var", {norm.running_var->size()}});
}

void put_norm(BlockEntry& entry, Json& owner, const char* key, const NormSpec& norm,
              const std::string& prefix) {
  if (!norm) return;
  put_norm_kind(owner, key, norm);
  put_norm_tensors(entry, norm, prefix);
}

void put_attention(Json& branch, const AttentionSpec& spec) {
  branch["heads"] = spec.heads;
  if (spec.kv_heads != spec.heads) branch["kv_heads"] = spec.kv_heads;
  branch["causal"] = spec.causal;
  if (spec.scale) branch["scale"] = *spec.scale;
  if (spec.rope) branch["rope"] = *spec.rope;
  if (spec.qk_norm)
    branch["qk_norm"] = {{"kind", std::string(spec.qk_norm.kind->name)}, {"eps", spec.qk_norm.eps}};
}

void put_conv(BlockEntry& entry, Json& branch, const ConvBranchSpec& spec, Index i) {
  branch["order"] = std::string(to_string(spec.order));
  if (spec.padding != Padding::zero) branch["padding"] = std::string(to_string(spec.padding));
  if (spec.norms.empty()) return;
  put_norm_kind(branch, "norm", spec.norms.front());
  for (std::size_t n = 0; n < spec.norms.size(); ++n)
    put_norm_tensors(entry, spec.norms[n], stack_tensors::block(i, "branch.norm" + std::to_string(n + 1)));
}

void put_outer_activation(Json& block, const std::string& key, const std::optional<Activation>& activation) {
  if (activation && !activation->is_identity()) put_activation(block, key, key + "_slope", *activation);
}

void put_scale(BlockEntry& entry, const char* key, const Scale& scale, Index i) {
  if (scale.values.size() == 1) {
    entry.spec[key] = scale.values(0);
    return;
  }
  entry.spec[key] = "tensor";
  entry.layout.push_back({stack_tensors::block(i, key), {scale.values.size()}});
}

std::map<Role, std::vector<Index>> weight_shapes(const BlockParts& parts) {
  std::map<Role, std::vector<Index>> shapes;
  for (const auto& [role, pair] : parts.weights) shapes[role] = {pair.weight->rows(), pair.weight->cols()};
  if (!parts.branch->is_conv) return shapes;
  BranchSizes sizes{parts.shape.features, 1};
  sizes.conv = parts.conv;
  for (const WeightSlot& slot : parts.branch->slots(sizes)) shapes[slot.role] = stack_tensors::shape(slot);
  return shapes;
}

void require_expressible(const BlockParts& parts, Index i) {
  if (parts.shortcut == ShortcutKind::identity) return;
  throw UsageError("block " + std::to_string(i) +
                   " changes the shape of the state, and a stack file of version 1 "
                   "has no shortcut for that (export a net without --stages)");
}

BlockEntry describe(const BlockParts& parts, Index i) {
  require_expressible(parts, i);
  BlockEntry entry;
  Json branch = {{"kind", std::string(parts.branch->name)}};
  if (parts.branch->uses_activation) put_activation(branch, "activation", "slope", parts.activation);
  if (parts.branch->is_attention) put_attention(branch, parts.attention);
  if (parts.branch->is_conv) put_conv(entry, branch, parts.conv, i);
  put_norm(entry, branch, "inner_norm", parts.inner_norm, stack_tensors::block(i, "branch.inner_norm"));
  entry.spec["branch"] = std::move(branch);
  put_norm(entry, entry.spec, "pre_norm", parts.pre_norm, stack_tensors::block(i, "pre_norm"));
  put_norm(entry, entry.spec, "branch_norm", parts.branch_norm, stack_tensors::block(i, "branch_norm"));
  put_norm(entry, entry.spec, "post_norm", parts.post_norm, stack_tensors::block(i, "post_norm"));
  put_outer_activation(entry.spec, "branch_activation", parts.branch_activation);
  put_outer_activation(entry.spec, "post_activation", parts.post_activation);
  put_scale(entry, "skip_scale", parts.skip_scale, i);
  put_scale(entry, "branch_scale", parts.branch_scale, i);
  if (parts.mix != MixRule::additive) entry.spec["mix"] = std::string(to_string(parts.mix));
  if (parts.output_bias.size() != 0)
    entry.layout.push_back({stack_tensors::block(i, "output_bias"), {parts.output_bias.size()}});
  const std::map<Role, std::vector<Index>> shapes = weight_shapes(parts);
  for (const auto& [role, pair] : parts.weights) {
    entry.layout.push_back({stack_tensors::weight(i, role), shapes.at(role)});
    if (pair.bias) entry.layout.push_back({stack_tensors::bias(i, role), {pair.bias->size()}});
  }
  return entry;
}

/// Tensors in the order of the layout, with a checkpoint before each.
struct TensorSink {
  SafetensorsWriter& writer;
  const std::function<void()>& checkpoint;

  void append(const std::vector<Real>& values) const {
    checkpoint();
    writer.append(values);
  }
};

void append(const TensorSink& sink, const Vector& values) {
  sink.append(std::vector<Real>(values.data(), values.data() + values.size()));
}

void append_row_major(const TensorSink& sink, const Matrix& W) {
  const Matrix transposed = W.transpose();
  sink.append(std::vector<Real>(transposed.data(), transposed.data() + transposed.size()));
}

void append_norm(const TensorSink& sink, const NormSpec& norm) {
  if (norm.weight) append(sink, *norm.weight);
  if (norm.bias) append(sink, *norm.bias);
  if (norm && norm.kind->has_alpha) append(sink, Vector::Constant(1, norm.alpha));
  if (norm.running_mean) append(sink, *norm.running_mean);
  if (norm.running_var) append(sink, *norm.running_var);
}

/// The numbers in the order in which `describe` lists their names.
void append_block(const TensorSink& sink, const BlockParts& parts) {
  for (const NormSpec& norm : parts.conv.norms) append_norm(sink, norm);
  for (const NormSpec* norm : {&parts.inner_norm, &parts.pre_norm, &parts.branch_norm, &parts.post_norm})
    append_norm(sink, *norm);
  if (parts.skip_scale.values.size() > 1) append(sink, parts.skip_scale.values);
  if (parts.branch_scale.values.size() > 1) append(sink, parts.branch_scale.values);
  if (parts.output_bias.size() != 0) append(sink, parts.output_bias);
  for (const auto& [role, pair] : parts.weights) {
    static_cast<void>(role);
    append_row_major(sink, *pair.weight);
    if (pair.bias) append(sink, *pair.bias);
  }
}

}  // namespace

void write_stack_file(const Stack& stack, const std::string& path,
                      const std::vector<std::pair<std::string, std::string>>& provenance,
                      const std::function<void()>& checkpoint) {
  const Shape shape = stack.shape();
  if (stack.blocks() > most_blocks)
    throw UsageError("a stack of " + std::to_string(stack.blocks()) +
                     " blocks does not fit into a stack file (at most " + std::to_string(most_blocks) +
                     ": its header has at most 100 MB)");
  Json spec = {{"state", {{"features", shape.features}, {"positions", shape.positions}}},
               {"blocks", Json::array()}};
  if (const BlockPtr first = stack.block(0); first->parts().branch->is_conv) {
    const ImageSpec& image = first->parts().conv.image;
    spec["state"]["height"] = image.height, spec["state"]["width"] = image.width;
    spec["state"]["batch"] = image.batch;
  }
  std::vector<TensorLayout> layout = {{"input", {shape.positions, shape.features}}};
  for (Index l = 0; l < stack.blocks(); ++l) {
    checkpoint();
    BlockEntry entry = describe(stack.block(l)->parts(), l);
    spec["blocks"].push_back(std::move(entry.spec));
    layout.insert(layout.end(), entry.layout.begin(), entry.layout.end());
  }
  spec["provenance"] = Json::object();
  for (const auto& [key, value] : provenance) spec["provenance"][key] = value;
  AtomicFile file(path);
  SafetensorsWriter writer(file, {{"format", "rezero-stack"}, {"version", "1"}, {"spec", spec.dump()}},
                           layout);
  const TensorSink sink{writer, checkpoint};
  append(sink, stack.input());
  for (Index l = 0; l < stack.blocks(); ++l) {
    checkpoint();
    append_block(sink, stack.block(l)->parts());
  }
  writer.finish();
  file.commit();
}

}  // namespace rezero
