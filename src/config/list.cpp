#include "rezero/config/list.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "config/decimal_range.h"
#include "rezero/core/error.h"
#include "rezero/core/named_spec.h"
#include "rezero/core/registry.h"
#include "rezero/core/swept_spec.h"
#include "rezero/core/whole_number.h"

namespace rezero {
namespace {

using Whole = std::uint64_t;
constexpr Whole exact_doubles = Whole{1} << 53;

/// The subject of messages, and the bounds of a value.
struct Context {
  std::string_view text, option;
  Whole lowest, highest;

  [[noreturn]] void fail(const std::string& problem) const {
    throw UsageError(std::string(option) + " '" + printable(text) + "': " + problem);
  }
};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    if (end == text.size()) return parts;
    begin = end + 1;
  }
}

std::string_view without_blanks(std::string_view item) {
  const std::size_t begin = std::min(item.find_first_not_of(" \t"), item.size());
  return item.substr(begin, item.find_last_not_of(" \t") + 1 - begin);
}

/// The entries of a list, without the blanks around commas.
std::vector<std::string_view> items(std::string_view text) {
  std::vector<std::string_view> all = split(text, ',');
  for (std::string_view& item : all) item = without_blanks(item);
  return all;
}

Real finite_number(std::string_view part, const Context& context) {
  try {
    return parse_real(part, "value");
  } catch (const UsageError&) {
    context.fail("'" + printable(part) + "' is not a number");
  }
}

/// `12` or `1e3`: a whole number within the bounds.
Whole whole_number(std::string_view part, const Context& context) {
  using Kind = WholeNumber::Kind;
  if (part.empty()) context.fail("a number is missing");
  const std::string written = "'" + printable(part) + "'";
  const WholeNumber number = read_whole_number(part);
  if (number.kind == Kind::malformed) context.fail(written + " is not a number");
  if (number.kind == Kind::fraction) context.fail(written + " is not a whole number");
  if (number.negative || (number.is_whole() && number.magnitude < context.lowest))
    context.fail(written + " is less than " + std::to_string(context.lowest));
  if (!number.is_whole() || number.magnitude > context.highest)
    context.fail(written + " is larger than " + std::to_string(context.highest));
  return number.magnitude;
}

void require_room(const std::vector<Whole>& values, Whole more, const Context& context) {
  if (more > longest_list - values.size())
    context.fail("more than " + std::to_string(longest_list) + " values");
}

void add_arithmetic(std::vector<Whole>& values, Whole first, Whole last, Whole step, const Context& context) {
  const Whole steps = (last - first) / step;
  require_room(values, steps == std::numeric_limits<Whole>::max() ? steps : steps + 1, context);
  for (Whole k = 0; k <= steps; ++k) values.push_back(first + k * step);
}

/// a, aF, aF², … rounded; powers that round to an existing value are skipped.
void add_geometric(std::vector<Whole>& values, Whole first, Whole last, Real factor, const Context& context) {
  if (first == 0) context.fail("a geometric range cannot begin at 0");
  const Real begin = static_cast<Real>(first), log_factor = std::log(factor);
  Whole previous = 0;
  for (Real k = 0;; k += 1) {
    const Real x = std::round(begin * std::pow(factor, k));
    if (!(x <= static_cast<Real>(last)) || x >= 18446744073709551616.0) return;
    const Whole value = k == 0 ? first : static_cast<Whole>(x);
    if (value > last) return;
    if (value <= previous) {  // F is close to 1: skip to the power that reaches the next whole number
      const Real next = std::log((static_cast<Real>(previous) + 0.5) / begin) / log_factor;
      k = std::max(k, std::floor(next) - 1);
      if (k + 1 == k) context.fail("the factor is too close to 1");
      continue;
    }
    require_room(values, 1, context);
    values.push_back(previous = value);
  }
}

void add_item(std::vector<Whole>& values, std::string_view item, const Context& context) {
  const std::vector<std::string_view> parts = split(item, ':');
  if (parts.size() > 3) context.fail("'" + printable(item) + "' is not a:b, a:b:step or a:b:xF");
  const Whole first = whole_number(parts[0], context);
  if (parts.size() == 1) return require_room(values, 1, context), values.push_back(first);
  const Whole last = whole_number(parts[1], context);
  if (last < first) context.fail("the range '" + printable(item) + "' ends before it begins");
  if (parts.size() == 2) return add_arithmetic(values, first, last, 1, context);
  if (parts[2].empty() || parts[2].front() != 'x') {
    const Context step{context.text, context.option, 1, std::numeric_limits<Whole>::max()};
    return add_arithmetic(values, first, last, whole_number(parts[2], step), context);
  }
  const Real factor = finite_number(parts[2].substr(1), context);
  if (!(factor > 1)) context.fail("the factor of '" + printable(item) + "' must be larger than 1");
  add_geometric(values, first, last, factor, context);
}

std::vector<Whole> parse_wholes(const Context& context) {
  std::vector<Whole> values;
  for (const std::string_view item : items(context.text)) add_item(values, item, context);
  return values;
}

/// The subject of messages about a list of real numbers.
struct RealContext {
  std::string_view what;

  [[noreturn]] void fail(const std::string& problem) const {
    throw UsageError(std::string(what) + ": " + problem);
  }
  Real number(std::string_view part) const {
    if (part.empty()) fail("a number is missing");
    const Real value = parse_real(part, std::string(what) + ":");
    return value == 0 ? 0 : value;  // without a sign
  }
};

