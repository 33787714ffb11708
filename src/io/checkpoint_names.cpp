/// Names of tensors against the rows of a layout: one file, because prefixes, gaps and suggestions are found
/// from the same matching.

#include "io/checkpoint_names.h"

#include <algorithm>
#include <set>

#include "rezero/core/error.h"
#include "rezero/io/checkpoint.h"

namespace rezero::detail {
namespace {

constexpr std::string_view placeholder = "{layer}";
constexpr std::size_t longest_number = 9;
constexpr std::size_t shown_names = 3;

bool begins_with(std::string_view text, std::string_view beginning) {
  return text.substr(0, beginning.size()) == beginning;
}
bool closes_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// The number at the beginning of a text, as state dicts write it: no sign, no leading zero.
std::optional<Index> leading_number(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits > longest_number || (digits > 1 && text[0] == '0')) return std::nullopt;
  Index number = 0;
  for (std::size_t i = 0; i < digits; ++i) number = 10 * number + (text[i] - '0');
  return number;
}

/// A name split at the number of its layer.
struct LayerName {
  std::string prefix;
  Index layer;
};

/// `encoder.` and 3 for `encoder.layers.3.norm1.weight`, if a row is `layers.{layer}.norm1.weight`.
std::optional<LayerName> split(std::string_view name, std::string_view row) {
  const std::size_t at = row.find(placeholder);
  const std::string_view stem = row.substr(0, at), tail = row.substr(at + placeholder.size());
  if (!closes_with(name, tail)) return std::nullopt;
  const std::string_view before = name.substr(0, name.size() - tail.size());
  const std::size_t digits = before.find_last_not_of("0123456789") + 1;  // npos + 1 is 0
  const std::optional<Index> layer = leading_number(before.substr(digits));
  if (!layer || !closes_with(before.substr(0, digits), stem)) return std::nullopt;
  const std::string_view prefix = before.substr(0, digits - stem.size());
  if (!prefix.empty() && prefix.back() != '.') return std::nullopt;
  return LayerName{std::string(prefix), *layer};
}

/// Whether `name` is `whole`, or one of the names that have `whole` as their first components.
bool belongs_to(std::string_view name, std::string_view whole) {
  if (!whole.empty() && whole.back() == '.') whole.remove_suffix(1);
  return begins_with(name, whole) && (name.size() == whole.size() || name[whole.size()] == '.');
}

/// `""`, `language_model.`, `language_model.model.`: where names beside the layers may begin.
std::vector<std::string> roots(const std::string& prefix) {
  std::vector<std::string> all = {""};
  for (std::size_t dot = prefix.find('.'); dot != std::string::npos; dot = prefix.find('.', dot + 1))
    all.push_back(prefix.substr(0, dot + 1));
  return all;
}

/// The names of a layout, with the prefix of a file.
class Names {
 public:
  Names(const Layout& layout, const std::string& prefix) : layout_(layout), prefix_(prefix) {
    const std::vector<std::string> beginnings = roots(prefix);
    for (const LayoutTensor& row : layout.tensors) {
      if (row.in_layers()) {
        tails_[std::string(row.name.substr(row.name.find(placeholder) + placeholder.size()))] = &row;
        continue;
      }
      if (row.is_read())
        others_[prefix + std::string(row.name)] = &row;
      else
        for (const std::string& root : beginnings) others_[root + std::string(row.name)] = &row;
    }
  }

  /// What follows `prefix layers.`, if the name is one of a layer.
  std::optional<std::string_view> in_layer(std::string_view name) const {
    const std::string stem = prefix_ + std::string(layout_.stem());
    if (!begins_with(name, stem)) return std::nullopt;
    const std::string_view rest = name.substr(stem.size());
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (!leading_number(rest) || digits == rest.size() || rest[digits] != '.') return std::nullopt;
    return rest.substr(digits);
  }
  const LayoutTensor* find(std::string_view name) const {
    const auto tail = in_layer(name);
    const auto& rows = tail ? tails_ : others_;
    const auto row = rows.find(std::string(tail.value_or(name)));
    return row == rows.end() ? nullptr : row->second;
  }

