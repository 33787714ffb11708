/// From a state dict to blocks: one file, because every step reports on the tensors that the others took or
/// left.

#include "rezero/io/checkpoint.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "io/checkpoint_names.h"
#include "io/header_memory.h"
#include "rezero/core/contract.h"
#include "rezero/core/error.h"
#include "rezero/model/stack.h"

namespace rezero {
namespace {

using detail::name_in_file;

constexpr Index largest_axis = Index{1} << 31;

std::string shape_words(const std::vector<Index>& shape) {
  return "(" + joined(shape, ", ") + ")";
}

/// The extents, as the tensors' shapes give them one after another. h is that of the current layer.
class Extents {
 public:
  Extents(const SafetensorsFile& file, const LayoutSpec& layout) : file_(file), layout_(layout) {}

  void begin_layer() { known_.erase(Extent::hidden); }
  Index operator[](Extent extent) const { return known_.at(extent).size; }
  bool has(Extent extent) const { return known_.count(extent) != 0; }

  /// Learns extents from the shape. IoError if it contradicts those of other tensors.
  void take(const LayoutTensor& row, const std::string& name) {
    const TensorInfo& info = *file_.find(name);
    std::vector<Index> shape = info.shape;
    const std::vector<TensorAxis> axes = layout_.stored_shape(row);
    if (shape.empty() && axes.size() == 1 && axes[0].extent == Extent::one) shape = {1};
    std::vector<std::string> reasons;
    if (fits(shape, axes, name, reasons)) return;
    std::string why = axes_text(axes);
    for (const std::string& reason : reasons) why += ", " + reason;
    throw IoError(file_.what() + ": tensor '" + printable(name) + "' has shape " + shape_words(info.shape) +
                  ", which is not " + why + turned_hint(row, shape, axes, name));
  }

 private:
  struct Known {
    Index size = 0;
    std::string from;  ///< the tensor that gave it
  };

  /// Learns while it compares. `reasons`: the extents that were known, and from where.
  bool fits(const std::vector<Index>& shape, const std::vector<TensorAxis>& axes, const std::string& name,
            std::vector<std::string>& reasons) {
    if (shape.size() != axes.size()) return false;
    bool same = true;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const TensorAxis axis = axes[i];
      if (shape[i] < 1 || shape[i] > largest_axis || shape[i] % axis.times != 0) {
        same = false;
        continue;
      }
      const Index size = shape[i] / axis.times;
      if (axis.extent == Extent::one) {
        same = same && size == 1;
        continue;
      }
      const auto [known, is_new] = known_.insert({axis.extent, {size, name}});
      if (is_new || known->second.from == name) {
        same = same && known->second.size == size;
        continue;
      }
      reasons.push_back(axes_text({{axis.extent, 1}}) + " = " + std::to_string(known->second.size) + " by '" +
                        printable(known->second.from) + "'");
      same = same && known->second.size == size;
    }
    return same;
  }

  /// If the shape would fit with its axes swapped.
  std::string turned_hint(const LayoutTensor& row, std::vector<Index> shape, std::vector<TensorAxis> axes,
                          const std::string& name) const {
    if (axes.size() != 2) return "";
    std::reverse(shape.begin(), shape.end());
    Extents other(file_, layout_);
    for (const auto& [extent, known] : known_)
      if (known.from != name) other.known_.insert({extent, known});
    std::vector<std::string> reasons;
    if (!other.fits(shape, axes, name, reasons)) return "";
    if (!row.conv1d) return " (its axes are swapped)";
    return std::string(" (its axes are swapped: give --layout ") + std::string(layout_.layout().name) +
           ":stored=" + (layout_.swapped(row) ? "linear" : "conv1d") + ")";
  }

