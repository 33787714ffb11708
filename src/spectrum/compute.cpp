#include <algorithm>
#include <cmath>

#include "rezero/core/contract.h"
#include "rezero/core/error.h"
#include "rezero/parallel/for_each.h"
#include "spectrum/chain.h"
#include "spectrum/resolution.h"
#include "spectrum/text.h"

namespace rezero {
namespace {

/// A spectrum of the formed matrix is that of J up to the error of forming it.
void add_forming_error(Spectrum& spectrum, const JacobianView& J) {
  if (!J.zeros_hold) spectrum.null_directions = 0;
  if (J.matrix_error.is_zero()) return;
  spectrum.accuracy.forming_error =
      spectrum.sigma_max.is_zero() ? 1 : quotient(J.matrix_error, spectrum.sigma_max);
  spectrum.accuracy.relative_resolution += spectrum.accuracy.forming_error;
}

/// The chain, for the requested part of a formed J.
Spectrum by_chain(const JacobianView& J, const SpectrumRequest& request, const SpectrumMethod& first) {
  Spectrum full = detail::full_spectrum(J.matrix->mantissa, J.matrix->exponent, first, request.workers);
  if (full.status == SpectrumStatus::converged) add_forming_error(full, J);
  return detail::truncate(std::move(full), request);
}

/// The values that the method itself certifies. If it fails and J is formed, everything is computed in full.
Spectrum by_own_means(const JacobianView& J, const SpectrumRequest& request, const SpectrumMethod& method) {
  Spectrum tried = method.compute(J, request);
  const bool looked_at_matrix = J.matrix && method.gives == SpectrumScope::ends;
  if (tried.status == SpectrumStatus::converged && looked_at_matrix) add_forming_error(tried, J);
  const bool replaceable = method.gives != SpectrumScope::density && J.matrix;
  if (tried.status == SpectrumStatus::converged || !replaceable) return tried;
  Spectrum spectrum = by_chain(J, request, auto_method(JacobianForm::dense));
  spectrum.provenance.applications = tried.provenance.applications;
  spectrum.provenance.fallbacks.insert(spectrum.provenance.fallbacks.begin(),
                                       {std::string(method.name), tried.message});
  return spectrum;
}

/// The smallest requested value that is not a proved zero, over σ_max; 1 if there is none.
Real smallest_wanted(const Spectrum& spectrum, Index proved_zeros) {
  auto i = static_cast<Index>(spectrum.sigma.size());
  const Index left_out = spectrum.part == SpectrumPart::largest ? spectrum.dimension - i : 0;
  const Index zeros = std::clamp<Index>(proved_zeros - left_out, spectrum.null_directions, i);
  const Index end = i - zeros;
  while (i > end && !spectrum.resolved(static_cast<std::size_t>(i - 1))) --i;
  if (i == 0) return 1;
  const ScaledReal& value = spectrum.sigma[static_cast<std::size_t>(i - 1)];
  return value.is_zero() ? 0 : quotient(value, spectrum.sigma_max);
}

/// Dense, unless its resolution hides requested values and the factors are available to find them.
Spectrum by_condition(const JacobianView& J, const SpectrumRequest& request) {
  constexpr Real ten_digits_above = 1e-6;
  using detail::six_digits;
  Spectrum dense = by_chain(J, request, auto_method(JacobianForm::dense));
  if (dense.status != SpectrumStatus::converged || dense.accuracy.relative_resolution == 0) return dense;
  const Real smallest = smallest_wanted(dense, request.proved_zeros);
  const Real lost = dense.accuracy.forming_error;
  const std::string seen = "sigma_min/sigma_max of J as formed is " + detail::text(smallest);
  const bool cancelled = lost > six_digits * smallest;
  if (smallest >= ten_digits_above && !cancelled) {
    dense.provenance.choice = seen + ": the dense method resolves ten digits of every value";
    return dense;
  }
  const std::string why = lost >= 1 ? "J as formed is only rounding error: its true value cancelled"
                          : smallest >= ten_digits_above || lost > six_digits
                              ? "forming J lost " + detail::text(lost) + " of sigma_max to cancellation"
                              : seen + ": a dense method would hide values below 1e-6 of sigma_max";
  if (!J.has(JacobianForm::factors)) {
    dense.provenance.choice = why + "; " +
                              (J.factors.missing.empty() ? "there are no factors" : J.factors.missing) +
                              " for the product method, which might resolve more";
    return dense;
  }
  Spectrum product = auto_method(JacobianForm::factors).compute(J, request);
  if (product.status == SpectrumStatus::converged && product.unresolved() <= dense.unresolved()) {
    product.provenance.choice = why;
    return product;
  }
  dense.provenance.choice = why;
  dense.provenance.fallbacks.insert(
      dense.provenance.fallbacks.begin(),
      {"product",
       product.status == SpectrumStatus::converged ? "it resolves fewer values" : product.message});
  return dense;
}

void check_form(const JacobianView& J, const SpectrumMethod& method) {
  const JacobianForm needed = method.full ? JacobianForm::dense : method.needs;
  if (!J.has(needed))
    throw UsageError("method '" + std::string(method.name) + "' needs the Jacobian as " +
                     std::string(to_string(needed)) + ", which was not formed");
}

/// A bound relative to σ_max does not limit how far a zero may be from the truth.
Spectrum unless_zero_is_doubtful(Spectrum spectrum) {
  const bool zero = spectrum.status == SpectrumStatus::converged && spectrum.part != SpectrumPart::density &&
                    !spectrum.sigma.empty() && spectrum.sigma_max.is_zero();
  if (!zero || spectrum.unresolved() == 0) return spectrum;
  spectrum.accuracy.certified = false;
  spectrum.message = "J is zero, possibly because of rounding";
  return spectrum;
}

Spectrum spectrum_of(const JacobianView& J, const SpectrumRequest& request) {
  const Index dimension = std::min(J.rows(), J.cols());
  if (!J.matrix && request.method == "auto") {
    SpectrumRequest by_name = request;
    by_name.method = auto_method(JacobianForm::map).name;
    return spectrum_of(J, by_name);
  }
  const SpectrumMethod& method = method_for(request.method, JacobianForm::dense);
  require_possible(request, dimension);
  check_form(J, method);
  if (dimension == 0) return detail::breakdown(0, request, "the Jacobian has no entries");
  if (!J.matrix) return by_own_means(J, request, method);

  const Real largest = max_abs(J.matrix->mantissa);
  if (!std::isfinite(largest))
    return detail::breakdown(dimension, request, "the Jacobian has an entry that is not finite");
  const bool normalized = largest == 0 || (largest >= 0.5 && largest < 1);
  if (!normalized) {
    ScaledMatrix copy = *J.matrix;
    REZERO_REQUIRE(renormalize(copy));
    JacobianView view = J;
    view.matrix = &copy;
    return spectrum_of(view, request);
  }
  if (request.method == "auto") return unless_zero_is_doubtful(by_condition(J, request));
  return unless_zero_is_doubtful(method.full ? by_chain(J, request, method)
                                             : by_own_means(J, request, method));
}

}  // namespace

void require_possible(const SpectrumRequest& request, Index dimension) {
  if (request.top < 0 || request.bottom < 0) throw UsageError("--top and --bottom must not be negative");
  if (request.top + request.bottom == 0 && request.method == "auto") return;
  const std::string size = std::to_string(dimension), top = "--top " + std::to_string(request.top),
                    bottom = "--bottom " + std::to_string(request.bottom), by = "--method " + request.method;
  if (request.top > dimension || request.bottom > dimension - request.top) {
    const bool both = request.top > 0 && request.bottom > 0;
    throw UsageError((both ? top + " and " + bottom + " ask" : (request.top > 0 ? top : bottom) + " asks") +
                     " for more than the " + size + " singular values there are");
  }
  if (request.method == "auto") return;
  const SpectrumMethod& method = spectrum_methods().at(request.method);
  if (method.max_dimension > 0 && dimension > method.max_dimension)
    throw UsageError(by + " takes dimensions up to " + std::to_string(method.max_dimension) + ", not " +
                     size + ": use dense");
  const Index wanted = request.top + request.bottom;
  switch (method.gives) {
    case SpectrumScope::full:
      return;
    case SpectrumScope::density:
      if (wanted > 0)
        throw UsageError(by + " gives a distribution, not values: leave out --top and --bottom");
      return;
    case SpectrumScope::ends:
      if (wanted == 0) throw UsageError(by + " needs --top or --bottom (it cannot give all values)");
      if (wanted == dimension) throw UsageError(by + " cannot give all " + size + " values: use dense");
  }
}

Spectrum compute_spectrum(const ScaledMatrix& J, const SpectrumRequest& request) {
  return compute_spectrum(view_of(J), request);
}

Spectrum compute_spectrum(const JacobianView& J, const SpectrumRequest& request) {
  Spectrum spectrum;
  with_team(request.workers, [&] { spectrum = spectrum_of(J, request); });
  return spectrum;
}

}  // namespace rezero
