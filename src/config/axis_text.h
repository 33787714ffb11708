#pragma once
/// Entries of axes as options have them: `NAME[:param=value]…`, where a number may be a list.

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "rezero/analysis/axis.h"

namespace rezero::detail {

/// A text with the first value of every list, and the lists.
struct SweptText {
  NamedSpec base;
  std::vector<SweptParam> swept;  ///< in the order of declaration
};

/// `spec` is the text's parse_swept_spec, `kind` the entry that it names. A list of one number is that
/// number. UsageError for a list that is malformed, or that is the value of a word.
SweptText read_lists(const NamedSpec& spec, const rezero::Entry& kind, const std::string& owner);

/// `scheme 'fixed'`, for messages.
inline std::string owner_of(const SchemeSpec& spec) {
  return "scheme '" + std::string(spec.scheme().name) + "'";
}
inline std::string owner_of(const Initializer& initializer) {
  return "initializer '" + std::string(initializer.kind().name) + "'";
}
inline std::string owner_of(const Activation& activation) {
  return "activation '" + std::string(activation.kind().name) + "'";
}

/// UsageError as T's constructor gives it, also for numbers of a list that the parameter does not allow.
template <class T>
AxisEntry<T> axis_entry(const std::string& text) {
  const NamedSpec spec = parse_swept_spec(text);
  const T defaults(NamedSpec{spec.name, {}});
  const SweptText read = read_lists(spec, entry_of(defaults), owner_of(defaults));
  for (const SweptParam& param : read.swept) {
    const auto [least, most] = std::minmax_element(param.values.begin(), param.values.end());
    for (const Real extreme : {*least, *most}) {
      NamedSpec at = read.base;
      for (auto& [name, value] : at.params)
        if (name == param.name) value = shortest(extreme);
      T{at};
    }
  }
  return AxisEntry<T>(read.base, read.swept);
}

/// A check for `checked_by`.
template <class T>
void makes_axis(const std::string& text, std::string_view) {
  axis_entry<T>(text);
}

/// The number of values of an entry; UsageError if it is more than an axis may have.
std::size_t countable_points(const std::vector<SweptParam>& swept, const std::string& text);

/// UsageError for more than longest_list values.
void require_countable_axis(std::size_t values, std::string_view option);

/// Equal for values with the same meaning. The text of a parameter holds no control characters.
template <class T>
std::string meaning(const T& value) {
  std::string text(entry_of(value).name);
  for (const ParamValue& param : value.params().values()) text += '\0' + param.text;
  return text;
}

/// Resolves each text. A value that an earlier entry has is dropped.
template <class T>
Axis<T> resolve_axis(const std::vector<std::string>& texts, std::string_view option) {
  std::vector<AxisEntry<T>> entries;
  std::unordered_map<std::string_view, int> uses;
  std::size_t values = 0;
  for (const std::string& text : texts) {
    entries.push_back(axis_entry<T>(text));
    ++uses[entry_of(entries.back().base()).name];
    require_countable_axis(values += countable_points(entries.back().swept(), text), option);
  }
  Axis<T> axis;
  std::unordered_set<std::string> known;
  for (AxisEntry<T>& entry : entries) {
    if (uses[entry_of(entry.base()).name] > 1) {
      std::vector<std::uint32_t> kept;
      for (std::size_t i = 0; i < entry.points(); ++i)
        if (known.insert(meaning(entry.point(i))).second) kept.push_back(static_cast<std::uint32_t>(i));
      if (kept.empty()) continue;
      if (kept.size() < entry.points()) entry.keep(std::move(kept));
    }
    axis.add(std::move(entry));
  }
  return axis;
}

}  // namespace rezero::detail