  const SafetensorsFile& file_;
  const LayoutSpec& layout_;
  std::map<Extent, Known> known_;
};

/// Rotary frequencies that the file holds: base^(−2i/w).
struct Frequencies {
  std::string name;
  Index head_width = 0;
};

/// The names and shapes of a checkpoint, checked against its layout.
struct Survey {
  detail::NameMatch names;
  CheckpointFacts facts;
  std::vector<Frequencies> frequencies;
};

/// Whether the file has a tensor of that name that is not left out.
bool is_there(const SafetensorsFile& file, const CheckpointFacts& facts, const std::string& name) {
  return file.find(name) && !std::binary_search(facts.left_out.begin(), facts.left_out.end(), name);
}

/// Heads of that width in q and k; 0 for a width that does not divide them.
Index heads_of(Index size, Index width) {
  return width > 0 && size % width == 0 ? size / width : 0;
}

/// Heads from the settings, or from the width of one head.
void find_heads(Survey& survey, const SafetensorsFile& file, const LayoutSpec& layout,
                const std::optional<Index>& wanted) {
  CheckpointFacts& facts = survey.facts;
  if (!wanted && survey.frequencies.empty()) return;
  const auto number = [](Index size) { return std::to_string(size); };
  const auto fail = [&](const std::string& problem) { throw UsageError(file.what() + ": " + problem); };
  const std::string outputs =
      facts.queries == facts.features ? " features" : " outputs of the query projection";
  if (!wanted) {
    const Frequencies& first = survey.frequencies.front();
    facts.heads = heads_of(facts.queries, first.head_width);
    if (facts.heads == 0)
      fail("'" + printable(first.name) + "' is for heads of width " + number(first.head_width) +
           ", which does not divide the " + number(facts.queries) + outputs);
  } else {
    if (facts.queries % *wanted != 0)
      fail("--heads " + number(*wanted) + " does not divide the " + number(facts.queries) + outputs);
    facts.heads = *wanted;
  }
  const Index width = facts.queries / facts.heads;
  const std::string gives = wanted ? "--heads " + number(facts.heads) + " gives "
                                   : "'" + printable(survey.frequencies.front().name) + "' gives ";
  for (const Frequencies& each : survey.frequencies)
    if (each.head_width != width)
      fail(gives + "heads of width " + number(width) + ", but '" + printable(each.name) +
           "' is for heads of width " + number(each.head_width));
  facts.kv_heads = heads_of(facts.keys, width);
  if (facts.kv_heads == 0)
    fail(gives + "heads of width " + number(width) + ", which does not divide the " + number(facts.keys) +
         " outputs of the key projection");
  if (facts.heads % facts.kv_heads != 0)
    fail(gives + number(facts.heads) + " heads for " + number(facts.kv_heads) +
         " of keys and values, which is no divisor of it");
  if (layout.find("rope") && width % 2 != 0)
    fail(gives + "heads of width " + number(width) + ", and rotary positions need an even width");
}

Survey survey_of(const SafetensorsFile& file, const LayoutSpec& layout, const CheckpointSettings& settings) {
  Survey survey;
  survey.names = detail::match_names(file, layout.layout(), settings.leave_out);
  detail::require_fit(survey.names, file, layout.layout(), settings.leave_out);
  CheckpointFacts& facts = survey.facts;
  facts.prefix = survey.names.prefix(), facts.layers = survey.names.layers;
  facts.final_norm = survey.names.final_norm, facts.outside = survey.names.outside;
  facts.left_out = survey.names.left_out;
  Extents extents(file, layout);
  const auto take = [&](const LayoutTensor& row, Index layer) {
    const std::string name = name_in_file(row, facts.prefix, layer);
    if (row.shape.empty() || !is_there(file, facts, name)) return;
    extents.take(row, name);
    if (row.use == TensorUse::branch_scale) facts.scales.push_back(name);
    if (row.use == TensorUse::frequencies) survey.frequencies.push_back({name, 2 * extents[Extent::pairs]});
  };
  for (Index layer = 0; layer < facts.layers; ++layer) {
    extents.begin_layer();
    for (const LayoutTensor& row : layout.layout().tensors)
      if (row.in_layers()) take(row, layer);
    facts.hidden.push_back(extents[Extent::hidden]);
  }
  for (const LayoutTensor& row : layout.layout().tensors)
    if (!row.in_layers()) take(row, 0);
  facts.features = extents[Extent::features];
  facts.queries = extents.has(Extent::queries) ? extents[Extent::queries] : facts.features;
  facts.keys = extents.has(Extent::keys) ? extents[Extent::keys] : facts.queries;
  find_heads(survey, file, layout, settings.heads);
  return survey;
}

/// Half the distance between neighbouring numbers of the type, relative; and the same of its smallest
/// numbers.
struct Spacing {
  Real relative, absolute;
};
Spacing spacing(TensorDtype dtype) {
  switch (dtype) {
    case TensorDtype::f16:
      return {std::ldexp(1.0, -11), std::ldexp(1.0, -25)};
    case TensorDtype::bf16:
      return {std::ldexp(1.0, -8), 0};
    default:
      return {std::ldexp(1.0, -24), 0};
  }
}

/// Frequencies in the file must be those that the blocks use. Models compute them in single precision: the
/// exponent −2i/w is rounded, which its factor ln base turns into up to ln base · 2^-24, and so are the power
/// and its reciprocal.
void require_frequencies(const SafetensorsFile& file, const Frequencies& seen, Real base) {
  const TensorInfo& info = *file.find(seen.name);
  const std::vector<Real> found = file.tensor(seen.name).values;
  const Spacing stored = spacing(info.dtype);
  const auto differs = [&](Real wanted_base) -> std::optional<std::size_t> {
    const Real error = stored.relative + (4 + 2 * std::log(wanted_base)) * std::ldexp(1.0, -24);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const Real wanted =
          std::pow(wanted_base, -2 * static_cast<Real>(i) / static_cast<Real>(seen.head_width));
      if (!(std::abs(found[i] - wanted) <= error * wanted + stored.absolute)) return i;
    }
    return std::nullopt;
  };
  const std::optional<std::size_t> at = differs(base);
  if (!at) return;
  // The base that the second number gives, to the digits that it has.
  Real other = 0;
  if (found.size() > 1 && found[1] > 0 && found[1] < 1) {
    const Real exact = std::pow(found[1], -0.5 * static_cast<Real>(seen.head_width));
    if (exact > 1 && exact < 1e15) other = std::round(exact);
  }
  throw UsageError(
      file.what() + ": number " + std::to_string(*at) + " of '" + printable(seen.name) + "' is " +
      shortest(found[*at]) + ", not that of rotary positions with base " + shortest(base) +
      (other > 1 && !differs(other) ? " (give rope=" + std::to_string(static_cast<std::int64_t>(other)) + ")"
                                    : " (scaled frequencies cannot be expressed)"));
}

