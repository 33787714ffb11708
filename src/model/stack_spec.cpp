#include "rezero/model/stack_spec.h"

#include <algorithm>
#include <cmath>

#include "rezero/core/contract.h"

namespace rezero {

std::string_view to_string(InputLaw law) {
  switch (law) {
    case InputLaw::normal:
      return "normal";
    case InputLaw::sphere:
      return "sphere";
    case InputLaw::ones:
      return "ones";
    case InputLaw::values:
      return "values";
  }
  REZERO_REQUIRE(false);
  return {};
}

Index StackSpec::hidden() const {
  return std::max<Index>(1, std::llround(hidden_ratio * static_cast<Real>(width)));
}

}  // namespace rezero
