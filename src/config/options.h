#pragma once
/// The options of a plan, one row each. The command line, help, plan files, their schema, `merge` and the
/// checks for contradictions iterate this table; a new option is a member of PlanOptions and a row.

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "rezero/config/plan_options.h"

namespace rezero::detail {

template <class T>
using OptionMember = std::optional<T> PlanOptions::*;

/// The type of the member decides how text is parsed, how JSON is read and written, and the schema.
using AnyOptionMember =
    std::variant<OptionMember<bool>, OptionMember<Index>, OptionMember<Real>, OptionMember<std::string>,
                 OptionMember<std::vector<std::string>>, OptionMember<std::vector<Index>>,
                 OptionMember<std::vector<std::uint64_t>>>;

/// The commands that take plan options.
enum class OptionUse { analysis, verify, one_stack };

struct PlanOption {
  /// Throws UsageError for a text that the option does not take; `option` is what messages call it.
  using Check = void (*)(const std::string& text, std::string_view option);
  using OfFamily = std::string (*)(const Family&);

  std::string_view name;  ///< of the long option, without dashes; in JSON with `_` for `-`
  AnyOptionMember member;
  std::string_view help;
  std::string_view value = {};               ///< its name in help, where type and `words` do not tell
  std::string_view standard = {};            ///< the default, as a user would write it
  OfFamily standard_of = nullptr;            ///< the default where it depends on the family
  std::string_view otherwise = {};           ///< what happens without the option, where no value says it
  Check check = nullptr;                     ///< of each text; names are resolved by it
  std::vector<std::string_view> words = {};  ///< all that may be written, if they are few
  std::string_view schema = {};              ///< of its value in a plan, where the type does not tell
  OfFamily misfit = nullptr;                 ///< why a family has no use for the option; empty: it has
  bool in_order = false;                     ///< a list of numbers keeps its order and its repetitions
  bool any_stack = false;                    ///< allowed next to --stack: it does not describe random stacks
  std::vector<OptionUse> uses = {OptionUse::analysis, OptionUse::verify, OptionUse::one_stack};
  std::vector<std::pair<OptionUse, std::string_view>> other_help = {};  ///< commands that need other words
  std::vector<OptionUse> required = {};                                 ///< commands that have no default

  // Rows are written as chains of these.
  PlanOption& named(std::string_view value_name) { return set(value, value_name); }
  PlanOption& by_default(std::string_view text) { return set(standard, text); }
  PlanOption& by_default(OfFamily text) { return set(standard_of, text); }
  PlanOption& default_text(std::string_view text) { return set(otherwise, text); }
  PlanOption& checked_by(Check f) { return set(check, f); }
  PlanOption& one_of(std::vector<std::string_view> all, Check f) { return set(words, all).set(check, f); }
  PlanOption& json_schema(std::string_view text) { return set(schema, text); }
  PlanOption& unless(OfFamily reason) { return set(misfit, reason); }
  PlanOption& keeping_order() { return set(in_order, true); }
  PlanOption& for_any_stack() { return set(any_stack, true); }
  PlanOption& only_in(std::vector<OptionUse> commands) { return set(uses, commands); }
  PlanOption& required_in(std::vector<OptionUse> commands) { return set(required, commands); }
  PlanOption& help_in(OptionUse use, std::string_view text) {
    other_help.emplace_back(use, text);
    return *this;
  }

  std::string shown() const;  ///< `--hidden-ratio`
  std::string key() const;    ///< `hidden_ratio`
  bool is_switch() const { return std::holds_alternative<OptionMember<bool>>(member); }
  bool used_in(OptionUse use) const;
  std::string help_text(OptionUse use) const;
  std::string value_name(OptionUse use) const;  ///< not for switches
  /// As help shows it; where families differ, all their defaults.
  std::string default_in(OptionUse use) const;
  /// Whether it is written; a switch that is off is not.
  bool given(const PlanOptions& options) const;
  /// Sets the member from what stands on the command line. UsageError naming the option.
  void parse(std::string_view text, PlanOptions& options) const;

 private:
  template <class Field, class Value>
  PlanOption& set(Field& field, Value&& value_of_field) {
    field = std::forward<Value>(value_of_field);
    return *this;
  }
};

/// Options under one heading of help.
struct OptionGroup {
  std::string_view heading;
  std::vector<PlanOption> options;
};
using OptionTable = std::vector<OptionGroup>;

/// All of them, in the order of plans and of help.
const OptionTable& option_table();

// The groups, each in the file that resolves it.
OptionGroup stack_options();     // axes.cpp
OptionGroup token_options();     // tokens.cpp
OptionGroup image_options();     // images.cpp
OptionGroup draw_options();      // axes.cpp
OptionGroup spectrum_options();  // analysis_options.cpp
OptionGroup check_options();     // analysis_options.cpp

/// f(option) for each, in order.
template <class F>
void for_each_option(const OptionTable& table, F&& f) {
  for (const OptionGroup& group : table)
    for (const PlanOption& option : group.options) f(option);
}

PlanOptions merge(const PlanOptions& base, const PlanOptions& over, const OptionTable& table);
PlanOptions plan_options_from_json(std::string_view text, const std::string& file_name,
                                   const OptionTable& table);
/// What is written, and the hashes in `files`, as one JSON object.
std::string plan_options_json(const PlanOptions& options, int indent, const OptionTable& table);
/// JSON Schema of the plan's own keys: the members of `properties`.
std::string plan_schema_properties(const OptionTable& table = option_table());

/// UsageError for an option that describes random stacks next to --stack.
void refuse_beside_stack(const PlanOptions& options, const OptionTable& table = option_table());
/// UsageError for an option that the family has no use for.
void refuse_misfits(const PlanOptions& options, const Family& family,
                    const OptionTable& table = option_table());

/// The table's default of a member.
void set_default(AnyOptionMember member, const Family* family, PlanOptions& options);

/// What is written, or the table's default.
template <class T>
T value_or_default(const PlanOptions& options, OptionMember<T> member, const Family* family = nullptr) {
  if (options.*member) return *(options.*member);
  PlanOptions defaults;
  set_default(member, family, defaults);
  return *(defaults.*member);
}

/// A check for `checked_by`: f(text) or f(text, option) takes what may be written and throws otherwise.
template <auto f>
void accepted_by(const std::string& text, std::string_view option) {
  if constexpr (std::is_invocable_v<decltype(f), const std::string&, std::string_view>)
    f(text, option);
  else
    f(text);
}

/// A check for `checked_by`: `NAME[:p=v]…` makes a T.
template <class T>
void makes(const std::string& text, std::string_view) {
  T{parse_named_spec(text)};
}

}  // namespace rezero::detail