/// Reads the tensors of blocks.
class BlockReader {
 public:
  BlockReader(const SafetensorsFile& file, const LayoutSpec& layout, const Survey& survey,
              const CheckpointSettings& settings)
      : file_(file),
        layout_(layout),
        facts_(survey.facts),
        settings_(settings),
        activation_(settings.activation ? *settings.activation : Activation(layout.layout().activation)) {}

  /// All blocks of a layer.
  std::vector<BlockParts> layer(Index number) const {
    std::vector<BlockParts> blocks;
    for (const std::string_view branch : layout_.layout().branches) blocks.push_back(plain(branch));
    for (const LayoutTensor& row : layout_.layout().tensors) {
      const std::string name = name_in_file(row, facts_.prefix, number);
      if (row.in_layers() && row.is_read() && is_there(file_, facts_, name)) place(row, name, blocks);
    }
    return blocks;
  }

  NormSpec final_norm() const {
    NormSpec norm;
    for (const LayoutTensor& row : layout_.layout().tensors) {
      const std::string name = name_in_file(row, facts_.prefix, 0);
      if (row.in_layers() || !row.is_read() || !is_there(file_, facts_, name)) continue;
      if (!norm) norm = norm_spec();
      (row.use == TensorUse::final_norm_weight ? norm.weight : norm.bias) = vector(name);
    }
    return norm;
  }

 private:
  NormSpec norm_spec() const {
    const ParamValue* eps = layout_.find("eps");
    return eps ? NormSpec::of(layout_.layout().norm, eps->number) : NormSpec::of(layout_.layout().norm);
  }

