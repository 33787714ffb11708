#include "rezero/analysis/plan.h"

#include "rezero/core/contract.h"

namespace rezero {

std::string_view to_string(ValuesMode mode) {
  switch (mode) {
    case ValuesMode::linear:
      return "linear";
    case ValuesMode::log10:
      return "log10";
    case ValuesMode::none:
      return "none";
  }
  REZERO_REQUIRE(false);
  return {};
}

std::string_view to_string(CotangentLaw law) {
  return law == CotangentLaw::ones ? "ones" : "random";
}

}  // namespace rezero
