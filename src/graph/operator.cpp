#include "rezero/graph/operator.h"

#include <algorithm>
#include <unordered_map>

#include "rezero/core/error.h"
#include "rezero/core/text.h"

namespace rezero::graph {

#define REZERO_ENTRY(name) void operators_##name(OperatorTable& table);
#include "operators/operators.def"

namespace {

std::unordered_map<std::string_view, Operator> make_operators() {
  OperatorTable table;
#define REZERO_ENTRY(name) operators_##name(table);
#include "operators/operators.def"
  std::unordered_map<std::string_view, Operator> all;
  for (const Operator& row : table) all.emplace(row.name, row);
  return all;
}

const std::unordered_map<std::string_view, Operator>& operators() {
  static const std::unordered_map<std::string_view, Operator> all = make_operators();
  return all;
}

template <class T>
const T& as(const Attribute& attribute, std::string_view name) {
  const T* value = std::get_if<T>(&attribute);
  if (!value) throw ShapeError("attribute '" + std::string(name) + "' is of another type than expected");
  return *value;
}

}  // namespace

const Operator* find_operator(std::string_view type) {
  const auto found = operators().find(type);
  return found == operators().end() ? nullptr : &found->second;
}

std::vector<std::string_view> operator_names() {
  std::vector<std::string_view> names = {"If", "Loop", "Scan"};
  for (const auto& [name, row] : operators()) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

bool is_control_flow(std::string_view type) {
  return type == "If" || type == "Loop" || type == "Scan";
}

const Tensor& Call::in(Index i) const {
  if (!has(i)) throw ShapeError("input " + std::to_string(i) + " is missing");
  return *inputs[static_cast<std::size_t>(i)];
}

const Attribute* Call::find(std::string_view name) const {
  const auto found = node->attributes.find(std::string(name));
  return found == node->attributes.end() ? nullptr : &found->second;
}

bool Call::has_attribute(std::string_view name) const {
  return find(name) != nullptr;
}

Index Call::integer(std::string_view name, Index otherwise) const {
  const Attribute* value = find(name);
  return value ? as<std::int64_t>(*value, name) : otherwise;
}

Real Call::real(std::string_view name, Real otherwise) const {
  const Attribute* value = find(name);
  return value ? as<Real>(*value, name) : otherwise;
}

std::string Call::text(std::string_view name, std::string_view otherwise) const {
  const Attribute* value = find(name);
  return value ? as<std::string>(*value, name) : std::string(otherwise);
}

std::optional<Dims> Call::integers(std::string_view name) const {
  const Attribute* value = find(name);
  if (!value) return std::nullopt;
  const Integers& numbers = as<Integers>(*value, name);
  return Dims(numbers.begin(), numbers.end());
}

std::optional<std::vector<Real>> Call::reals(std::string_view name) const {
  const Attribute* value = find(name);
  return value ? std::optional(as<std::vector<Real>>(*value, name)) : std::nullopt;
}

const Tensor& Call::tensor(std::string_view name) const {
  const Attribute* value = find(name);
  if (!value) throw ShapeError("attribute '" + std::string(name) + "' is missing");
  return as<Tensor>(*value, name);
}

std::optional<Dims> Call::integers_in(Index i) const {
  if (!has(i)) return std::nullopt;
  const Integers& numbers = in(i).integers();
  return Dims(numbers.begin(), numbers.end());
}

std::optional<Dims> Call::integers_of(Index i, std::string_view attribute) const {
  if (has(i)) return integers_in(i);
  return integers(attribute);
}

}  // namespace rezero::graph