  NormSpec PlacedNorms::*norm_place() const {
    return layout_.norms_first() ? &PlacedNorms::pre_norm : &PlacedNorms::post_norm;
  }

  /// A block without its tensors.
  BlockParts plain(std::string_view branch) const {
    BlockParts parts;
    parts.shape = {facts_.features, settings_.positions};
    parts.branch = &branches().at(branch);
    if (parts.branch->uses_activation) parts.activation = activation_;
    if (layout_.layout().has_block_norms) parts.*norm_place() = norm_spec();
    if (!parts.branch->is_attention) return parts;
    parts.attention.heads = facts_.heads, parts.attention.kv_heads = facts_.kv_heads;
    parts.attention.causal = layout_.layout().causal || settings_.causal;
    if (const ParamValue* base = layout_.find("rope")) parts.attention.rope = base->number;
    return parts;
  }

  VectorPtr vector(const std::string& name) const {
    return std::make_shared<const Vector>(file_.matrix(name, file_.find(name)->count, 1));
  }

  void place(const LayoutTensor& row, const std::string& name, std::vector<BlockParts>& blocks) const {
    switch (row.use) {
      case TensorUse::weight:
        return place_weight(row, name, block(row, 0, blocks));
      case TensorUse::bias:
        return place_bias(row, name, block(row, 0, blocks));
      case TensorUse::norm_weight:
      case TensorUse::norm_bias:
        return place_norm(row, name, block(row, 0, blocks));
      case TensorUse::branch_scale: {
        const VectorPtr scale = vector(name);
        for (std::size_t i = 0; i < row.blocks.size(); ++i) {
          BlockParts& parts = block(row, i, blocks);
          parts.branch_scale = {*scale, ScaleRole::parameter};
          parts.names["branch_scale"] = name;
        }
        return;
      }
      case TensorUse::final_norm_weight:
      case TensorUse::final_norm_bias:
      case TensorUse::frequencies:
      case TensorUse::outside:
        return;
    }
  }

  static BlockParts& block(const LayoutTensor& row, std::size_t i, std::vector<BlockParts>& blocks) {
    return blocks.at(static_cast<std::size_t>(row.blocks.at(i)));
  }

  /// The parts of a matrix lie one below the other: out × in.
  void place_weight(const LayoutTensor& row, const std::string& name, BlockParts& parts) const {
    const std::vector<Index>& shape = file_.find(name)->shape;
    const auto count = static_cast<Index>(row.roles.size());
    const bool swapped = layout_.swapped(row);
    Matrix all = file_.matrix(name, shape[0], shape[1]);
    const Index rows = (swapped ? shape[1] : shape[0]) / count;
    for (Index i = 0; i < count; ++i) {
      const Role role = row.roles[static_cast<std::size_t>(i)];
      if (swapped)
        parts.weights[role].weight =
            std::make_shared<const Matrix>(all.middleCols(i * rows, rows).transpose());
      else if (count == 1)
        parts.weights[role].weight = std::make_shared<const Matrix>(std::move(all));
      else
        parts.weights[role].weight = std::make_shared<const Matrix>(all.middleRows(i * rows, rows));
      parts.names[std::string(role_name(role)) + ".weight"] = name;
    }
  }

  void place_bias(const LayoutTensor& row, const std::string& name, BlockParts& parts) const {
    const VectorPtr all = vector(name);
    const auto count = static_cast<Index>(row.roles.size());
    const Index rows = all->size() / count;
    for (Index i = 0; i < count; ++i) {
      const Role role = row.roles[static_cast<std::size_t>(i)];
      parts.weights[role].bias = std::make_shared<const Vector>(all->segment(i * rows, rows));
      parts.names[std::string(role_name(role)) + ".bias"] = name;
    }
  }

  void place_norm(const LayoutTensor& row, const std::string& name, BlockParts& parts) const {
    NormSpec& norm = parts.*norm_place();
    (row.use == TensorUse::norm_weight ? norm.weight : norm.bias) = vector(name);
    if (row.use == TensorUse::norm_weight)
      parts.names[layout_.norms_first() ? "pre_norm" : "post_norm"] = name;
  }

