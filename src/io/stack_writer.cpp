#include <map>
#include <nlohmann/json.hpp>

#include "rezero/core/error.h"
#include "rezero/io/safetensors.h"
#include "rezero/io/stack_file.h"
#include "stack_keys.h"
#include "stack_tensors.h"

namespace rezero {
namespace {

using Json = nlohmann::ordered_json;

/// The shortest entries of a block, in the spec and for one tensor, take 150 of the header's 100 MB.
constexpr Index most_blocks = 100'000'000 / 150;

constexpr Real default_eps = 1e-5;

/// A block's entry in the spec, and the names and shapes of its tensors; the numbers follow when they are
/// written.
struct BlockEntry {
  Json spec;
  std::vector<TensorLayout> layout;
};

/// Non-default parameters follow as separate keys.
void put_activation(Json& owner, std::string_view key, const Activation& activation) {
  owner[std::string(key)] = std::string(activation.kind().name);
  for (const ParamValue& param : activation.params().values())
    if (!param.is_default) owner[stack_keys::activation_stem(key) + param.name] = param.number;
}

Json norm_json(const NormSpec& norm) {
  Json json = {{"kind", std::string(norm.kind->name)}};
  for (const NormParam& param : norm.kind->numbers) {
    const std::string name(param.name);
    if (param.kind == NormParam::Kind::constant) json[name] = norm.param(name);
    if (param.kind == NormParam::Kind::divisor) json[name] = static_cast<Index>(norm.param(name));
  }
  return json;
}

/// The tensors of a norm in the order of the file.
std::vector<std::pair<std::string, Vector>> norm_tensors(const NormSpec& norm) {
  std::vector<std::pair<std::string, Vector>> all;
  if (!norm) return all;
  const auto add = [&all](const char* name, const std::shared_ptr<const Vector>& values) {
    if (values) all.emplace_back(name, *values);
  };
  add("weight", norm.weight);
  add("bias", norm.bias);
  for (const NormParam& param : norm.kind->numbers)
    if (param.kind == NormParam::Kind::trained)
      all.emplace_back(param.name, Vector::Constant(1, norm.param(param.name)));
  add("running_mean", norm.running_mean);
  add("running_var", norm.running_var);
  return all;
}

void put_norm_tensors(BlockEntry& entry, const NormSpec& norm, const std::string& prefix) {
  for (const auto& [name, values] : norm_tensors(norm))
    entry.layout.push_back({prefix + "." + name, {values.size()}});
}

/// Selects the norms within the branch, or those of the block.
enum class Owner { branch, block };
std::vector<NormPlace> places_of(Owner owner) {
  std::vector<NormPlace> places;
  for (const NormPlace& place : norm_places)
    if (stack_tensors::belongs_to_branch(place) == (owner == Owner::branch)) places.push_back(place);
  return places;
}

void put_norms(BlockEntry& entry, Json& json, Owner owner, const BlockParts& parts, Index i) {
  for (const NormPlace& place : places_of(owner)) {
    const NormSpec& norm = parts.*place.at;
    if (!norm) continue;
    json[std::string(place.name)] = norm_json(norm);
    put_norm_tensors(entry, norm, stack_tensors::norm(i, place));
  }
}

void put_attention(Json& branch, const AttentionSpec& spec) {
  branch["heads"] = spec.heads;
  if (spec.kv_heads != spec.heads) branch["kv_heads"] = spec.kv_heads;
  branch["causal"] = spec.causal;
  if (spec.scale) branch["scale"] = *spec.scale;
  if (spec.rope) branch["rope"] = *spec.rope;
  if (!spec.qk_norm) return;
  branch["qk_norm"] = norm_json(spec.qk_norm);
  branch["qk_norm"].emplace("eps", default_eps);  // version 1 also has it for kinds without one
}

void put_conv(BlockEntry& entry, Json& branch, const ConvBranchSpec& spec, Index i) {
  branch["order"] = std::string(to_string(spec.order));
  if (spec.padding != Padding::zero) branch["padding"] = std::string(to_string(spec.padding));
  if (spec.norms.empty()) return;
  branch["norm"] = norm_json(spec.norms.front());
  for (std::size_t n = 0; n < spec.norms.size(); ++n)
    put_norm_tensors(entry, spec.norms[n], stack_tensors::block(i, "branch.norm" + std::to_string(n + 1)));
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
  if (parts.branch->is_attention)
    if (const Index rows = parts.weights.at(Role::query).weight->rows(); rows != parts.shape.features)
      throw UsageError("block " + std::to_string(i) + " has heads of width " +
                       std::to_string(rows / parts.attention.heads) + ", and " +
                       std::to_string(parts.attention.heads) + " of them are not the " +
                       std::to_string(parts.shape.features) +
                       " features (a stack file of version 1 has no other head width)");
  if (parts.shortcut == ShortcutKind::identity) return;
  throw UsageError("block " + std::to_string(i) +
                   " changes the shape of the state, and a stack file of version 1 "
                   "has no shortcut for that (export a net without --stages)");
}

BlockEntry describe(const BlockParts& parts, Index i) {
  require_expressible(parts, i);
  BlockEntry entry;
  Json branch = {{"kind", std::string(parts.branch->name)}};
  if (parts.branch->uses_activation) put_activation(branch, "activation", parts.activation);
  if (parts.branch->is_attention) put_attention(branch, parts.attention);
  if (parts.branch->is_conv) put_conv(entry, branch, parts.conv, i);
  put_norms(entry, branch, Owner::branch, parts, i);
  entry.spec["branch"] = std::move(branch);
  put_norms(entry, entry.spec, Owner::block, parts, i);
  for (const ActivationPlace& place : activation_places)
    if (const auto& activation = parts.*place.at; activation && !activation->is_identity())
      put_activation(entry.spec, place.name, *activation);
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
  for (const auto& tensor : norm_tensors(norm)) append(sink, tensor.second);
}

/// Writes the numbers in the order in which `describe` lists their names.
void append_block(const TensorSink& sink, const BlockParts& parts) {
  for (const NormSpec& norm : parts.conv.norms) append_norm(sink, norm);
  for (const Owner owner : {Owner::branch, Owner::block})
    for (const NormPlace& place : places_of(owner)) append_norm(sink, parts.*place.at);
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
    spec["state"]["height"] = image.height;
    spec["state"]["width"] = image.width;
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
