#pragma once
/// Tables of named entries: lookup with aliases and suggestions, iteration in table order.

#include <string>
#include <string_view>
#include <vector>

#include "rezero/core/error.h"
#include "rezero/core/named_spec.h"
#include "rezero/core/text.h"

namespace rezero {

/// The candidate closest to `word` (Damerau–Levenshtein distance at most max(1, length/3)), or an empty
/// string.
std::string closest_name(std::string_view word, const std::vector<std::string_view>& candidates);

/// `unknown scheme 'rezro' (known: a, b). Did you mean 'rezero'?` — control characters in the word are
/// escaped.
std::string unknown_name_message(std::string_view kind, std::string_view word,
                                 const std::vector<std::string_view>& known,
                                 const std::vector<std::string_view>& aliases = {});

/// The common part of everything with a name: the base of all entries, filled in member by member.
struct Entry {
  std::string_view name;
  std::vector<std::string_view> aliases;
  std::string_view summary;  ///< one line that describes it, in words or as a formula
  std::string_view
      source;  ///< paper (and equation where it was seen), or "derived here"; empty: common knowledge
  std::vector<ParamInfo> params;
};

/// The next entry of a table under construction, to be filled in.
template <class T>
T* add_entry(std::vector<T>& table, std::string_view name) {
  table.emplace_back();
  table.back().name = name;
  return &table.back();
}

/// A table of entries; T derives from Entry. Entries live as long as the program.
template <class T>
class Registry {
 public:
  Registry(std::string_view kind, std::vector<T> entries) : kind_(kind), entries_(std::move(entries)) {}

  /// The entry with that name or alias, or nullptr. Case-insensitive, but an exact spelling has precedence.
  const T* find(std::string_view name) const {
    const auto exact = [](std::string_view a, std::string_view b) { return a == b; };
    const T* entry = find(name, exact);
    return entry ? entry : find(name, same_but_for_case);
  }

  /// The entry with that name or alias; UsageError with a suggestion if there is none.
  const T& at(std::string_view name) const {
    if (const T* entry = find(name)) return *entry;
    std::vector<std::string_view> known, aliases;
    for (const T& entry : entries_) {
      known.push_back(entry.name);
      for (std::string_view alias : entry.aliases) aliases.push_back(alias);
    }
    throw UsageError(unknown_name_message(kind_, name, known, aliases));
  }

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }
  std::string_view kind() const { return kind_; }

 private:
  template <class Same>
  const T* find(std::string_view name, Same same) const {
    for (const T& entry : entries_) {
      if (same(entry.name, name)) return &entry;
      for (std::string_view alias : entry.aliases)
        if (same(alias, name)) return &entry;
    }
    return nullptr;
  }

  std::string_view kind_;
  std::vector<T> entries_;
};

}  // namespace rezero
