#pragma once
/// Declares and parses the options of one command. Only this file uses CLI11, which handles text alone; our
/// own strict parsers read numbers.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rezero::cli {

/// The values written, by long option name without dashes.
class ParsedLine {
 public:
  bool has(const std::string& name) const { return values_.count(name) != 0; }
  std::optional<std::string> find(const std::string& name) const;
  const std::vector<std::string>& positionals() const { return positionals_; }

 private:
  friend class CommandLine;
  std::map<std::string, std::string> values_;
  std::vector<std::string> positionals_;
};

class CommandLine {
 public:
  /// `usage`: `rezero-analyze verify [options]`. `footer` follows the options in help.
  CommandLine(std::string usage, std::string description, std::string footer = "");
  ~CommandLine();

  /// Heading in help for the options declared from here on.
  void group(std::string heading);
  /// `names`: "-o,--output". `value`: its name in help. `default_text`: shown in help, may be empty.
  void option(const std::string& names, const std::string& value, const std::string& help,
              const std::string& default_text = "");
  /// Lets an option be written several times: its values are joined by commas.
  void repeatable(const std::string& name);
  void flag(const std::string& names, const std::string& help);
  /// Allows up to `most` words that are not options.
  void positionals(std::size_t most) { most_positionals_ = most; }

  /// Nothing if help was requested (see help()). UsageError: unknown options (with suggestions), a missing
  /// value, an option given twice with different values, too many words.
  std::optional<ParsedLine> parse(const std::vector<std::string>& args);
  std::string help() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::string group_;
  std::size_t most_positionals_ = 0;
};

}  // namespace rezero::cli
