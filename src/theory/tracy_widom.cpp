/// Quantiles of the Tracy–Widom law of β = 1, made by bench/tracy_widom_table.py.

#include <algorithm>
#include <array>

#include "rezero/core/error.h"
#include "rezero/theory/density.h"
#include "theory/normal_quantile.h"

namespace rezero::theory {
namespace {

/// Chebyshev coefficients of the quantile in z/6, p = Φ(z). Right to 5e-10 for |z| < 4, to 2e-7 at the ends.
constexpr std::array<Real, 29> coefficients = {
    -2.393085773934390e-01, 7.884024496479234e+00,  9.996127080735253e-01,  9.478955056269557e-02,
    -2.730365590763328e-02, -9.713991429165608e-03, 2.247946616902329e-03,  1.707551805563424e-03,
    -1.552787655090746e-04, -3.484959552303183e-04, -2.470160998776510e-05, 7.177735234093567e-05,
    1.870909195663141e-05,  -1.332530259513854e-05, -7.216284699649828e-06, 1.837768597199287e-06,
    2.214802170406099e-06,  1.613051658901067e-08,  -5.697650572902546e-07, -1.282280594906990e-07,
    1.252507188254059e-07,  6.681820309282148e-08,  -1.532809077090242e-08, -1.967545559759758e-08,
    8.274162018255769e-10,  6.450509751434433e-09,  1.861362925829553e-09,  -1.126572317490294e-09,
    -9.228054524959629e-10,
};
constexpr Real range = 6;

}  // namespace

Real tracy_widom_quantile(Real probability) {
  if (!(probability >= 1e-9 && probability <= 1 - 1e-9))
    throw UsageError(
        "no Tracy–Widom quantile for this probability (the table ends at 1e-9). Ask for one in "
        "[1e-9, 1 - 1e-9]");
  const Real x = std::clamp(detail::normal_quantile(probability) / range, -1.0, 1.0);
  Real now = 0, before = 0;  // Clenshaw's recurrence
  for (std::size_t k = coefficients.size() - 1; k > 0; --k) {
    const Real next = 2 * x * now - before + coefficients[k];
    before = now, now = next;
  }
  return x * now - before + coefficients[0];
}

}  // namespace rezero::theory
