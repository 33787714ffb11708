#include "rezero/core/named_spec.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "rezero/core/contract.h"
#include "rezero/core/registry.h"
#include "rezero/core/swept_spec.h"
#include "rezero/core/whole_number.h"

namespace rezero {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// `0.1`, `-1`, or the factor `x1.5`: what may follow the colon of a range.
bool continues_range(std::string_view part) {
  if (part.size() > 1 && part.front() == 'x') part.remove_prefix(1);
  return begins_like_number(part);
}

[[noreturn]] void refuse_part(std::string_view part, std::string_view text) {
  throw UsageError("'" + printable(part) + "' in '" + printable(text) + "' is not param=value");
}

void add_param(NamedSpec& spec, std::string_view part, std::string_view text) {
  const std::size_t equals = part.find('=');
  if (equals == 0 || equals + 1 == part.size()) refuse_part(part, text);
  const std::string name(part.substr(0, equals));
  for (const auto& known : spec.params)
    if (known.first == name)
      throw UsageError("parameter '" + printable(name) + "' is given twice in '" + printable(text) + "'");
  spec.params.emplace_back(name, std::string(part.substr(equals + 1)));
}

/// Calls on_range(spec, part) for a part that may continue the value of the last parameter so far.
template <class OnRange>
NamedSpec parse_spec(std::string_view text, const OnRange& on_range) {
  NamedSpec spec;
  std::size_t begin = 0;
  for (bool first = true;; first = false) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    if (first) {
      if (part.empty())
        throw UsageError("'" + printable(text) + "' has no name (expected NAME[:param=value]…)");
      spec.name = part;
    } else if (part.find('=') != std::string_view::npos) {
      add_param(spec, part, text);
    } else if (!spec.params.empty() && continues_range(part)) {
      on_range(spec, part);
    } else {
      refuse_part(part, text);
    }
    if (end == text.size()) return spec;
    begin = end + 1;
  }
}

}  // namespace

bool begins_like_number(std::string_view text) {
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  if (!text.empty() && (is_digit(text.front()) || text.front() == '.')) return true;
  for (const std::string_view word : {"inf", "infinity", "nan"})
    if (same_but_for_case(text, word)) return true;
  return false;
}

NamedSpec parse_named_spec(std::string_view text) {
  return parse_spec(text, [&](NamedSpec& spec, std::string_view) {
    throw UsageError("'" + printable(text) + "' has a range for '" + printable(spec.params.back().first) +
                     "', which takes one value here");
  });
}

NamedSpec parse_swept_spec(std::string_view text) {
  return parse_spec(text, [](NamedSpec& spec, std::string_view part) {
    spec.params.back().second += ':' + std::string(part);
  });
}

Real parse_real(std::string_view text, std::string_view what) {
  std::string_view digits = text;
  if (!digits.empty() && digits.front() == '+') digits.remove_prefix(1);
  Real value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range)
    throw UsageError(std::string(what) + " '" + printable(text) + "' is outside the range of double");
  if (error != std::errc() || end != digits.data() + digits.size() ||
      (text.size() != digits.size() && digits[0] == '-'))
    throw UsageError(std::string(what) + " '" + printable(text) + "' is not a number");
  if (!std::isfinite(value)) throw UsageError(std::string(what) + " '" + printable(text) + "' is not finite");
  return value;
}

std::int64_t parse_integer(std::string_view text, std::string_view what) {
  using Kind = WholeNumber::Kind;
  const WholeNumber number = read_whole_number(text);
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (number.kind == Kind::too_large || number.magnitude > largest)
    throw UsageError(std::string(what) + " '" + printable(text) + "' is too large");
  if (!number.is_whole())
    throw UsageError(std::string(what) + " '" + printable(text) + "' is not a whole number");
  const auto magnitude = static_cast<std::int64_t>(number.magnitude);
  return number.negative ? -magnitude : magnitude;
}

const ParamValue& Params::at(std::string_view name) const {
  const auto found =
      std::find_if(values_.begin(), values_.end(), [&](const ParamValue& v) { return v.name == name; });
  REZERO_REQUIRE(found != values_.end());
  return *found;
}

