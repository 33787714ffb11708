#pragma once
/// The options of a plan, one row each. The command line, help, plan files, their schema, `merge` and the
/// checks for contradictions iterate over this table. A new option is a member of PlanOptions and a row here.

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

/// The type of the member determines parsing, JSON in both directions, and the schema.
using AnyOptionMember =
    std::variant<OptionMember<bool>, OptionMember<Index>, OptionMember<Real>, OptionMember<Bytes>,
                 OptionMember<std::string>, OptionMember<std::vector<std::string>>,
                 OptionMember<std::vector<Index>>, OptionMember<std::vector<std::uint64_t>>>;

/// The commands that take plan options.
enum class OptionUse { analysis, verify, one_stack };

struct PlanOption {
  /// Throws UsageError for an invalid text; `option` is the name in messages.
  using Check = void (*)(const std::string& text, std::string_view option);
  using OfFamily = std::string (*)(const Family&);

  std::string_view name;  ///< long name without dashes; in JSON with `_` instead of `-`
  AnyOptionMember member;
  std::string_view help;
  std::string_view value = {};      ///< name of the value in help, if type and `words` do not determine it
  std::string_view standard = {};   ///< the default, as a user would write it
  OfFamily standard_of = nullptr;   ///< the default, if it depends on the family
  std::string_view otherwise = {};  ///< what happens without the option, if there is no default value
  Check check = nullptr;            ///< checks each text, for example by resolving a name
  std::vector<std::string_view> words = {};  ///< all possible values, if there are few
  std::string_view schema = {};  ///< schema of the value in a plan, if the type does not determine it
  OfFamily misfit = nullptr;     ///< why the option does not apply to a family; empty if it does
  bool repeats = false;          ///< may be written several times, which makes one list
  bool in_order = false;         ///< a list of numbers keeps its order and repetitions
  bool any_stack = false;   ///< allowed together with --stack, because it does not describe random stacks
  bool any_graph = false;   ///< the same with --onnx
  bool graph_only = false;  ///< allowed with --onnx alone
  std::vector<OptionUse> uses = {OptionUse::analysis, OptionUse::verify, OptionUse::one_stack};
  std::vector<std::pair<OptionUse, std::string_view>> other_help = {};  ///< different help for some commands
  std::vector<OptionUse> required = {};                                 ///< commands without a default

  // A row is OptionGroup::add and a chain of these calls.
  PlanOption& named(std::string_view value_name) { return set(value, value_name); }
  PlanOption& by_default(std::string_view text) { return set(standard, text); }
  PlanOption& by_default(OfFamily text) { return set(standard_of, text); }
  PlanOption& default_text(std::string_view text) { return set(otherwise, text); }
  PlanOption& checked_by(Check f) { return set(check, f); }
  PlanOption& one_of(std::vector<std::string_view> all, Check f) { return set(words, all).set(check, f); }
  /// One of the words of the closed set T.
  template <class T>
  PlanOption& word_of() {
    return one_of(choices<T>(), [](const std::string& text, std::string_view) { lookup<T>(text); });
  }
  PlanOption& json_schema(std::string_view text) { return set(schema, text); }
  PlanOption& unless(OfFamily reason) { return set(misfit, reason); }
  PlanOption& repeatable() { return set(repeats, true); }
  PlanOption& keeping_order() { return set(in_order, true); }
  PlanOption& for_any_stack() { return set(any_stack, true).set(any_graph, true); }
  PlanOption& for_any_graph() { return set(any_graph, true); }
  PlanOption& for_graphs_only() { return set(graph_only, true).set(any_graph, true); }
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
  std::string value_name(OptionUse use) const;  ///< empty for switches
  /// As shown in help; if families differ, all their defaults.
  std::string default_in(OptionUse use) const;
  /// Whether it was written; a switch that is off was not.
  bool given(const PlanOptions& options) const;
  /// Sets the member from the command line. UsageError naming the option.
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

  PlanOption& add(std::string_view name, AnyOptionMember member, std::string_view help) {
    return options.emplace_back(PlanOption{name, member, help});
  }
};
using OptionTable = std::vector<OptionGroup>;

/// All groups, in the order of plans and of help.
const OptionTable& option_table();

// The groups, each in the file that resolves it.
OptionGroup stack_options();     // axes.cpp
OptionGroup graph_options();     // graphs.cpp
OptionGroup token_options();     // tokens.cpp
OptionGroup image_options();     // images.cpp
OptionGroup draw_options();      // axes.cpp
OptionGroup spectrum_options();  // analysis_options.cpp
OptionGroup check_options();     // analysis_options.cpp
OptionGroup memory_options();    // analysis_options.cpp

/// Calls f(option) for each, in order.
template <class F>
void for_each_option(const OptionTable& table, F&& f) {
  for (const OptionGroup& group : table)
    for (const PlanOption& option : group.options) f(option);
}

PlanOptions merge(const PlanOptions& base, const PlanOptions& over, const OptionTable& table);
PlanOptions plan_options_from_json(std::string_view text, const std::string& file_name,
                                   const OptionTable& table);
/// The written options, and the hashes in `files`, as one JSON object.
std::string plan_options_json(const PlanOptions& options, int indent, const OptionTable& table);
/// JSON Schema of the plan's own keys: the members of `properties`.
std::string plan_schema_properties(const OptionTable& table = option_table());

/// UsageError for an option that describes random stacks together with --stack, or together with --onnx.
void refuse_beside_stack(const PlanOptions& options, const OptionTable& table = option_table());
void refuse_beside_graph(const PlanOptions& options, const OptionTable& table = option_table());
/// UsageError for an option of --onnx without it.
void refuse_without_graph(const PlanOptions& options, const OptionTable& table = option_table());
/// UsageError for an option that does not apply to the family.
void refuse_misfits(const PlanOptions& options, const Family& family,
                    const OptionTable& table = option_table());

/// The table's default of a member.
void set_default(AnyOptionMember member, const Family* family, PlanOptions& options);

/// The written value, or the table's default.
template <class T>
T value_or_default(const PlanOptions& options, OptionMember<T> member, const Family* family = nullptr) {
  if (options.*member) return *(options.*member);
  PlanOptions defaults;
  set_default(member, family, defaults);
  return *(defaults.*member);
}

/// A check for `checked_by`: f(text) or f(text, option) accepts valid values and throws otherwise.
template <auto f>
void accepted_by(const std::string& text, std::string_view option) {
  if constexpr (std::is_invocable_v<decltype(f), const std::string&, std::string_view>)
    f(text, option);
  else
    f(text);
}

/// A check for `checked_by`: `NAME[:p=v]…` constructs a T.
template <class T>
void makes(const std::string& text, std::string_view) {
  T{parse_named_spec(text)};
}

}  // namespace rezero::detail
