/// The table of plan options and everything that iterates it. One file: the walks share what the type of a
/// member decides (text, JSON, schema), which nothing else needs to see.

#include "config/options.h"

#include <algorithm>

#include "analysis/format_names.h"
#include "io/json_cursor.h"
#include "io/strict_json.h"
#include "rezero/config/list.h"
#include "rezero/core/contract.h"
#include "rezero/core/error.h"
#include "rezero/core/text.h"

namespace rezero::detail {
namespace {

using Json = nlohmann::ordered_json;
using Names = std::vector<std::string>;
using Sizes = std::vector<Index>;
using Seeds = std::vector<std::uint64_t>;

constexpr std::int64_t exact_doubles = std::int64_t{1} << 53;

/// The behaviour determined by a member's type. Each has
///   parse(option, text, name): from the command line; UsageError naming `name`
///   read(option, field): from a plan file; IoError with the field's path
///   write(value): to a plan file
///   schema: of the output of `write`.
template <class T>
struct Value;

template <>
struct Value<bool> {
  static bool parse(const PlanOption&, std::string_view, std::string_view) { return true; }
  static bool read(const PlanOption&, const JsonCursor& field) { return field.boolean(); }
  static Json write(bool value) { return value; }
  static constexpr std::string_view schema = R"({"type": "boolean"})";
};

template <>
struct Value<Index> {
  static Index parse(const PlanOption&, std::string_view text, std::string_view name) {
    return parse_count(text, name);
  }
  static Index read(const PlanOption&, const JsonCursor& field) { return field.integer(1, exact_doubles); }
  static Json write(Index value) { return value; }
  static constexpr std::string_view schema = R"({"$ref": "#/$defs/size"})";
};

template <>
struct Value<Real> {
  static Real parse(const PlanOption&, std::string_view text, std::string_view name) {
    return parse_real(text, name);
  }
  static Real read(const PlanOption&, const JsonCursor& field) { return field.real(); }
  static Json write(Real value) { return value; }
  static constexpr std::string_view schema = R"({"type": "number"})";
};

template <>
struct Value<Bytes> {
  static Bytes parse(const PlanOption&, std::string_view text, std::string_view name) {
    return {parse_bytes(text, name)};
  }
  static Bytes read(const PlanOption& option, const JsonCursor& field) {
    if (field.is_string())
      return field.resolve([&](const std::string& text) { return parse(option, text, option.key()); });
    const Real count = field.real();
    if (!(count > 0)) field.fail("expected a positive number of bytes");
    return {count};
  }
  static Json write(Bytes value) { return value.count; }
  static constexpr std::string_view schema = R"({"type": "number", "exclusiveMinimum": 0})";
};

/// Text is resolved later, when more is known. For a plan file it is checked at once, so that the error has
/// its path.
template <>
struct Value<std::string> {
  static std::string parse(const PlanOption&, std::string_view text, std::string_view) {
    return std::string(text);
  }
  static std::string read(const PlanOption& option, const JsonCursor& field) {
    return field.resolve([&](const std::string& text) {
      if (option.check) option.check(text, option.key());
      return text;
    });
  }
  static Json write(const std::string& value) { return value; }
  static constexpr std::string_view schema = R"({"type": "string"})";
};

/// The elements of a non-empty list.
template <class F>
auto elements(const JsonCursor& field, F&& read_one) {
  std::vector<decltype(read_one(field))> list;
  for (const JsonCursor& element : field.elements()) list.push_back(read_one(element));
  if (list.empty()) field.fail("the list is empty");
  return list;
}

template <>
struct Value<Names> {
  static Names parse(const PlanOption& option, std::string_view text, std::string_view name) {
    return option.sweeps ? parse_swept_name_list(text, name) : parse_name_list(text, name);
  }
  static Names read(const PlanOption& option, const JsonCursor& field) {
    if (!field.is_string())
      return elements(field, [&](const JsonCursor& name) { return Value<std::string>::read(option, name); });
    return field.resolve([&](const std::string& text) {
      const Names list = parse(option, text, option.key());
      for (const std::string& name : list)
        if (option.check) option.check(name, option.key());
      return list;
    });
  }
  static Json write(const Names& value) { return value; }
  static constexpr std::string_view schema = R"({"$ref": "#/$defs/names"})";
};

template <>
struct Value<Sizes> {
  static Sizes parse(const PlanOption& option, std::string_view text, std::string_view name) {
    return option.in_order ? parse_count_list(text, name) : parse_index_list(text, name);
  }
  static Sizes read(const PlanOption& option, const JsonCursor& field) {
    const auto size = [](const JsonCursor& number) -> Index { return number.integer(1, exact_doubles); };
    if (field.is_number()) return {size(field)};
    if (!field.is_string()) return elements(field, size);
    return field.resolve([&](const std::string& text) { return parse(option, text, option.key()); });
  }
  static Json write(const Sizes& value) { return value; }
  static constexpr std::string_view schema = R"({"$ref": "#/$defs/sizes"})";
};

std::uint64_t read_seed(const PlanOption& option, const JsonCursor& field) {
  if (!field.is_string()) {
    const bool integer = field.json().is_number_unsigned();
    // Many JSON writers would already have rounded it.
    if (integer && field.json().get<std::uint64_t>() > static_cast<std::uint64_t>(exact_doubles))
      field.fail("a seed above 2^53 must be a string (as a number it may have been rounded): \"" +
                 field.json().dump() + "\"");
    return static_cast<std::uint64_t>(field.integer(0, exact_doubles));
  }
  const Seeds seeds =
      field.resolve([&](const std::string& text) { return parse_seed_list(text, option.key()); });
  if (seeds.size() != 1) field.fail("expected one seed");
  return seeds[0];
}

template <>
struct Value<Seeds> {
  static Seeds parse(const PlanOption&, std::string_view text, std::string_view name) {
    return parse_seed_list(text, name);
  }
  static Seeds read(const PlanOption& option, const JsonCursor& field) {
    const auto seed = [&](const JsonCursor& element) { return read_seed(option, element); };
    if (field.is_number()) return {seed(field)};
    if (!field.is_string()) return elements(field, seed);
    return field.resolve([&](const std::string& text) { return parse(option, text, option.key()); });
  }
  /// As strings, since JSON numbers have 53 bits.
  static Json write(const Seeds& value) {
    Json list = Json::array();
    for (const std::uint64_t seed : value) list.push_back(std::to_string(seed));
    return list;
  }
  static constexpr std::string_view schema =
      R"({"type": "array", "items": {"$ref": "#/$defs/seed"}, "minItems": 1})";
};

/// Calls f(member, Value<T>) for the option's T.
template <class F>
auto visit(const PlanOption& option, F&& f) {
  return std::visit(
      [&](auto member) {
        using T = typename std::decay_t<decltype(std::declval<PlanOptions>().*member)>::value_type;
        return f(member, Value<T>{});
      },
      option.member);
}

bool contains(const std::vector<OptionUse>& uses, OptionUse use) {
  return std::find(uses.begin(), uses.end(), use) != uses.end();
}

/// `64; 16 for conv`: the default of the first family, and of the families that differ.
std::string defaults_of_families(const PlanOption& option) {
  std::vector<std::pair<std::string, std::string>> families_by_default;
  for (const Family& family : families()) {
    if (option.misfit && !option.misfit(family).empty()) continue;
    const std::string text = option.standard_of(family);
    auto found = std::find_if(families_by_default.begin(), families_by_default.end(),
                              [&](const auto& entry) { return entry.first == text; });
    if (found == families_by_default.end()) found = families_by_default.insert(found, {text, ""});
    found->second += (found->second.empty() ? " for " : ", ") + std::string(family.name);
  }
  std::string text;
  for (const auto& [value, names] : families_by_default) text += text.empty() ? value : "; " + value + names;
  return text;
}

/// An ndjson stream has its plan in the first line.
std::string_view first_line_of_stream(std::string_view text) {
  constexpr std::string_view opening = "{\"kind\": \"context\"";
  const bool stream = text.substr(0, opening.size()) == opening;
  return stream ? text.substr(0, text.find('\n')) : text;
}

/// The plan of a report, which states its format, or of any other document with a `plan`; otherwise the
/// document itself.
JsonCursor plan_of(const JsonCursor& top) {
  if (!top.is_object()) return top;
  if (const auto format = top.find("schema")) {
    format->one_of("format", {report_format, verdict_format});
    return top.at("plan");
  }
  return top.find("plan").value_or(top);
}

std::vector<InputFile> read_files(const JsonCursor& field) {
  std::vector<InputFile> list;
  for (const JsonCursor& element : field.elements()) {
    element.only({"path", "sha256"});
    const JsonCursor sha256 = element.at("sha256");
    const std::string& digits = sha256.string();
    if (digits.size() != 64 || digits.find_first_not_of("0123456789abcdef") != std::string::npos)
      sha256.fail("expected 64 hexadecimal digits");
    list.push_back({element.at("path").string(), digits});
  }
  return list;
}

void require_known_keys(const JsonCursor& plan, const OptionTable& table) {
  std::vector<std::string> keys;
  for_each_option(table, [&](const PlanOption& option) { keys.push_back(option.key()); });
  keys.emplace_back("files"), keys.emplace_back("dropout");
  plan.only({keys.begin(), keys.end()});
  for (const auto& [key, value] : plan.members())
    if (value.is_null()) value.fail("null is not a value (leave the key out for the default)");
}

}  // namespace

std::string PlanOption::shown() const {
  return "--" + std::string(name);
}

std::string PlanOption::key() const {
  std::string key(name);
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

bool PlanOption::used_in(OptionUse use) const {
  return contains(uses, use);
}

std::string PlanOption::help_text(OptionUse use) const {
  std::string text(help);
  for (const auto& [command, other] : other_help)
    if (command == use) text = other;
  if (!contains(required, use)) return text;
  return text + (use == OptionUse::one_stack ? " (required without --checkpoint)"
                 : any_stack                 ? " (required)"
                                             : " (required without --stack, --onnx or --checkpoint)");
}

std::string PlanOption::value_name(OptionUse use) const {
  const bool one = use == OptionUse::one_stack;
  if (!words.empty()) return joined(words, "|");
  if (std::holds_alternative<OptionMember<Names>>(member)) return std::string(value) + (one ? "" : ",...");
  if (std::holds_alternative<OptionMember<Seeds>>(member)) return one ? "N" : "LIST";
  if (std::holds_alternative<OptionMember<Sizes>>(member) && !in_order) return one ? "N" : "LIST";
  return std::string(value);
}

std::string PlanOption::default_in(OptionUse use) const {
  if (contains(required, use)) return "";
  if (!otherwise.empty()) return std::string(otherwise);
  return standard_of ? defaults_of_families(*this) : std::string(standard);
}

bool PlanOption::given(const PlanOptions& options) const {
  return visit(*this, [&](auto field, auto) {
    if constexpr (std::is_same_v<decltype(field), OptionMember<bool>>)
      return (options.*field).value_or(false);
    return (options.*field).has_value();
  });
}

void PlanOption::parse(std::string_view text, PlanOptions& options) const {
  visit(*this, [&](auto field, auto value_of) { options.*field = value_of.parse(*this, text, shown()); });
}

const OptionTable& option_table() {
  static const OptionTable table = {stack_options(),    checkpoint_options(), graph_options(),
                                    token_options(),    image_options(),      draw_options(),
                                    spectrum_options(), check_options(),      memory_options()};
  return table;
}

PlanOptions merge(const PlanOptions& base, const PlanOptions& over, const OptionTable& table) {
  PlanOptions out = base;
  for_each_option(table, [&](const PlanOption& option) {
    visit(option, [&](auto field, auto) {
      if (over.*field) out.*field = over.*field;
    });
  });
  for (const InputFile& file : over.files) {
    const auto same = [&](const InputFile& known) { return known.path == file.path; };
    out.files.erase(std::remove_if(out.files.begin(), out.files.end(), same), out.files.end());
    out.files.push_back(file);
  }
  return out;
}

PlanOptions plan_options_from_json(std::string_view text, const std::string& file_name,
                                   const OptionTable& table) {
  const std::string what = "plan '" + file_name + "'";
  const Json document = parse_strict_json(first_line_of_stream(text), what);
  const JsonCursor plan = plan_of(JsonCursor(document, what));
  require_known_keys(plan, table);
  PlanOptions options;
  for_each_option(table, [&](const PlanOption& option) {
    const std::optional<JsonCursor> field = plan.optional(option.key());
    if (field)
      visit(option, [&](auto member, auto value_of) { options.*member = value_of.read(option, *field); });
  });
  if (const auto files = plan.optional("files")) options.files = read_files(*files);
  return options;
}

std::string plan_options_json(const PlanOptions& options, int indent, const OptionTable& table) {
  Json json = Json::object();
  for_each_option(table, [&](const PlanOption& option) {
    visit(option, [&](auto member, auto value_of) {
      if (options.*member) json[option.key()] = value_of.write(*(options.*member));
    });
  });
  if (!options.dropout.empty()) json["dropout"] = options.dropout;
  Json& files = json["files"] = Json::array();
  for (const InputFile& file : options.files) files.push_back({{"path", file.path}, {"sha256", file.sha256}});
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string plan_schema_properties(const OptionTable& table) {
  std::string members;
  for_each_option(table, [&](const PlanOption& option) {
    std::string schema(visit(option, [](auto, auto value_of) { return value_of.schema; }));
    if (!option.schema.empty()) schema = option.schema;
    if (!option.words.empty()) schema = Json{{"enum", option.words}}.dump();
    members += (members.empty() ? "" : ",\n        ") + ("\"" + option.key()) + "\": " + schema;
  });
  return members;
}

namespace {

/// A source of stacks other than options: its option, the flag of options allowed beside it, and why others
/// are not.
struct Source {
  bool given;
  std::string_view name;
  bool PlanOption::*allowed;
  std::string_view why;
};

}  // namespace

void refuse_contradictions(const PlanOptions& options, const OptionTable& table) {
  const Source sources[] = {
      {options.stack.has_value(), "--stack", &PlanOption::any_stack, "the stack file holds its own blocks"},
      {options.onnx.has_value(), "--onnx", &PlanOption::any_graph, "the model is a graph of its own"},
      {options.checkpoint.has_value(), "--checkpoint", &PlanOption::any_checkpoint,
       "the tensors of the checkpoint determine its blocks"}};
  for_each_option(table, [&](const PlanOption& option) {
    if (!option.given(options)) return;
    for (const Source& source : sources)
      if (source.given && !(option.*source.allowed))
        throw UsageError(option.shown() + " and " + std::string(source.name) + " contradict each other (" +
                         std::string(source.why) + ")");
    if (option.graph_only && !options.onnx) throw UsageError(option.shown() + " needs --onnx FILE");
    if (option.checkpoint_only && !options.checkpoint)
      throw UsageError(option.shown() + " needs --checkpoint FILE");
  });
}

void refuse_misfits(const PlanOptions& options, const Family& family, const OptionTable& table) {
  for_each_option(table, [&](const PlanOption& option) {
    const std::string why = option.misfit ? option.misfit(family) : "";
    if (!why.empty() && option.given(options))
      throw UsageError(option.shown() + " contradicts --family " + std::string(family.name) + " (" + why +
                       ")");
  });
}

void set_default(AnyOptionMember member, const Family* family, PlanOptions& options) {
  bool found = false;
  for_each_option(option_table(), [&](const PlanOption& option) {
    if (option.member != member) return;
    found = true;
    REZERO_REQUIRE(!option.standard_of || family);
    option.parse(option.standard_of ? option.standard_of(*family) : std::string(option.standard), options);
  });
  REZERO_REQUIRE(found);
}

}  // namespace rezero::detail

namespace rezero {

PlanOptions merge(const PlanOptions& base, const PlanOptions& over) {
  return detail::merge(base, over, detail::option_table());
}

PlanOptions plan_options_from_json(std::string_view text, const std::string& file_name) {
  return detail::plan_options_from_json(text, file_name, detail::option_table());
}

}  // namespace rezero