Real Params::real(std::string_view name) const {
  return at(name).number;
}
const std::string& Params::text(std::string_view name) const {
  return at(name).text;
}
const std::vector<Real>& Params::series(std::string_view name) const {
  return at(name).series;
}
bool Params::given(std::string_view name) const {
  return at(name).written;
}

namespace {

/// "'auto' or a number": the values that a real_or_choice may have.
std::string words_of(const ParamInfo& info) {
  std::string words;
  for (std::string_view choice : info.choices)
    words += (words.empty() ? "'" : ", '") + std::string(choice) + "'";
  return words;
}

void resolve_number(ParamValue& value, const ParamInfo& info, const std::string& what) {
  try {
    value.number = parse_real(value.text, what + ":");
  } catch (const UsageError& error) {
    if (info.choices.empty()) throw;
    throw UsageError(std::string(error.what()) + " (known words: " + words_of(info) + ")");
  }
  if (value.number < info.minimum)
    throw UsageError(what + " must be at least " + shortest(info.minimum) + ", got " + printable(value.text));
  if (value.number > info.maximum)
    throw UsageError(what + " must be at most " + shortest(info.maximum) + ", got " + printable(value.text));
  value.text = shortest(value.number);
}

/// The default in the form of a resolved value: numbers in shortest form.
std::string canonical_default(const ParamInfo& info) {
  const bool is_word =
      std::find(info.choices.begin(), info.choices.end(), info.default_text) != info.choices.end();
  const bool is_number = info.kind == ParamKind::real || info.kind == ParamKind::real_or_choice;
  if (!is_number || is_word || info.default_text.empty()) return std::string(info.default_text);
  return shortest(parse_real(info.default_text, "default"));
}

ParamValue resolve_one(const ParamInfo& info, const std::string* written, std::string_view owner) {
  ParamValue value;
  value.name = info.name, value.kind = info.kind, value.text = info.default_text;
  if (written) value.text = *written, value.written = true;
  const std::string what = "parameter '" + value.name + "' of " + std::string(owner);
  const auto word = std::find_if(info.choices.begin(), info.choices.end(), [&](std::string_view choice) {
    return same_but_for_case(choice, value.text);
  });
  const bool is_word = word != info.choices.end();
  if (is_word) value.text = *word;
  const bool is_number = info.kind == ParamKind::real || (info.kind == ParamKind::real_or_choice && !is_word);
  if (is_number && !value.text.empty()) resolve_number(value, info, what);
  if (info.kind == ParamKind::choice && written && !is_word)
    throw UsageError(unknown_name_message("value of " + what, value.text, info.choices));
  value.is_default = value.text == canonical_default(info);
  return value;
}

}  // namespace

Params resolve_params(const NamedSpec& spec, const std::vector<ParamInfo>& infos, std::string_view owner) {
  std::vector<std::string_view> known;
  for (const ParamInfo& info : infos) known.push_back(info.name);
  for (const auto& [name, text] : spec.params) {
    if (infos.empty())
      throw UsageError(std::string(owner) + " takes no parameters, got '" + printable(name) + "'");
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError(unknown_name_message("parameter of " + std::string(owner), name, known));
  }
  std::vector<ParamValue> values;
  for (const ParamInfo& info : infos) {
    const auto written = std::find_if(spec.params.begin(), spec.params.end(),
                                      [&](const auto& param) { return param.first == info.name; });
    values.push_back(resolve_one(info, written == spec.params.end() ? nullptr : &written->second, owner));
  }
  return Params(std::move(values));
}

std::string canonical_spec(std::string_view name, const Params& params,
                           const std::function<const std::string*(const ParamValue&)>& text_of) {
  std::string out(name);
  for (const ParamValue& value : params.values())
    if (const std::string* text = text_of(value)) out += ":" + value.name + "=" + *text;
  return out;
}

std::string canonical_spec(std::string_view name, const Params& params) {
  return canonical_spec(name, params,
                        [](const ParamValue& value) { return value.is_default ? nullptr : &value.text; });
}

}  // namespace rezero
