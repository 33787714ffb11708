#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "rezero/core/error.h"
#include "rezero/core/registry.h"

namespace rezero::cli {
namespace {

/// One option's bound values: CLI11 appends each occurrence.
struct Bound {
  std::string name;   ///< long, without dashes
  std::string shown;  ///< as users write it: --depth
  bool takes_value = false;
  std::vector<std::string> short_names;
  std::vector<std::string> values;
  bool set = false;
};

std::string usage_line(const std::string& usage) {
  return "Usage: " + usage + "\n";
}

}  // namespace

struct CommandLine::State {
  State(std::string usage_text, const std::string& description, const std::string& footer)
      : usage(std::move(usage_text)), app(description, "rezero-analyze") {
    app.footer(footer);
    app.set_help_flag("-h,--help", "This text");
    app.allow_extras();
    app.get_formatter()->column_width(34);
    app.get_formatter()->label("OPTIONS", "");
  }

  Bound& bind(const std::string& names, bool takes_value) {
    auto bound = std::make_unique<Bound>();
    const std::size_t dashes = names.find("--");
    bound->shown = names.substr(dashes);
    bound->name = bound->shown.substr(2);
    bound->takes_value = takes_value;
    if (dashes > 0) bound->short_names.push_back(names.substr(0, names.find(',')));
    options.push_back(std::move(bound));
    return *options.back();
  }

  const Bound* find(const std::string& word) const {
    for (const auto& option : options)
      if (option->shown == word || std::count(option->short_names.begin(), option->short_names.end(), word))
        return option.get();
    return nullptr;
  }

  std::string usage;
  CLI::App app;
  std::vector<std::unique_ptr<Bound>> options;
};

std::optional<std::string> ParsedLine::find(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::nullopt : std::optional<std::string>(found->second);
}

CommandLine::CommandLine(std::string usage, std::string description, std::string footer)
    : state_(std::make_unique<State>(std::move(usage), description, footer)) {}

CommandLine::~CommandLine() = default;

void CommandLine::group(std::string heading) {
  group_ = std::move(heading);
}

void CommandLine::option(const std::string& names, const std::string& value, const std::string& help,
                         const std::string& default_text) {
  Bound& bound = state_->bind(names, true);
  CLI::Option* option = state_->app.add_option(names, bound.values, help);
  option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->group(group_);
  option->type_name(value)->option_text(value + (default_text.empty() ? "" : " [" + default_text + "]"));
}

void CommandLine::flag(const std::string& names, const std::string& help) {
  Bound& bound = state_->bind(names, false);
  state_->app
      .add_flag_callback(
          names, [&bound] { bound.set = true; }, help)
      ->group(group_);
}

namespace {

/// `--name value` as `--name=value`: CLI11 would take the value `-.2` for an option, and an absent one for
/// the next word.
template <class Find>
std::vector<std::string> join_values(const std::vector<std::string>& args, const Find& find) {
  std::vector<std::string> joined;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const Bound* option = find(args[i]);
    if (!option || !option->takes_value) {
      joined.push_back(args[i]);
      continue;
    }
    if (i + 1 == args.size() || find(args[i + 1]))
      throw UsageError("option '" + option->shown + "' needs a value");
    joined.push_back(option->shown + "=" + args[++i]);
  }
  return joined;
}

[[noreturn]] void refuse(const std::string& word, const std::vector<std::unique_ptr<Bound>>& options) {
  if (word.size() < 2 || word[0] != '-')
    throw UsageError("unexpected argument '" + printable(word) + "'; see --help");
  std::vector<std::string_view> known = {"--help"};
  for (const auto& option : options) known.push_back(option->shown);
  const std::string name = word.substr(0, word.find('='));
  const std::string close = closest_name(name, known);
  throw UsageError("unknown option '" + printable(name) + "'" +
                   (close.empty() ? "; see --help" : ". Did you mean '" + close + "'?"));
}

}  // namespace

std::optional<ParsedLine> CommandLine::parse(const std::vector<std::string>& args) {
  State& state = *state_;
  const auto find = [&state](const std::string& word) { return state.find(word); };
  std::vector<std::string> joined = join_values(args, find);
  if (std::any_of(joined.begin(), joined.end(),
                  [](const auto& word) { return word == "-h" || word == "--help"; }))
    return std::nullopt;
  for (const std::string& word : joined) {  // CLI11 would read `--flag=value` as the flag's value
    const Bound* option = find(word.substr(0, word.find('=')));
    if (option && !option->takes_value && word.find('=') != std::string::npos)
      throw UsageError("option '" + option->shown + "' takes no value");
    if (option && option->takes_value && word.size() == option->shown.size() + 1)
      throw UsageError("option '" + option->shown + "' needs a value, got an empty one");
  }
  try {
    std::reverse(joined.begin(), joined.end());
    state.app.parse(joined);
  } catch (const CLI::Error& error) {
    throw UsageError("cannot read the options (" + printable(error.get_name()) + "); see --help");
  }
  ParsedLine line;
  for (const std::string& word : state.app.remaining()) {
    if (word.empty() || word[0] == '-' || line.positionals_.size() == most_positionals_)
      refuse(word, state.options);
    line.positionals_.push_back(word);
  }
  for (const auto& option : state.options) {
    if (!option->takes_value && option->set) line.values_[option->name] = "true";
    for (const std::string& value : option->values) {
      const auto [known, fresh] = line.values_.emplace(option->name, value);
      if (!fresh && known->second != value)
        throw UsageError("option '" + option->shown + "' is given twice, as '" + printable(known->second) +
                         "' and '" + printable(value) + "'");
    }
  }
  return line;
}

std::string CommandLine::help() const {
  std::string text = state_->app.help();
  const std::size_t usage = text.find("Usage:");
  if (usage != std::string::npos)
    text.replace(usage, text.find('\n', usage) + 1 - usage, usage_line(state_->usage));
  return text;
}

}  // namespace rezero::cli
