#pragma once
/// The definition of a random stack, except its seed and depth: plain data.

#include "rezero/core/words.h"
#include "rezero/init/initializer.h"
#include "rezero/model/family.h"
#include "rezero/model/geometry.h"
#include "rezero/model/scheme.h"

namespace rezero {

enum class InputLaw {
  normal,  ///< i.i.d. standard normal
  sphere,  ///< uniform on the sphere of radius √features at each position
  ones,    ///< all ones
  values,  ///< given
};
template <>
inline constexpr auto words<InputLaw> = closed_set<InputLaw>("input",
                                                             {{InputLaw::normal, "normal"},
                                                              {InputLaw::sphere, "sphere"},
                                                              {InputLaw::ones, "ones"},
                                                              {InputLaw::values, "values", SaidBy::reports}});

struct InputSpec {
  InputLaw law = InputLaw::normal;
  Vector values = {};  ///< for InputLaw::values: shape.size() numbers
};

/// The base initializer of the scheme's source, if it names one for such a family; otherwise he.
Initializer base_initializer(const SchemeSpec& scheme, const Family& family);

struct StackSpec : GeometryOptions {
  /// `StackSpec("depth-power:p=0.5", "mlp")`: the other members have the defaults of the command, except that
  /// attention has one head. UsageError for names and parameters that do not exist.
  StackSpec(std::string_view scheme, std::string_view family);
  StackSpec(SchemeSpec scheme, const Family& family);
  StackSpec(SchemeSpec scheme, const Family& family, Activation activation, Initializer initializer);

  SchemeSpec scheme;
  const Family* family;
  Index width;
  Real hidden_ratio;
  Activation activation;  ///< default relu; unused if the family has no activation
  Initializer initializer;
  bool tied = false;  ///< all layers share one set of weights
  InputSpec input;

  /// max(1, round(hidden_ratio · width)).
  Index hidden() const;
  /// Shapes, sizes and work of the stack. Each call computes them from the current members.
  RandomGeometryPtr geometry() const { return family->geometry->make(*this); }
};

}  // namespace rezero
