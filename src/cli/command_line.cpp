#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "rezero/core/error.h"
#include "rezero/core/registry.h"

namespace rezero::cli {
namespace {

/// One option: its help, and the values that CLI11 found.
struct Bound {
  std::string name;                ///< long, without dashes
  std::string shown;               ///< as users write it: --depth
  char letter = '\0';              ///< of the short form
  std::string value;               ///< its name in help; empty: a flag
  std::string help, default_text;  ///< in help
  std::string group;
  std::vector<std::string> values;  ///< as CLI11 has them: positions in State::written
  bool set = false, repeatable = false;

  bool takes_value() const { return !value.empty(); }
  bool takes_list() const { return ends_with(value, ",...") || value == "LIST"; }
};

constexpr std::size_t help_width = 110, help_column = 36;

std::string help_of(const Bound& option) {
  std::string names = option.letter ? std::string("  -") + option.letter + ", " : "      ";
  names += option.shown + (option.takes_value() ? " " + option.value : "");
  const std::string text =
      option.help + (option.default_text.empty() ? "" : " [" + option.default_text + "]");
  if (display_width(names) + 2 <= help_column)
    return wrapped(pad_right(names, help_column) + text, help_width, help_column) + "\n";
  return names + "\n" + wrapped(pad_right("", help_column) + text, help_width, help_column) + "\n";
}

}  // namespace

struct CommandLine::State {
  State(std::string usage_text, std::string description_text, std::string footer_text)
      : usage(std::move(usage_text)),
        description(std::move(description_text)),
        footer(std::move(footer_text)) {
    app.set_help_flag();
    app.allow_extras();
    Bound& wanted = bind("-h,--help");
    wanted.help = "print this help";
    app.add_flag_callback(wanted.shown, [&wanted] { wanted.set = true; });
  }

  Bound& bind(const std::string& names) {
    auto bound = std::make_unique<Bound>();
    const std::size_t dashes = names.find("--");
    bound->shown = names.substr(dashes);
    bound->name = bound->shown.substr(2);
    if (dashes > 0) bound->letter = names[1];
    options.push_back(std::move(bound));
    return *options.back();
  }

  const Bound* find(std::string_view word) const {
    for (const auto& option : options)
      if (option->shown == word ||
          (word.size() == 2 && word[0] == '-' && find_letter(word[1]) == option.get()))
        return option.get();
    return nullptr;
  }

  const Bound* find_letter(char letter) const {
    for (const auto& option : options)
      if (option->letter != '\0' && option->letter == letter) return option.get();
    return nullptr;
  }

  /// `--name=@position`: CLI11 interprets some values (`[]`, `-.2`), so it never sees them.
  std::string keep(const Bound& option, std::string value) {
    if (value.empty()) throw UsageError("option '" + option.shown + "' needs a value, got an empty one");
    written.push_back(std::move(value));
    return option.shown + "=@" + std::to_string(written.size() - 1);
  }

  std::vector<std::string> canonical(const std::vector<std::string>& args);
  bool add_letters(const std::vector<std::string>& args, std::size_t& i, std::vector<std::string>& words);
  std::string next_value(const Bound& option, const std::vector<std::string>& args, std::size_t& i);