struct RealRange {
  std::vector<Real> values;
  std::string text;
};

RealRange real_range(std::string_view item, const RealContext& context) {
  const std::vector<std::string_view> parts = split(item, ':');
  const std::string written = "'" + printable(item) + "'";
  if (parts.size() > 3) context.fail(written + " is not a:b:step or a:b:xF");
  const Real first = context.number(parts[0]);
  if (parts.size() == 1) return {{first}, shortest(first)};
  const Real last = context.number(parts[1]);
  const std::string ends = shortest(first) + ":" + shortest(last) + ":";
  if (parts.size() == 2)
    context.fail("the range " + written + " has no step (write " + ends + "STEP" +
                 (first > 0 ? ", or " + ends + "xFACTOR for a geometric range)" : ")"));
  const bool geometric = !parts[2].empty() && parts[2].front() == 'x';
  const Real step = context.number(parts[2].substr(geometric ? 1 : 0));
  if (last < first)
    context.fail("the range " + written + " ends before it begins (write the smaller number first)");
  if (geometric && !(step > 1)) context.fail("the factor of " + written + " must be larger than 1");
  if (geometric && !(first > 0)) context.fail("the geometric range " + written + " must begin above 0");
  if (!(step > 0)) context.fail("the step of " + written + " must be larger than 0");
  RealRange range{geometric ? detail::geometric_range(first, last, step, longest_list)
                            : detail::arithmetic_range(first, last, step, longest_list),
                  ends + (geometric ? "x" : "") + shortest(step)};
  if (range.values.empty())
    context.fail(written + " has more than " + std::to_string(longest_list) + " values (use a larger " +
                 (geometric ? "factor)" : "step)"));
  return range;
}

}  // namespace

RealList parse_real_list(std::string_view text, std::string_view what) {
  const RealContext context{what};
  RealList list;
  std::unordered_set<Real> seen;
  for (const std::string_view item : items(text)) {
    const RealRange range = real_range(item, context);
    for (const Real value : range.values)
      if (seen.insert(value).second) list.values.push_back(value);
    if (list.values.size() > longest_list)
      context.fail("more than " + std::to_string(longest_list) + " values");
    list.text += (list.text.empty() ? "" : ",") + range.text;
  }
  return list;
}

std::vector<Index> parse_index_list(std::string_view text, std::string_view option) {
  std::vector<Whole> values = parse_wholes({text, option, 1, exact_doubles});
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return {values.begin(), values.end()};
}

std::vector<std::uint64_t> parse_seed_list(std::string_view text, std::string_view option) {
  std::vector<Whole> values = parse_wholes({text, option, 0, std::numeric_limits<Whole>::max()});
  std::unordered_set<Whole> seen;
  const auto repeated = [&](Whole value) { return !seen.insert(value).second; };
  std::vector<Whole> kept;
  for (const Whole value : values)
    if (!repeated(value)) kept.push_back(value);
  return kept;
}

std::vector<std::string> parse_name_list(std::string_view text, std::string_view option) {
  std::vector<std::string> names;
  for (const std::string_view item : items(text)) {
    if (item.empty()) throw UsageError(std::string(option) + " '" + printable(text) + "': an item is empty");
    names.emplace_back(item);
  }
  return names;
}

std::vector<std::string> parse_swept_name_list(std::string_view text, std::string_view option) {
  std::vector<std::string> names;
  for (std::string& item : parse_name_list(text, option)) {
    const bool continues =
        !names.empty() && begins_like_number(item) && names.back().find('=') != std::string::npos;
    if (continues)
      names.back() += ',' + item;
    else
      names.push_back(std::move(item));
  }
  return names;
}

std::vector<Index> parse_count_list(std::string_view text, std::string_view option) {
  std::vector<Index> counts;
  for (const std::string& item : parse_name_list(text, option)) counts.push_back(parse_count(item, option));
  return counts;
}

Index parse_count(std::string_view text, std::string_view option) {
  return static_cast<Index>(whole_number(text, {text, option, 1, exact_doubles}));
}

Real parse_bytes(std::string_view text, std::string_view option) {
  std::string_view number = text;
  if (!number.empty() && number.back() == 'B') number.remove_suffix(1);
  Real base = 1000;
  if (!number.empty() && number.back() == 'i') base = 1024, number.remove_suffix(1);
  Real unit = 1;
  constexpr std::string_view prefixes = "kMGT";
  char prefix = number.empty() ? '\0' : number.back();
  if (prefix == 'K') prefix = 'k';
  const std::size_t power = prefixes.find(prefix);
  if (power != std::string_view::npos && prefix != '\0') {
    unit = std::pow(base, static_cast<Real>(power + 1));
    number.remove_suffix(1);
  } else if (base == 1024) {
    throw UsageError(std::string(option) + " '" + printable(text) +
                     "' has no known unit (k, M, G, T, Ki, Mi, Gi, Ti)");
  }
  if (number.empty()) throw UsageError(std::string(option) + " '" + printable(text) + "' has no number");
  const Real bytes = parse_real(number, option) * unit;
  if (!(bytes > 0) || !std::isfinite(bytes))
    throw UsageError(std::string(option) + " must be a positive number of bytes, got '" + printable(text) +
                     "'");
  return bytes;
}

}  // namespace rezero
