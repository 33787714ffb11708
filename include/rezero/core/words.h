#pragma once
/// The words of a closed set: the values of an enumeration with their names for users and reports, written
/// once. Next to the enumeration:
///
///     enum class Padding { zero, circular };
///     template <>
///     inline constexpr auto words<Padding> =
///         closed_set<Padding>("padding", {{Padding::zero, "zero"}, {Padding::circular, "circular"}});
///
/// to_string, lookup, the enumerations in schemas and the lists in help and messages follow from it.

#include <array>
#include <string_view>
#include <type_traits>
#include <vector>

#include "rezero/core/contract.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"

namespace rezero {

/// Where a word occurs: everywhere, or only in reports, because users cannot choose the value.
enum class SaidBy { all, reports };

template <class T>
struct Word {
  T value;
  std::string_view text;
  SaidBy said_by = SaidBy::all;
};

template <class T, std::size_t N>
struct Words {
  std::string_view kind;  ///< name of the set in messages
  std::array<Word<T>, N> rows;
};

template <class T, std::size_t N>
constexpr Words<T, N> closed_set(std::string_view kind, const Word<T> (&rows)[N]) {
  Words<T, N> set{kind, {}};
  for (std::size_t i = 0; i < N; ++i) set.rows[i] = rows[i];
  return set;
}

/// Specialized for each closed set.
template <class T>
inline constexpr std::nullptr_t words = nullptr;

template <class T>
using RequireWords = std::enable_if_t<!std::is_same_v<decltype(words<T>), const std::nullptr_t>>;

template <class T, class = RequireWords<T>>
constexpr std::string_view to_string(T value) {
  for (const Word<T>& word : words<T>.rows)
    if (word.value == value) return word.text;
  REZERO_REQUIRE(false);
  return {};
}

/// The words available to users, in the order of the set.
template <class T>
std::vector<std::string_view> choices() {
  std::vector<std::string_view> texts;
  for (const Word<T>& word : words<T>.rows)
    if (word.said_by == SaidBy::all) texts.push_back(word.text);
  return texts;
}

/// The value with the name `text`, in any case. UsageError with a suggestion otherwise.
template <class T>
T lookup(std::string_view text) {
  for (const Word<T>& word : words<T>.rows)
    if (word.said_by == SaidBy::all && same_but_for_case(word.text, text)) return word.value;
  throw UsageError(unknown_name_message(words<T>.kind, text, choices<T>()));
}

}  // namespace rezero