 private:
  const Layout& layout_;
  std::string prefix_;
  std::map<std::string, const LayoutTensor*> tails_, others_;
};

/// The prefixes of the groups of layers that have a tensor of the layout, and the numbers of the layers of
/// the first group.
std::set<Index> find_layers(const std::vector<std::string>& names, const Layout& layout, NameMatch& match) {
  std::map<std::string, std::set<Index>> groups;
  for (const std::string& name : names)
    for (const LayoutTensor& row : layout.tensors) {
      if (!row.in_layers() || !row.is_read()) continue;
      const std::optional<LayerName> found = split(name, row.name);
      if (!found) continue;
      groups[found->prefix].insert(found->layer);
      break;
    }
  for (const auto& group : groups) match.prefixes.push_back(group.first);
  return groups.empty() ? std::set<Index>() : groups.begin()->second;
}

void find_gaps(const std::set<Index>& numbers, NameMatch& match) {
  match.layers = numbers.empty() ? 0 : *numbers.rbegin() + 1;
  match.gap_count = match.layers - static_cast<Index>(numbers.size());
  Index next = 0;
  for (const Index number : numbers) {
    for (; next < number && match.gaps.size() < shown_names; ++next) match.gaps.push_back(next);
    next = number + 1;
  }
}

/// Tensors that a layer needs: those of rows that are not optional, or that another layer has.
void find_missing(const SafetensorsFile& file, const std::set<std::string>& unwanted,
                  const std::set<Index>& numbers, const Layout& layout, NameMatch& match) {
  const auto has = [&](const std::string& name) { return file.find(name) && !unwanted.count(name); };
  bool final_weight = false, final_bias = false;
  std::string final_name;
  for (const LayoutTensor& row : layout.tensors) {
    if (!row.is_read()) continue;
    if (!row.in_layers()) {
      const std::string name = name_in_file(row, match.prefix(), 0);
      (row.use == TensorUse::final_norm_weight ? final_weight : final_bias) = has(name);
      if (row.use == TensorUse::final_norm_weight) final_name = name;
      continue;
    }
    std::vector<std::string> absent;
    for (const Index layer : numbers)
      if (std::string name = name_in_file(row, match.prefix(), layer); !has(name))
        absent.push_back(std::move(name));
    if (!row.optional || absent.size() < numbers.size())
      match.missing.insert(match.missing.end(), absent.begin(), absent.end());
  }
  if (final_bias && !final_weight) match.missing.push_back(final_name);
}

/// `embed, fc, model.adapter`: what --leave-out would have to name.
std::string beginnings(const std::vector<std::string>& names, const std::string& prefix) {
  std::vector<std::string> all;
  for (const std::string& name : names) {
    std::string beginning = begins_with(name, prefix) ? prefix : "";
    const std::string_view rest = std::string_view(name).substr(beginning.size());
    beginning += rest.substr(0, rest.find('.'));
    if (std::find(all.begin(), all.end(), beginning) == all.end()) all.push_back(std::move(beginning));
  }
  const bool cut = all.size() > shown_names;
  if (cut) all.resize(shown_names);
  return joined(std::vector<std::string_view>(all.begin(), all.end()), ",") + (cut ? ",…" : "");
}

/// The shortest --leave-out that takes away one of several groups of layers and no other.
std::string taking_away(const std::vector<std::string>& groups, std::size_t group) {
  const std::string& name = groups[group];
  std::string beginning;
  for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
    beginning = name.substr(0, dot);
    std::size_t taken = 0;
    for (const std::string& each : groups) taken += belongs_to(each, beginning);
    if (taken == 1) break;
  }
  return beginning;
}

/// A --leave-out after which one group of layers is left and fits; if there is none, one that takes the last
/// group away.
std::string leaving_one(const std::vector<std::string>& groups, const SafetensorsFile& file,
                        const Layout& layout, const std::vector<std::string>& leave_out) {
  constexpr std::size_t most_groups = 8;
  for (std::size_t kept = 0; kept < groups.size() && groups.size() <= most_groups; ++kept) {
    std::vector<std::string> others;
    for (std::size_t i = 0; i < groups.size(); ++i)
      if (i != kept) others.push_back(taking_away(groups, i));
    std::vector<std::string> all = leave_out;
    all.insert(all.end(), others.begin(), others.end());
    if (match_names(file, layout, all).layers_fit())
      return joined(std::vector<std::string_view>(others.begin(), others.end()), ",");
  }
  return taking_away(groups, groups.size() - 1);
}

std::string tensors(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " tensor is" : " tensors are");
}

/// Layouts, other than this one, whose names fit.
std::string others_that_fit(const SafetensorsFile& file, const Layout& layout,
                            const std::vector<std::string>& leave_out) {
  std::string names;
  for (const Layout* other : fitting_layouts(file, leave_out))
    if (other->name != layout.name)
      names += (names.empty() ? "--layout " : " or --layout ") + std::string(other->name);
  return names;
}

