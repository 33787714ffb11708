#pragma once
/// NAME[:param=value]…: the notation for a scheme, an initializer, an activation or a check, and its
/// resolution against the declared parameters.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rezero/core/text.h"
#include "rezero/core/types.h"

namespace rezero {

/// The parts of the text, not yet resolved.
struct NamedSpec {
  std::string name;
  std::vector<std::pair<std::string, std::string>> params;  ///< in the order written
};

/// Splits `name:a=1:b=x`. UsageError for an empty name, a parameter without '=' or written twice.
NamedSpec parse_named_spec(std::string_view text);

/// A finite decimal number (std::from_chars rules, a leading '+' allowed) that spans the whole text.
/// UsageError naming `what` otherwise: `1e400`, `nan`, `0x1`, trailing characters.
Real parse_real(std::string_view text, std::string_view what);
/// A whole number that spans the whole text; UsageError naming `what` otherwise.
std::int64_t parse_integer(std::string_view text, std::string_view what);

enum class ParamKind {
  real,            ///< a finite number
  choice,          ///< one of a list of words
  real_or_choice,  ///< a finite number, or one of a list of words (then `number` is 0)
  series,          ///< a file of numbers (.json or .npy), which the code that reads files fills in
};

/// A declared parameter of a registry entry.
struct ParamInfo {
  std::string_view name;
  ParamKind kind = ParamKind::real;
  std::string_view default_text;               ///< as a user would write it; empty: no default
  std::string_view meaning;                    ///< one line for help and docs
  std::vector<std::string_view> choices = {};  ///< for ParamKind::choice
  Real minimum = -1.7976931348623157e308;      ///< smallest allowed value, for ParamKind::real
  Real maximum = 1.7976931348623157e308;       ///< largest
};

/// One resolved parameter. `text` is as written, or the default; `number` and `series` depend on the kind.
struct ParamValue {
  std::string name;
  ParamKind kind = ParamKind::real;
  std::string text;
  Real number = 0;
  std::vector<Real> series;
  bool is_default = true;  ///< the value is the default, even if written
  bool written = false;
};

/// All parameters of a named entry, resolved, in the order of declaration.
class Params {
 public:
  Params() = default;
  explicit Params(std::vector<ParamValue> values) : values_(std::move(values)) {}

  Real real(std::string_view name) const;                        ///< of kind real
  const std::string& text(std::string_view name) const;          ///< of kind choice (or the path of a series)
  const std::vector<Real>& series(std::string_view name) const;  ///< empty if absent
  bool given(std::string_view name) const;                       ///< written by the user, with any value

  const std::vector<ParamValue>& values() const { return values_; }
  std::vector<ParamValue>& values() { return values_; }

 private:
  const ParamValue& at(std::string_view name) const;
  std::vector<ParamValue> values_;
};

/// Checks names (with suggestions), kinds, finiteness, choices and minima, and fills in defaults. `owner`
/// appears in messages: "scheme 'fixed'". A series keeps its path in `text`; its numbers stay empty.
Params resolve_params(const NamedSpec& spec, const std::vector<ParamInfo>& infos, std::string_view owner);

/// `name:param=value…` with the non-default parameters, in the order of declaration; numbers in shortest
/// round-trip form.
std::string canonical_spec(std::string_view name, const Params& params);

}  // namespace rezero
