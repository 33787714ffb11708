#include <algorithm>
#include <cmath>

#include "spectrum/chain.h"

namespace rezero {
namespace {

/// UsageError for a request that no matrix of this size, or not this method, can answer.
void check_request(const SpectrumRequest& request, const SpectrumMethod& method, Index dimension) {
  const std::string name(method.name), size = std::to_string(dimension);
  if (request.top < 0 || request.bottom < 0) throw UsageError("--top and --bottom must not be negative");
  if (request.top > dimension || request.bottom > dimension || request.top + request.bottom > dimension)
    throw UsageError("--top " + std::to_string(request.top) + " and --bottom " +
                     std::to_string(request.bottom) + " ask for more values than the " + size +
                     " there are: lower them");
  if (method.max_dimension > 0 && dimension > method.max_dimension)
    throw UsageError("method '" + name + "' takes dimensions up to " + std::to_string(method.max_dimension) +
                     ", not " + size + ": use 'dense'");
  if (method.full) return;
  if (request.top == 0 && request.bottom == 0)
    throw UsageError("method '" + name +
                     "' needs --top or --bottom (it cannot return a full spectrum): use 'dense'");
  if (request.top + request.bottom >= dimension)
    throw UsageError("method '" + name + "' cannot return " + std::to_string(request.top + request.bottom) +
                     " values of " + size + " (it needs fewer than all): use 'dense'");
}

/// Partial methods are tried as asked; what they cannot certify is computed in full.
Spectrum compute_normalized(const ScaledMatrix& J, const SpectrumRequest& request,
                            const SpectrumMethod& method) {
  const SpectrumMethod& dense = spectrum_methods().at("dense");
  if (method.full) return detail::truncate(detail::full_spectrum(J.mantissa, J.exponent, method), request);
  Spectrum tried = method.partial(J, request);
  if (tried.status == SpectrumStatus::converged) return tried;
  Spectrum spectrum = detail::truncate(detail::full_spectrum(J.mantissa, J.exponent, dense), request);
  spectrum.applications = tried.applications;
  spectrum.failures.insert(spectrum.failures.begin(), {std::string(method.name), tried.message});
  return spectrum;
}

}  // namespace

Spectrum compute_spectrum(const ScaledMatrix& J, const SpectrumRequest& request) {
  const Index dimension = std::min(J.mantissa.rows(), J.mantissa.cols());
  const SpectrumMethod& method = spectrum_methods().at(request.method == "auto" ? "dense" : request.method);
  check_request(request, method, dimension);
  if (dimension == 0) return detail::breakdown(0, request, "the Jacobian has no entries");
  const Real largest = max_abs(J.mantissa);
  if (!std::isfinite(largest))
    return detail::breakdown(dimension, request, "the Jacobian has an entry that is not finite");
  if (largest == 0 || (largest >= 0.5 && largest < 1)) return compute_normalized(J, request, method);
  ScaledMatrix normalized = J;
  if (!renormalize(normalized))
    return detail::breakdown(dimension, request, "the Jacobian has an entry that is not finite");
  return compute_normalized(normalized, request, method);
}

}  // namespace rezero
