#pragma once
/// A validator for the part of JSON Schema that our schemas use: $ref into $defs, type, const, enum,
/// required, properties, additionalProperties, items, minItems, maxItems, minimum, exclusiveMinimum, pattern,
/// oneOf, anyOf, allOf. An unknown keyword is an error in the schema.

#include <nlohmann/json.hpp>
#include <regex>
#include <stdexcept>
#include <string>

namespace rezero::test {

class SchemaValidator {
 public:
  using Json = nlohmann::ordered_json;
  explicit SchemaValidator(Json schema) : root_(std::move(schema)) {}

  /// Empty if the value conforms, else the first fault with its path.
  std::string fault(const Json& value) const { return check(root_, value, "$"); }

 private:
  std::string check(const Json& schema, const Json& value, const std::string& path) const {
    for (const auto& [keyword, rule] : schema.items()) {
      const std::string problem = apply(keyword, rule, schema, value, path);
      if (!problem.empty()) return problem;
    }
    return {};
  }

  std::string apply(const std::string& keyword, const Json& rule, const Json& schema, const Json& value,
                    const std::string& path) const {
    const auto fail = [&](bool fits) {
      return fits ? std::string() : path + ": " + keyword + " " + rule.dump();
    };
    if (keyword == "$schema" || keyword == "title" || keyword == "$defs") return {};
    if (keyword == "$ref") return check(resolve(rule), value, path);
    if (keyword == "type") return fail(has_type(rule, value));
    if (keyword == "const") return fail(value == rule);
    if (keyword == "enum") return fail(std::find(rule.begin(), rule.end(), value) != rule.end());
    if (keyword == "allOf") return all_of(rule, value, path);
    if (keyword == "oneOf") return fail(matches(rule, value) == 1);
    if (keyword == "anyOf") return fail(matches(rule, value) > 0);
    if (keyword == "minimum") return fail(!value.is_number() || value.get<double>() >= rule.get<double>());
    if (keyword == "exclusiveMinimum")
      return fail(!value.is_number() || value.get<double>() > rule.get<double>());
    if (keyword == "minItems") return fail(!value.is_array() || value.size() >= rule.get<std::size_t>());
    if (keyword == "maxItems") return fail(!value.is_array() || value.size() <= rule.get<std::size_t>());
    if (keyword == "pattern")
      return fail(!value.is_string() ||
                  std::regex_search(value.get<std::string>(), std::regex(rule.get<std::string>())));
    if (keyword == "items") return items(rule, value, path);
    return object_keyword(keyword, rule, schema, value, path);
  }

  std::string object_keyword(const std::string& keyword, const Json& rule, const Json& schema,
                             const Json& value, const std::string& path) const {
    if (keyword != "required" && keyword != "properties" && keyword != "additionalProperties")
      throw std::logic_error("unknown schema keyword " + keyword);
    if (!value.is_object()) return {};
    if (keyword == "required")
      for (const Json& key : rule)
        if (!value.contains(key.get<std::string>())) return path + ": lacks " + key.dump();
    for (const auto& [key, member] : value.items()) {
      const bool listed = schema.contains("properties") && schema["properties"].contains(key);
      const std::string place = path + "." + key;
      if (keyword == "properties" && listed)
        if (const std::string problem = check(rule[key], member, place); !problem.empty()) return problem;
      if (keyword == "additionalProperties" && !listed) {
        if (rule.is_boolean() && !rule.get<bool>()) return place + ": not in the schema";
        if (rule.is_object())
          if (const std::string problem = check(rule, member, place); !problem.empty()) return problem;
      }
    }
    return {};
  }

  std::string items(const Json& rule, const Json& value, const std::string& path) const {
    if (!value.is_array()) return {};
    for (std::size_t i = 0; i < value.size(); ++i)
      if (const std::string problem = check(rule, value[i], path + "[" + std::to_string(i) + "]");
          !problem.empty())
        return problem;
    return {};
  }

  std::string all_of(const Json& rules, const Json& value, const std::string& path) const {
    for (const Json& rule : rules)
      if (const std::string problem = check(rule, value, path); !problem.empty()) return problem;
    return {};
  }

  int matches(const Json& rules, const Json& value) const {
    int count = 0;
    for (const Json& rule : rules) count += check(rule, value, "").empty();
    return count;
  }

  const Json& resolve(const Json& reference) const {
    return root_.at(Json::json_pointer(reference.get<std::string>().substr(1)));
  }

  static bool has_type(const Json& rule, const Json& value) {
    if (rule.is_array())
      return std::any_of(rule.begin(), rule.end(), [&](const Json& type) { return has_type(type, value); });
    const std::string type = rule.get<std::string>();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "null") return value.is_null();
    if (type == "array") return value.is_array();
    if (type == "object") return value.is_object();
    throw std::logic_error("unknown schema type " + type);
  }

  Json root_;
};

}  // namespace rezero::test