/// What is wrong with the names; empty if nothing is.
std::string misfit(const NameMatch& names, const Layout& layout) {
  if (names.prefixes.empty())
    return "no tensor has a name of this layout, such as '" + name_in_file(layout.tensors.front(), "", 0) +
           "'";
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (names.gap_count > 0) {
    std::string numbers;
    for (const Index gap : names.gaps) numbers += (numbers.empty() ? "" : ", ") + std::to_string(gap);
    const auto more = names.gap_count - static_cast<Index>(names.gaps.size());
    add((names.gap_count == 1 ? "layer " : "layers ") + numbers +
        (more > 0 ? " and " + std::to_string(more) + " more" : "") + (names.gap_count == 1 ? " is" : " are") +
        " missing, of 0 to " + std::to_string(names.layers - 1));
  }
  if (!names.missing.empty()) add(tensors(names.missing.size()) + " missing: " + listed(names.missing));
  std::vector<std::string> over = names.in_layers;
  over.insert(over.end(), names.elsewhere.begin(), names.elsewhere.end());
  if (!over.empty()) add(tensors(over.size()) + " left over: " + listed(over));
  return text;
}

}  // namespace

std::string name_in_file(const LayoutTensor& tensor, const std::string& prefix, Index layer) {
  std::string name(tensor.name);
  if (const std::size_t at = name.find(placeholder); at != std::string::npos)
    name.replace(at, placeholder.size(), std::to_string(layer));
  return prefix + name;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), shown_names); ++i)
    text += (i ? ", '" : "'") + printable(names[i]) + "'";
  if (names.size() > shown_names) text += " and " + std::to_string(names.size() - shown_names) + " more";
  return text;
}

NameMatch match_names(const SafetensorsFile& file, const Layout& layout,
                      const std::vector<std::string>& leave_out) {
  NameMatch match;
  std::vector<std::string> names;
  std::set<std::string> unwanted;
  std::vector<bool> found(leave_out.size());
  for (const TensorInfo& info : file.tensors()) {
    bool left_out = false;
    for (std::size_t i = 0; i < leave_out.size(); ++i)
      if (belongs_to(info.name, leave_out[i])) left_out = found[i] = true;
    if (left_out)
      unwanted.insert(info.name), match.left_out.push_back(info.name);
    else
      names.push_back(info.name);
  }
  for (std::size_t i = 0; i < leave_out.size(); ++i)
    if (!found[i])
      throw UsageError("--leave-out '" + printable(leave_out[i]) + "' names no tensor of " + file.what() +
                       " (it takes names or their first components, up to a dot)");
  const std::set<Index> numbers = find_layers(names, layout, match);
  find_gaps(numbers, match);
  find_missing(file, unwanted, numbers, layout, match);
  const Names known(layout, match.prefix());
  for (const std::string& name : names) {
    const LayoutTensor* row = known.find(name);
    if (!row)
      (known.in_layer(name) ? match.in_layers : match.elsewhere).push_back(name);
    else if (!row->is_read())
      match.outside.push_back(name);
    else if (!row->in_layers())
      match.final_norm.push_back(name);
  }
  return match;
}

void require_fit(const NameMatch& names, const SafetensorsFile& file, const Layout& layout,
                 const std::vector<std::string>& leave_out) {
  const std::string what = file.what() + ", layout " + std::string(layout.name) + ": ";
  if (names.prefixes.size() > 1) {
    std::vector<std::string> groups;
    for (const std::string& prefix : names.prefixes) groups.push_back(prefix + std::string(layout.stem()));
    throw UsageError(what + std::to_string(groups.size()) + " groups of layers have names of this layout: " +
                     listed(groups) + " (one must be left, as after --leave-out " +
                     printable(leaving_one(groups, file, layout, leave_out)) + ")");
  }
  const std::string problem = misfit(names, layout);
  if (problem.empty()) return;
  if (!names.layers_fit()) {
    if (const std::string others = others_that_fit(file, layout, leave_out); !others.empty())
      throw UsageError(what + problem + " (the names fit " + others + ")");
    throw IoError(what + problem);
  }
  throw IoError(what + problem + " (if they are not part of the stack, give --leave-out " +
                printable(beginnings(names.elsewhere, names.prefix())) + ")");
}

}  // namespace rezero::detail

namespace rezero {

std::vector<const Layout*> fitting_layouts(const SafetensorsFile& file,
                                           const std::vector<std::string>& leave_out) {
  std::vector<const Layout*> fitting;
  for (const Layout& layout : layouts())
    if (detail::match_names(file, layout, leave_out).layers_fit()) fitting.push_back(&layout);
  return fitting;
}

}  // namespace rezero
