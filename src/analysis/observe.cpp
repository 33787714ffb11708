#include "rezero/analysis/observe.h"

#include <algorithm>
#include <cmath>

#include "analysis/metrics/ones_overlap.h"
#include "rezero/core/contract.h"
#include "spectrum/resolution.h"

namespace rezero {
namespace {

using detail::six_digits;

int clamp_exponent(std::int64_t e) {
  return static_cast<int>(std::clamp<std::int64_t>(e, -4000, 4000));
}

/// A zero that may be an underflow proves nothing. Entries lost in the products void the certificate, because
/// later blocks may have made them large again; so does a loss of bits in all entries.
void note_underflow(Spectrum& spectrum, Underflow underflow) {
  if (underflow == Underflow::none) return;
  spectrum.null_directions = 0;
  const bool zero = spectrum.part != SpectrumPart::density && spectrum.sigma_max.is_zero();
  const bool by_factors = spectrum.accuracy.relative_error_estimate.has_value();  // J was not examined
  const bool exact_or_nothing = spectrum.accuracy.relative_resolution == 0 && spectrum.unresolved() > 0;
  const bool harmless = underflow == (by_factors ? Underflow::product : Underflow::derivative);
  if (harmless && !zero && !exact_or_nothing) return;
  spectrum.accuracy.certified = false;
  if (!spectrum.message.empty()) return;
  spectrum.message = zero ? "J is zero, possibly because of underflow"
                     : underflow == Underflow::block
                         ? "a block's derivative is so small that its entries lost bits to underflow"
                     : by_factors
                         ? "a block's derivative underflowed: values that depend on it may have lost digits"
                         : "entries of J below 2^-1074 of the largest were lost in the products";
}

/// error/√square, at most 1 if J itself is zero.
Real relative_to(const ScaledReal& error, const ScaledReal& square) {
  if (error.is_zero()) return 0;
  return square.is_zero() ? 1 : std::exp(std::min<Real>(error.log() - square.log() / 2, 700));
}

/// ‖J‖_F² from the values, if the spectrum has them and the missing ones are negligible.
std::optional<ScaledReal> sum_of_squares(const Spectrum& spectrum) {
  const bool known = spectrum.part == SpectrumPart::full && spectrum.status == SpectrumStatus::converged &&
                     spectrum.accuracy.relative_resolution <= six_digits && !spectrum.sigma_max.is_zero();
  if (!known) return std::nullopt;
  Real sum = 0;
  for (const ScaledReal& sigma : spectrum.sigma)
    if (!sigma.is_zero()) sum += std::pow(quotient(sigma, spectrum.sigma_max), 2);
  const ScaledReal& top = spectrum.sigma_max;
  return ScaledReal::make(sum * top.mantissa * top.mantissa, 2 * top.exponent);
}

/// The smallest values of a full spectrum become the exact zeros proved by structure; a value above the
/// resolution is not one of them.
void declare_null(Spectrum& spectrum, Index count) {
  if (spectrum.part != SpectrumPart::full || spectrum.status == SpectrumStatus::breakdown) return;
  const auto size = static_cast<Index>(spectrum.sigma.size());
  while (spectrum.null_directions < std::min(count, size)) {
    const auto i = static_cast<std::size_t>(size - 1 - spectrum.null_directions);
    if (spectrum.resolved(i)) return;
    spectrum.sigma[i] = {};
    ++spectrum.null_directions;
  }
  if (spectrum.accuracy.relative_error_estimate && spectrum.unresolved() == 0)
    spectrum.accuracy.relative_resolution = 0;
}

}  // namespace

ScaledReal identity_error(const ScaledMatrix& J) {
  return mask_error(J, Vector::Ones(J.mantissa.cols()));
}

ScaledReal mask_error(const ScaledMatrix& J, const Vector& x) {
  REZERO_REQUIRE(J.mantissa.rows() == J.mantissa.cols() && x.size() == J.mantissa.cols());
  // In units of 2^r, r = max(e, 0), neither J nor I overflows, and underflowed entries are too small to be
  // the maximum.
  const std::int64_t r = std::max<std::int64_t>(J.exponent, 0);
  const int shift = clamp_exponent(J.exponent - r);
  const Real one = std::ldexp(1.0, clamp_exponent(-r));
  Real largest = 0;
  for (Index j = 0; j < J.mantissa.cols(); ++j)
    for (Index i = 0; i < J.mantissa.rows(); ++i) {
      const Real entry = shift == 0 ? J.mantissa(i, j) : std::ldexp(J.mantissa(i, j), shift);
      largest = std::max(largest, std::abs(entry - (i == j && x(j) > 0 ? one : 0)));
    }
  return ScaledReal::make(largest, r);
}

ScaledReal max_difference(const ScaledVector& a, const ScaledVector& b) {
  const std::int64_t r = std::max(a.exponent, b.exponent);
  Real largest = 0;
  for (Index i = 0; i < a.mantissa.size(); ++i) {
    const Real left = std::ldexp(a.mantissa(i), clamp_exponent(a.exponent - r));
    const Real right = std::ldexp(b.mantissa(i), clamp_exponent(b.exponent - r));
    largest = std::max(largest, std::abs(left - right));
  }
  return ScaledReal::make(largest, r);
}

ReportedJacobian reported(const ForwardStep& step, const ScaledVector& start) {
  ReportedJacobian seen;
  seen.depth = step.blocks;
  seen.blocks = step.blocks;
  seen.J = view_of(step.jacobian);
  seen.start = start;
  seen.state = step.state;
  if (step.probe) seen.forming = step.probe->compare(step.jacobian);
  seen.zeros_hold = step.zero_columns_hold && seen.forming.zero_rows_agree;
  seen.underflow = [underflow = step.underflow] { return underflow; };
  return seen;
}

namespace {

/// Results that need the entries of a formed J, or the states.
void look_at_entries(DepthResult& result, const ReportedJacobian& seen, const AnalysisOptions& options) {
  const ScaledMatrix& J = *seen.J.matrix;
  ScaledReal square = frobenius_square(J.mantissa);
  if (!square.is_zero()) square.exponent += 2 * J.exponent;
  result.frobenius_square = square;
  result.forming_error = relative_to(seen.forming.size, square);
  if (result.rows == result.cols) result.identity_error = identity_error(J);
  if (!options.checks.empty() && result.identity_error && result.output_error)
    result.orthant_error =
        std::max(mask_error(J, seen.start.mantissa),
                 max_difference(seen.state, {seen.start.mantissa.cwiseMax(0), seen.start.exponent}));
}

SpectrumRequest request_for(const AnalysisOptions& options, std::uint64_t seed, int workers) {
  SpectrumRequest request;
  request.method = options.method;
  request.top = options.top;
  request.bottom = options.bottom;
  request.start = stream_key(seed, StreamRole::start_vector);
  request.workers = workers;
  return request;
}

}  // namespace

DepthResult observe(const ReportedJacobian& seen, const AnalysisOptions& options, std::uint64_t seed,
                    int workers) {
  DepthResult result;
  result.depth = seen.depth;
  result.blocks = seen.blocks;
  result.rows = seen.J.rows();
  result.cols = seen.J.cols();
  if (seen.state.mantissa.size() == seen.start.mantissa.size())
    result.output_error = max_difference(seen.state, seen.start);
  JacobianView J = seen.J;
  if (J.matrix) {
    J.matrix_error = seen.forming.size;
    J.zeros_hold = seen.zeros_hold;
    look_at_entries(result, seen, options);
  }
  if (!options.spectrum) return result;
  SpectrumRequest request = request_for(options, seed, workers);
  // If J has more rows than columns, the surplus of unreachable directions does not correspond to values.
  request.proved_zeros =
      std::max<Index>(0, seen.null_directions - std::max<Index>(0, result.rows - result.cols));
  result.spectrum = compute_spectrum(J, request);
  note_underflow(result.spectrum, seen.underflow ? seen.underflow() : Underflow::none);
  declare_null(result.spectrum, request.proved_zeros);
  const bool well_formed = result.forming_error <= six_digits;
  if (!well_formed) result.frobenius_square = sum_of_squares(result.spectrum);
  Observation metric_view;
  metric_view.spectrum = &result.spectrum;
  metric_view.rows = result.rows;
  metric_view.cols = result.cols;
  metric_view.frobenius_square = result.frobenius_square;
  metric_view.output_error = result.output_error;
  if (well_formed) metric_view.identity_error = result.identity_error;
  if (well_formed && J.matrix)
    metric_view.ones_overlap =
        detail::ones_overlap(*J.matrix, result.spectrum, stream_key(0, StreamRole::probe));
  for (const Metric& metric : metrics()) result.metrics.push_back(metric.compute(metric_view));
  return result;
}

}  // namespace rezero
