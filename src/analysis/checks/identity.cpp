#include <algorithm>

#include "parts.h"
#include "spectrum/resolution.h"
#include "spectrum/text.h"

namespace rezero {
namespace {

std::string text(const ScaledReal& value) {
  const auto real = value.to_real();
  return real ? shortest(*real) : "10^" + shortest(value.log10());
}

/// The claim on the positive orthant: J = diag(1[x_0 > 0]) and f(x) = max(x, 0).
CheckResult on_orthant(const CheckObservation& seen, CheckResult result) {
  result.quantity = "max|J - diag(1[x > 0])|, max|f(x) - max(x, 0)|";
  result.value = *seen.result->orthant_error;
  result.pass = check_parts::within(*result.value, result.bound);
  if (result.pass) return result;
  const ScaledReal &identity = *seen.result->identity_error, &output = *seen.result->output_error;
  if (check_parts::within(identity, result.bound) && check_parts::within(output, result.bound))
    result.message = "J is the identity everywhere, as required by the check without on=positive-orthant";
  check_parts::add_reasons(result, *seen.blocks);
  return result;
}

CheckResult run(const CheckObservation& seen, const CheckSpec& spec) {
  CheckResult result = check_parts::begin(spec, "max|J - I|", spec.params().real("tol"));
  if (!seen.result->identity_error || !seen.result->output_error) {
    result.message = "J is not square, so it cannot be the identity";
    check_parts::add_reasons(result, *seen.blocks);
    return result;
  }
  if (const Real lost = seen.result->forming_error; lost > std::max(result.bound, detail::six_digits)) {
    result.message = (lost < 1 ? "rounding hides " + detail::text(lost) + " of J, as it was formed"
                               : std::string("J as formed is only rounding error")) +
                     ": cannot tell whether it is the identity";
    check_parts::add_reasons(result, *seen.blocks);
    return result;
  }
  if (spec.params().text("on") == "positive-orthant") return on_orthant(seen, std::move(result));
  result.value = *seen.result->identity_error;
  if (*result.value < *seen.result->output_error) {
    result.value = *seen.result->output_error;
    result.quantity = "max|f(x) - x|";
  }
  result.pass = check_parts::within(*result.value, result.bound);
  if (result.pass) return result;
  result.message = "max|J - I| = " + text(*seen.result->identity_error) +
                   ", max|f(x) - x| = " + text(*seen.result->output_error);
  if (seen.result->orthant_error && check_parts::within(*seen.result->orthant_error, result.bound))
    result.message +=
        "; identity on the positive orthant: J is the 0/1 mask diag(1[x > 0]), as "
        "identity:on=positive-orthant asks";
  check_parts::add_reasons(result, *seen.blocks);
  return result;
}

}  // namespace

Check check_identity() {
  Check check;
  check.name = "identity";
  check.summary = "max|J - I| <= tol and max|f(x) - x| <= tol";
  check.source = "Bachlechner et al. 2021 (arXiv 2003.04887), section 3";
  check.params = {
      {"tol", ParamKind::real, "0", "largest deviation allowed; 0 asks for equality", {}, 0},
      {"on",
       ParamKind::choice,
       "everywhere",
       "positive-orthant: J = diag(1[x > 0]), f(x) = max(x, 0), the identity followed by relu after the sum",
       {"everywhere", "positive-orthant"}}};
  check.run = run;
  return check;
}

}  // namespace rezero
