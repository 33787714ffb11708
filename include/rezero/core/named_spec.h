#pragma once
/// NAME[:param=value]…: how a user writes a scheme, an initializer, an activation or a check, and how it is
/// resolved against the parameters that the named thing declares.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rezero/core/text.h"
#include "rezero/core/types.h"

namespace rezero {

/// The text taken apart, nothing resolved yet.
struct NamedSpec {
  std::string name;
  std::vector<std::pair<std::string, std::string>> params;  ///< in the order written
};

/// Splits `name:a=1:b=x`. UsageError for an empty name, a parameter without '=' or written twice.
NamedSpec parse_named_spec(std::string_view text);

/// A finite number written in decimal (std::from_chars rules, a leading '+' allowed), all of the text.
/// UsageError naming `what` otherwise: `1e400`, `nan`, `0x1`, trailing characters.
Real parse_real(std::string_view text, std::string_view what);
/// A whole number, all of the text; UsageError naming `what` otherwise.
std::int64_t parse_integer(std::string_view text, std::string_view what);

enum class ParamKind {
  real,            ///< a finite number
  choice,          ///< one of a list of words
  real_or_choice,  ///< a finite number, or one of a list of words (number is 0 then)
  series,          ///< a file of numbers (.json or .npy); the numbers are handed in by whoever reads files
};

/// A parameter that a registered thing declares.
struct ParamInfo {
  std::string_view name;
  ParamKind kind = ParamKind::real;
  std::string_view default_text;               ///< as a user would write it; empty: absent by default
  std::string_view meaning;                    ///< one line for help and docs
  std::vector<std::string_view> choices = {};  ///< for ParamKind::choice
  Real minimum = -1.7976931348623157e308;      ///< smallest allowed value, for ParamKind::real
  Real maximum = 1.7976931348623157e308;       ///< largest
};

/// One resolved parameter. `text` is what was written or the default; `number` and `series` follow its kind.
struct ParamValue {
  std::string name;
  ParamKind kind = ParamKind::real;
  std::string text;
  Real number = 0;
  std::vector<Real> series;
  bool is_default = true;  ///< the value is the default, whether written or not
  bool written = false;
};

/// All parameters of a named thing, resolved, in declaration order.
class Params {
 public:
  Params() = default;
  explicit Params(std::vector<ParamValue> values) : values_(std::move(values)) {}

  Real real(std::string_view name) const;                        ///< of kind real
  const std::string& text(std::string_view name) const;          ///< of kind choice (or the path of a series)
  const std::vector<Real>& series(std::string_view name) const;  ///< empty when absent
  bool given(std::string_view name) const;                       ///< written by the user (whatever its value)

  const std::vector<ParamValue>& values() const { return values_; }
  std::vector<ParamValue>& values() { return values_; }

 private:
  const ParamValue& at(std::string_view name) const;
  std::vector<ParamValue> values_;
};

/// Checks names (with "did you mean"), kinds, finiteness, choices and minima, and fills in defaults.
/// `owner` is what messages name: "scheme 'fixed'". A series keeps its path in `text`; its numbers stay
/// empty.
Params resolve_params(const NamedSpec& spec, const std::vector<ParamInfo>& infos, std::string_view owner);

/// `name:param=value…` with the parameters that are not at their default, in declaration order; numbers in
/// shortest round-trip form.
std::string canonical_spec(std::string_view name, const Params& params);

}  // namespace rezero
