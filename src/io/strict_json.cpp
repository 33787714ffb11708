#include "io/strict_json.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <limits>
#include <unordered_set>
#include <vector>

#include "io/json_path.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"
#include "rezero/core/whole_number.h"

namespace rezero {
namespace {

using Json = nlohmann::ordered_json;

std::string place(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line = 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = newline == std::string_view::npos ? offset + 1 : offset - newline;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

/// Why the parser stopped after `position` characters.
std::string syntax_problem(std::string_view text, std::size_t position) {
  if (position > text.size()) return "the text ends too early, at " + place(text, text.size());
  const std::size_t offset = position == 0 ? 0 : position - 1;
  // The parser takes the n of `nan` for the beginning of `null`, so report the whole word around it.
  std::size_t start = offset;
  while (start > 0 && offset - start < 8 && std::isalpha(static_cast<unsigned char>(text[start - 1])))
    --start;
  for (std::string_view word : {"NaN", "nan", "Infinity", "inf", "Inf"})
    if (text.substr(start, word.size()) == word)
      return std::string(word) + " at " + place(text, start) + ": JSON has finite numbers only";
  const std::string_view rest = text.substr(offset);
  // The whole character, not its first byte.
  std::size_t size = 1;
  while (size < rest.size() && (static_cast<unsigned char>(rest[size]) & 0xc0) == 0x80) ++size;
  return "unexpected '" + printable(rest.substr(0, size)) + "' at " + place(text, offset);
}

/// The exact digits of a double with an integral value.
std::string exact_digits(double value) {
  char digits[320];
  std::snprintf(digits, sizeof digits, "%.0f", value);
  return digits;
}

bool is_integer_literal(const std::string& text) {
  return text.find_first_not_of("-0123456789") == std::string::npos;
}

bool is_zero_literal(const std::string& text) {
  return text.substr(0, text.find_first_of("eE")).find_first_of("123456789") == std::string::npos;
}

/// An integer if the literal is one of 64 bits, in any notation: a double can only hold a neighbour of
/// 9007199254740993.0, and 2.9999999999999999999 must not become 3. Zero keeps its sign.
Json exactly(double value, const std::string& literal) {
  const WholeNumber number = read_whole_number(literal);
  if (!number.is_whole() || number.magnitude == 0) return value;
  if (!number.negative) return number.magnitude;
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return number.magnitude <= largest ? Json(-static_cast<std::int64_t>(number.magnitude)) : Json(value);
}

/// Builds the document and stops at the first violation. Memory besides the document: the keys of the open
/// objects.
class StrictBuilder : public nlohmann::json_sax<Json> {
 public:
  StrictBuilder(std::string_view text, const StrictJsonOptions& options) : text_(text), options_(options) {}

  Json take_document() { return std::move(document_); }
  const std::string& problem() const { return problem_; }

  bool null() override { return add(nullptr) != nullptr; }
  bool boolean(bool value) override { return add(value) != nullptr; }
  bool number_integer(std::int64_t value) override { return add(value) != nullptr; }
  bool number_unsigned(std::uint64_t value) override { return add(value) != nullptr; }
  bool string(std::string& value) override { return add(std::move(value)) != nullptr; }
  bool binary(Json::binary_t&) override { return refuse("binary data"); }

  bool number_float(double value, const std::string& literal) override {
    if (is_integer_literal(literal) && exact_digits(value) != literal)
      return refuse("the integer " + printable(literal) + " at " + next_path() +
                    " has more digits than can be kept");
    if (value == 0 && !is_zero_literal(literal)) return refuse_range(literal);
    return add(exactly(value, literal)) != nullptr;
  }

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }

  bool key(std::string& key) override {
    Frame& frame = frames_.back();
    if (!frame.keys.insert(key).second)
      return refuse("duplicate key '" + printable(key) + "' in " + or_top(frame.path));
    frame.key = std::move(key);
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) override {
    constexpr int number_overflow = 406;
    return error.id == number_overflow ? refuse_range(token) : refuse(syntax_problem(text_, position));
  }

 private:
  struct Frame {
    Json* node;
    std::string path;
    std::string key;
    std::unordered_set<std::string> keys;
  };

  static std::string or_top(const std::string& path) { return path.empty() ? "the top level" : path; }

  bool refuse(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }
  bool refuse_range(const std::string& literal) {
    return refuse("the number " + printable(literal) + " at " + next_path() +
                  " is outside the range of double");
  }

  /// Path of the next value.
  std::string next_path() const {
    if (frames_.empty()) return "the top level";
    const Frame& frame = frames_.back();
    return frame.node->is_array() ? json_element_path(frame.path, frame.node->size())
                                  : json_member_path(frame.path, frame.key);
  }

  /// Stores the value and returns its address, or nullptr if there are too many. Members are appended to the
  /// object: keys are known to differ, and a lookup would make large objects quadratic.
  Json* add(Json value) {
    if (++values_ > options_.max_values) {
      refuse("more than " + std::to_string(options_.max_values) + " values");
      return nullptr;
    }
    if (frames_.empty()) return &(document_ = std::move(value));
    Frame& frame = frames_.back();
    if (frame.node->is_array()) {
      auto& elements = frame.node->get_ref<Json::array_t&>();
      return &elements.emplace_back(std::move(value));
    }
    auto& members = frame.node->get_ref<Json::object_t&>();
    return &members.emplace_back(std::move(frame.key), std::move(value)).second;
  }

  bool open(Json container) {
    if (frames_.size() >= options_.max_depth)
      return refuse("nesting deeper than " + std::to_string(options_.max_depth) + " at " + next_path());
    std::string path = frames_.empty() ? "" : next_path();
    Json* node = add(std::move(container));
    if (node) frames_.push_back({node, std::move(path), {}, {}});
    return node != nullptr;
  }
  bool close() {
    frames_.pop_back();
    return true;
  }

  std::string_view text_;
  StrictJsonOptions options_;
  Json document_;
  std::vector<Frame> frames_;  ///< open containers, outermost first
  std::size_t values_ = 0;
  std::string problem_;
};

/// Problems that nlohmann's parser would accept: a byte order mark, a zero byte (which it takes for the end),
/// and, cheaper to find here, text that is empty or not UTF-8.
std::string problem_with_bytes(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return "it is empty";
  if (text.substr(0, 3) == "\xef\xbb\xbf") return "it begins with a byte order mark";
  const std::size_t zero = text.find('\0');
  if (zero != std::string_view::npos) return "a zero byte at " + place(text, zero);
  const std::size_t invalid = invalid_utf8_at(text);
  if (invalid != std::string_view::npos) return "invalid UTF-8 at " + place(text, invalid);
  return "";
}

}  // namespace

Json parse_strict_json(std::string_view text, std::string_view what, const StrictJsonOptions& options) {
  const auto fail = [&](const std::string& why) {
    throw IoError(printable(what) + " is not valid JSON (" + why + ")");
  };
  if (const std::string problem = problem_with_bytes(text); !problem.empty()) fail(problem);
  StrictBuilder builder(text, options);
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) fail(builder.problem());
  return builder.take_document();
}

}  // namespace rezero