  const SafetensorsFile& file_;
  const LayoutSpec& layout_;
  const CheckpointFacts& facts_;
  const CheckpointSettings& settings_;
  Activation activation_;
};

/// Memory of the numbers of the stack, and of a copy of the largest tensor while it is taken apart.
Real bytes_of_stack(const SafetensorsFile& file, const Survey& survey, const LayoutSpec& layout) {
  Real numbers = 0, largest = 0;
  for (Index layer = 0; layer < survey.facts.layers; ++layer)
    for (const LayoutTensor& row : layout.layout().tensors) {
      if (!row.is_read() || (!row.in_layers() && layer > 0)) continue;
      const TensorInfo* info = file.find(name_in_file(row, survey.facts.prefix, layer));
      if (!info) continue;
      numbers += static_cast<Real>(info->count);
      largest = std::max(largest, static_cast<Real>(info->count));
    }
  const auto blocks =
      static_cast<Real>(survey.facts.layers) * static_cast<Real>(layout.layout().branches.size());
  return (numbers + largest) * sizeof(Real) + blocks * block_overhead_bytes;
}

/// What the bytes of a file that people may take for a checkpoint are; empty for any other.
std::string_view other_format(std::string_view bytes) {
  const auto begins = [&](std::string_view magic) { return bytes.substr(0, magic.size()) == magic; };
  if (begins("PK\x03\x04") || begins("\x80\x02"))
    return "it is a pickle of PyTorch (save the state dict with safetensors.torch.save_file)";
  if (begins("{"))
    return "it is JSON (an index names the files with the tensors; they must be joined into one)";
  return {};
}

}  // namespace

SafetensorsFile parse_state_dict(std::string bytes, const std::string& path) {
  const std::string what = "checkpoint '" + printable(path) + "'", beginning = bytes.substr(0, 8);
  try {
    SafetensorsFile file = parse_safetensors(std::move(bytes), what, OtherDtypes::listed);
    if (const std::string* format = file.find_metadata("format"); format && *format == "rezero-stack")
      throw UsageError(what + " is a stack file (give it as --stack)");
    return file;
  } catch (const IoError&) {
    // The beginning alone proves nothing: it is also the length of a header.
    if (const std::string_view hint = other_format(beginning); !hint.empty())
      throw IoError(what + " is no safetensors file: " + std::string(hint));
    throw;
  }
}

CheckpointFacts survey_checkpoint(const SafetensorsFile& file, const LayoutSpec& layout,
                                  const CheckpointSettings& settings) {
  return survey_of(file, layout, settings).facts;
}

Checkpoint parse_checkpoint(std::string bytes, const std::string& path, const LayoutSpec& layout,
                            const CheckpointSettings& settings, const MemoryCheck& require_memory) {
  REZERO_REQUIRE(settings.positions >= 1);
  const MemoryCheck require = require_memory ? require_memory : [](Real) {};
  const Real parsing = detail::bytes_of_parsing(bytes);
  require(parsing);
  const SafetensorsFile file = parse_state_dict(std::move(bytes), path);
  const Survey survey = survey_of(file, layout, settings);
  if (survey.facts.heads == 0)
    throw UsageError(file.what() + ": the file does not say into how many heads the " +
                     std::to_string(survey.facts.queries) +
                     " features of the queries are divided (give --heads H)");
  if (const ParamValue* base = layout.find("rope"))
    for (const Frequencies& each : survey.frequencies) require_frequencies(file, each, base->number);
  require(parsing + bytes_of_stack(file, survey, layout));
  Checkpoint checkpoint;
  checkpoint.facts = survey.facts;
  const BlockReader reader(file, layout, survey, settings);
  for (Index layer = 0; layer < survey.facts.layers; ++layer)
    for (BlockParts& parts : reader.layer(layer)) checkpoint.blocks.push_back(std::move(parts));
  checkpoint.final_norm = reader.final_norm();
  return checkpoint;
}

}  // namespace rezero
