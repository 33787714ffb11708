#include "parts.h"

namespace rezero {
namespace {

bool less(const ScaledReal& a, const ScaledReal& b) {
  if (a.is_zero() || b.is_zero()) return a.is_zero() && !b.is_zero();
  return a.exponent != b.exponent ? a.exponent < b.exponent : a.mantissa < b.mantissa;
}

std::string text(const ScaledReal& value) {
  const auto real = value.to_real();
  return real ? shortest(*real) : "10^" + shortest(value.log10());
}

CheckResult run(const CheckObservation& seen, const CheckSpec& spec) {
  CheckResult result = check_parts::begin(spec, "max|J - I|", spec.params().real("tol"));
  if (!seen.result->identity_error || !seen.result->output_error) {
    result.message = "J is not square, so it cannot be the identity";
    check_parts::add_reasons(result, *seen.blocks);
    return result;
  }
  result.value = *seen.result->identity_error;
  if (less(*result.value, *seen.result->output_error)) {
    result.value = *seen.result->output_error;
    result.quantity = "max|f(x) - x|";
  }
  result.pass = check_parts::within(*result.value, result.bound);
  if (result.pass) return result;
  result.message = "max|J - I| = " + text(*seen.result->identity_error) +
                   ", max|f(x) - x| = " + text(*seen.result->output_error);
  check_parts::add_reasons(result, *seen.blocks);
  return result;
}

}  // namespace

Check check_identity() {
  return {"identity",
          {},
          "max|J - I| <= tol and max|f(x) - x| <= tol",
          "Bachlechner et al. 2021 (arXiv 2003.04887), section 3",
          {{"tol", ParamKind::real, "0", "largest deviation allowed; 0 asks for equality", {}, 0}},
          false,
          run};
}

}  // namespace rezero
