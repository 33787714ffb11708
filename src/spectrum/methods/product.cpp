/// The factors one by one, never multiplied out: every value to high relative accuracy.

#include <algorithm>
#include <cmath>

#include "rezero/core/error.h"
#include "rezero/spectrum/method.h"
#include "rezero/spectrum/product.h"
#include "spectrum/certificate/product.h"
#include "spectrum/chain.h"

namespace rezero {
namespace {

/// Bound, over σ_max, on the values that the factors do not determine.
Real resolution(const ProductValues& values) {
  if (values.rank == values.rank_bound) return 0;
  return values.unresolved_below.is_zero() ? 0 : quotient(values.unresolved_below, values.sigma.front());
}

Spectrum product_spectrum(const JacobianView& J, const SpectrumRequest& request) {
  const Index dimension = std::min(J.rows(), J.cols());
  Spectrum spectrum = detail::breakdown(dimension, request, "");
  spectrum.provenance.method = "product";
  ProductValues values;
  try {
    values = product_singular_values(J.factors, {request.workers, request.proved_zeros});
    spectrum.message = detail::product_fault(values, dimension, J);
  } catch (const NumericalError& error) {
    spectrum.message = error.what();
  }
  spectrum.provenance.applications = values.sweeps * J.cols();
  if (!spectrum.message.empty()) return spectrum;

  spectrum.status = SpectrumStatus::converged;
  spectrum.accuracy.certified = true;
  spectrum.part = SpectrumPart::full;
  spectrum.sigma = values.sigma;
  spectrum.leading = dimension;
  if (dimension > 0) spectrum.sigma_max = values.sigma.front();
  spectrum.null_directions = dimension - values.rank_bound;
  spectrum.accuracy.relative_resolution = resolution(values);
  spectrum.accuracy.relative_error_estimate = values.relative_error_estimate;
  return detail::truncate(std::move(spectrum), request);
}

/// Two sweeps through the factors, and for few values three more samples of their rounding. Per factor at
/// most a QR (2 m n²) and T (n³); per sweep the values of a triangle (a QR or two, and a bidiagonalization).
/// A flop takes about twice the time of one in a large product, as measured from n = 512 to 1024, and more
/// below.
SpectrumWork product_work(const SpectrumTask& task) {
  constexpr Real matrices = 12, value_flops = 6, half_speed = 200, slowness = 1.7;
  const auto n = static_cast<Real>(std::min(task.rows, task.cols));
  const auto m = static_cast<Real>(std::max(task.rows, task.cols));
  const Real sweeps = n <= 64 ? 5 : 2;
  SpectrumWork work;
  work.flops = sweeps * (static_cast<Real>(task.factors) * (2 * m + n) + value_flops * n) * n * n;
  work.products = sweeps * n;
  work.numbers = matrices * m * n;
  work.slowness = slowness * (1 + half_speed / std::max<Real>(n, 1));
  work.shared = 0.85;
  return work;
}

}  // namespace

SpectrumMethod method_product() {
  SpectrumMethod method;
  method.name = "product";
  method.summary = "all values to high relative accuracy, however small, from the blocks' derivatives";
  method.source =
      "Bauer 2020 (UDT); Stewart 1997; Demmel & Veselic 1992, Drmac & Veselic 2008 (one-sided Jacobi)";
  method.needs = JacobianForm::factors;
  method.work = product_work;
  method.compute = product_spectrum;
  return method;
}

}  // namespace rezero
