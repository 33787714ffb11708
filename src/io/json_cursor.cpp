#include "io/json_cursor.h"

#include <algorithm>
#include <cmath>

#include "io/json_path.h"
#include "rezero/core/named_spec.h"
#include "rezero/core/registry.h"

namespace rezero {
namespace {

using Json = nlohmann::ordered_json;

std::string describe(const Json& node) {
  switch (node.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::boolean:
      return node.get<bool>() ? "true" : "false";
    case Json::value_t::string:
      return "the string '" + printable(node.get_ref<const std::string&>()) + "'";
    case Json::value_t::array:
      return "an array";
    case Json::value_t::object:
      return "an object";
    case Json::value_t::number_float:
      return "the number " + shortest(node.get<Real>());
    default:
      return node.is_number() ? "the number " + node.dump() : "no JSON value";
  }
}

/// The number as an integer, if it is one of 64 bits. The parser stores every number that is exactly an
/// integer as one, in any notation, so a double is never an integer, except for negative zero.
std::optional<std::int64_t> whole(const Json& node) {
  if (node.is_number_unsigned()) {
    const auto value = node.get<std::uint64_t>();
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
    return static_cast<std::int64_t>(value);
  }
  if (node.is_number_integer()) return node.get<std::int64_t>();
  return node.get<Real>() == 0 ? std::optional<std::int64_t>(0) : std::nullopt;
}

}  // namespace

JsonCursor::JsonCursor(const Json& document, std::string_view what)
    : node_(&document), what_(printable(what)) {}

void JsonCursor::fail(std::string_view problem) const {
  throw IoError(what_ + ": " + (path_.empty() ? "" : path_ + ": ") + std::string(problem));
}

void JsonCursor::expect(bool fits, std::string_view expected) const {
  if (!fits) fail("expected " + std::string(expected) + ", found " + describe(*node_));
}

const std::string& JsonCursor::string() const {
  expect(node_->is_string(), "a string");
  return node_->get_ref<const std::string&>();
}

bool JsonCursor::boolean() const {
  expect(node_->is_boolean(), "true or false");
  return node_->get<bool>();
}

Real JsonCursor::real() const {
  expect(node_->is_number(), "a number");
  const Real value = node_->get<Real>();
  expect(std::isfinite(value), "a finite number");
  return value;
}

Real JsonCursor::real_between(Real lowest, Real highest) const {
  const Real value = real();
  expect(value >= lowest && value <= highest,
         "a number from " + shortest(lowest) + " to " + shortest(highest));
  return value;
}

std::int64_t JsonCursor::integer(std::int64_t lowest, std::int64_t highest) const {
  const std::optional<std::int64_t> value = node_->is_number() ? whole(*node_) : std::nullopt;
  if (value && *value >= lowest && *value <= highest) return *value;
  constexpr std::int64_t unbounded = std::numeric_limits<std::int64_t>::max();
  expect(false, highest == unbounded && lowest == std::numeric_limits<std::int64_t>::min()
                    ? "a whole number"
                    : "a whole number " + (highest == unbounded ? "of at least " + std::to_string(lowest)
                                                                : "from " + std::to_string(lowest) + " to " +
                                                                      std::to_string(highest)));
  return 0;
}

const std::string& JsonCursor::one_of(std::string_view kind,
                                      const std::vector<std::string_view>& known) const {
  const std::string& word = string();
  if (std::find(known.begin(), known.end(), word) == known.end())
    fail(unknown_name_message(kind, word, known));
  return word;
}

void JsonCursor::only(const std::vector<std::string_view>& known) const {
  expect(node_->is_object(), "an object");
  for (const auto& [key, value] : node_->get_ref<const Json::object_t&>())
    if (std::find(known.begin(), known.end(), key) == known.end())
      fail(unknown_name_message("key", key, known));
}

std::optional<JsonCursor> JsonCursor::find(std::string_view key) const {
  expect(node_->is_object(), "an object");
  for (const auto& [name, value] : node_->get_ref<const Json::object_t&>())
    if (name == key) return JsonCursor(value, json_member_path(path_, key), what_);
  return std::nullopt;
}

std::optional<JsonCursor> JsonCursor::optional(std::string_view key) const {
  const std::optional<JsonCursor> found = find(key);
  return found && !found->is_null() ? found : std::nullopt;
}

JsonCursor JsonCursor::at(std::string_view key) const {
  if (const std::optional<JsonCursor> found = find(key)) return *found;
  fail("the key '" + printable(key) + "' is missing");
}

std::vector<std::pair<std::string, JsonCursor>> JsonCursor::members() const {
  expect(node_->is_object(), "an object");
  std::vector<std::pair<std::string, JsonCursor>> out;
  for (const auto& [key, value] : node_->get_ref<const Json::object_t&>())
    out.emplace_back(key, JsonCursor(value, json_member_path(path_, key), what_));
  return out;
}

std::vector<JsonCursor> JsonCursor::elements() const {
  expect(node_->is_array(), "an array");
  std::vector<JsonCursor> out;
  for (const Json& value : *node_)
    out.push_back(JsonCursor(value, json_element_path(path_, out.size()), what_));
  return out;
}

std::vector<Real> JsonCursor::reals() const {
  expect(node_->is_array(), "an array of numbers");
  std::vector<Real> out;
  out.reserve(node_->size());
  for (const Json& value : *node_) {
    // The path is built only for a bad element, since such arrays can be long.
    const bool fits = value.is_number() && std::isfinite(value.get<Real>());
    out.push_back(fits ? value.get<Real>()
                       : JsonCursor(value, json_element_path(path_, out.size()), what_).real());
  }
  return out;
}

}  // namespace rezero