  std::string usage, description, footer;
  CLI::App app;
  std::vector<std::unique_ptr<Bound>> options;
  std::vector<std::string> written;  ///< values, in the order written
};

std::optional<std::string> ParsedLine::find(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::nullopt : std::optional<std::string>(found->second);
}

CommandLine::CommandLine(std::string usage, std::string description, std::string footer)
    : state_(std::make_unique<State>(std::move(usage), std::move(description), std::move(footer))) {}

CommandLine::~CommandLine() = default;

void CommandLine::group(std::string heading) {
  group_ = std::move(heading);
}

void CommandLine::option(const std::string& names, const std::string& value, const std::string& help,
                         const std::string& default_text) {
  Bound& bound = state_->bind(names);
  bound.value = value, bound.help = help, bound.default_text = default_text, bound.group = group_;
  state_->app.add_option(bound.shown, bound.values)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void CommandLine::repeatable(const std::string& name) {
  for (const auto& option : state_->options)
    if (option->shown == name) option->repeatable = true;
}

void CommandLine::flag(const std::string& names, const std::string& help) {
  Bound& bound = state_->bind(names);
  bound.help = help, bound.group = group_;
  state_->app.add_flag_callback(bound.shown, [&bound] { bound.set = true; });
}

/// The word after option i, which must not be an option itself.
std::string CommandLine::State::next_value(const Bound& option, const std::vector<std::string>& args,
                                           std::size_t& i) {
  if (i + 1 == args.size() || find(args[i + 1]))
    throw UsageError("option '" + option.shown + "' needs a value");
  return args[++i];
}

/// Splits `-qoFILE` into its options. Returns whether all letters are known.
bool CommandLine::State::add_letters(const std::vector<std::string>& args, std::size_t& i,
                                     std::vector<std::string>& words) {
  const std::string& bundle = args[i];
  if (bundle.size() < 2 || bundle[0] != '-' || bundle[1] == '-') return false;
  for (std::size_t at = 1; at < bundle.size(); ++at) {
    const Bound* option = find_letter(bundle[at]);
    if (!option) return false;
    if (option->takes_value()) {
      std::string value = bundle.substr(at + 1);
      words.push_back(keep(*option, value.empty() ? next_value(*option, args, i) : std::move(value)));
      return true;
    }
    words.push_back(option->shown);
  }
  return true;
}

/// The arguments with long names, each value joined to its option.
std::vector<std::string> CommandLine::State::canonical(const std::vector<std::string>& args) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string& word = args[i];
    const std::size_t equals = word.find('=');
    const Bound* option = find(word.substr(0, equals));
    if (option && equals != std::string::npos && !option->takes_value())
      throw UsageError("option '" + option->shown + "' takes no value");
    if (option && equals != std::string::npos)
      words.push_back(keep(*option, word.substr(equals + 1)));
    else if (option && option->takes_value())
      words.push_back(keep(*option, next_value(*option, args, i)));
    else if (option)
      words.push_back(option->shown);
    else if (!add_letters(args, i, words))
      words.push_back(word);
  }
  return words;
}

namespace {

/// `list`: the option before the word, if it takes a list.
[[noreturn]] void refuse(const std::string& word, const Bound* list,
                         const std::vector<std::unique_ptr<Bound>>& options) {
  if (list)
    throw UsageError("unexpected argument '" + printable(word) + "' after " + list->shown +
                     " (commas separate a list, and a pattern of files needs quotes)");
  if (word.size() < 2 || word[0] != '-')
    throw UsageError("unexpected argument '" + printable(word) + "'; see --help");
  std::vector<std::string_view> known;
  for (const auto& option : options) known.push_back(option->shown);
  const std::string name = word.substr(0, word.find('='));
  const std::string close = closest_name(name, known);
  throw UsageError("unknown option '" + printable(name) + "'" +
                   (close.empty() ? "; see --help" : ". Did you mean '" + close + "'?"));
}

}  // namespace

std::optional<ParsedLine> CommandLine::parse(const std::vector<std::string>& args) {
  State& state = *state_;
  std::vector<std::string> words = state.canonical(args);
  if (std::count(words.begin(), words.end(), "--help") > 0) return std::nullopt;
  ParsedLine line;
  const Bound* before = nullptr;
  for (const std::string& word : words) {
    const Bound* option = state.find(word.substr(0, word.find('=')));
    if (!option && (word.empty() || word[0] == '-' || line.positionals_.size() == most_positionals_)) {
      const bool may_belong = before && before->takes_list() && !word.empty() && word[0] != '-';
      refuse(word, may_belong ? before : nullptr, state.options);
    }
    if (!option) line.positionals_.push_back(word);
    before = option;
  }
  try {
    std::reverse(words.begin(), words.end());
    state.app.parse(words);
  } catch (const CLI::Error& error) {
    throw UsageError("cannot read the options (" + printable(error.get_name()) + "); see --help");
  }
  for (const auto& option : state.options) {
    if (option->set) line.values_[option->name] = "true";
    for (const std::string& position : option->values) {
      const std::string& value = state.written.at(std::stoul(position.substr(1)));
      const auto [known, fresh] = line.values_.emplace(option->name, value);
      if (!fresh && option->repeatable)
        known->second += "," + value;
      else if (!fresh && known->second != value)
        throw UsageError("option '" + option->shown + "' is given twice, as '" + printable(known->second) +
                         "' and '" + printable(value) + "'");
    }
  }
  return line;
}

std::string CommandLine::help() const {
  std::string text = "Usage: " + state_->usage + "\n\n" + state_->description;
  std::string group;
  for (const auto& option : state_->options) {
    if (option == state_->options.front()) continue;  // --help comes last
    if (option->group != group) text += "\n" + option->group + ":\n";
    group = option->group;
    text += help_of(*option);
  }
  text += (group.empty() ? "\n" : "") + help_of(*state_->options.front());
  return text + (state_->footer.empty() ? "" : "\n" + state_->footer);
}

}  // namespace rezero::cli
