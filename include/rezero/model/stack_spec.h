#pragma once
/// Everything that defines a random stack but its seed and depth: plain data.

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

/// The base law that the scheme's source starts from where it names one for such a family; else he.
Initializer base_initializer(const SchemeSpec& scheme, const Family& family);

struct StackSpec : GeometryOptions {
  /// `StackSpec("depth-power:p=0.5", "mlp")`: the members below as the command has them by default, except
  /// for attention, which has one head. UsageError for names and parameters that do not exist.
  StackSpec(std::string_view scheme, std::string_view family);
  StackSpec(SchemeSpec scheme, const Family& family);

  SchemeSpec scheme;
  const Family* family;
  Index width;
  Real hidden_ratio;
  Activation activation;  ///< relu; without effect where the family has none
  Initializer initializer;
  bool tied = false;  ///< one set of weights for all layers
  InputSpec input;

  /// max(1, round(hidden_ratio · width)).
  Index hidden() const;
  /// Shapes, sizes and work of the stack. Made anew by each call, from the members as they are then.
  RandomGeometryPtr geometry() const { return family->geometry->make(*this); }
};

}  // namespace rezero
