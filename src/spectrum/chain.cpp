#include "spectrum/chain.h"

#include <algorithm>
#include <optional>

#include "rezero/parallel/for_each.h"
#include "spectrum/certificate/full.h"
#include "spectrum/certificate/structure.h"

namespace rezero::detail {
namespace {

/// permuted-diagonal, `first`, then the rest of the table: the full methods that accept this matrix.
std::vector<const SpectrumMethod*> chain_for(const Matrix& A, const SpectrumMethod& first) {
  std::vector<const SpectrumMethod*> chain = {spectrum_methods().find("permuted-diagonal"), &first};
  for (const SpectrumMethod& method : spectrum_methods())
    if (!method.only_by_name) chain.push_back(&method);
  std::vector<const SpectrumMethod*> usable;
  for (const SpectrumMethod* method : chain) {
    const bool fits = method->max_dimension == 0 || std::min(A.rows(), A.cols()) <= method->max_dimension;
    const bool repeated = std::find(usable.begin(), usable.end(), method) != usable.end();
    if (method->full && fits && !repeated && (!method->applies || method->applies(A)))
      usable.push_back(method);
  }
  return usable;
}

/// The values of a method, and the measurements for the certificate unless they are known. Both run
/// concurrently if the matrix is too small for either to gain much from threads.
FullValues values_and_facts(const SpectrumMethod& method, const Matrix& A, int workers,
                            std::optional<MatrixFacts>& facts) {
  constexpr Index gains_from_threads = 768;
  FullValues values;
  const bool side_by_side = std::min(A.rows(), A.cols()) < gains_from_threads;
  for_each_index(facts ? 1 : 2, side_by_side ? workers : 1, [&](Index i) {
    if (i == 0)
      values = method.full(A, workers);
    else
      facts = measure(A, workers);
  });
  return values;
}

/// The values of A, followed by the zeros proved by its zero rows and columns.
void publish(Spectrum& spectrum, const FullValues& values, std::int64_t exponent) {
  for (Index i = 0; i < values.sigma.size(); ++i)
    spectrum.sigma.push_back(ScaledReal::make(values.sigma[i], exponent));
  spectrum.sigma.resize(static_cast<std::size_t>(spectrum.dimension));
  spectrum.null_directions = spectrum.dimension - values.sigma.size();
  if (values.zeros_are_proved)
    spectrum.null_directions += std::count(values.sigma.begin(), values.sigma.end(), Real{0});
  if (!spectrum.sigma.empty()) spectrum.sigma_max = spectrum.sigma.front();
  spectrum.leading = spectrum.dimension;
  spectrum.accuracy.relative_resolution = values.relative_resolution;
  spectrum.accuracy.certified = true;
}

/// Whether cutting a full spectrum after its first `count` values separates a value from its copy.
Multiplicity at_cut(const Spectrum& full, Index count) {
  if (count == 0 || count == full.dimension) return Multiplicity::resolved;
  const auto i = static_cast<std::size_t>(count);
  const ScaledReal &above = full.sigma[i - 1], &below = full.sigma[i];
  const Index proved_from = full.dimension - full.null_directions;
  if (count > proved_from) return Multiplicity::cut;  // between two exact zeros
  if (!full.resolved(i - 1)) return Multiplicity::unresolved;
  if (below.is_zero()) return Multiplicity::resolved;
  const Real gap = 1 - quotient(below, above);
  const bool apart = full.accuracy.relative_error_estimate
                         ? gap > 2 * *full.accuracy.relative_error_estimate
                         : gap * quotient(above, full.sigma_max) > 2 * full.accuracy.relative_resolution;
  return apart ? Multiplicity::resolved : Multiplicity::cut;
}

}  // namespace

Multiplicity multiplicity_of(const Spectrum& spectrum, Multiplicity found) {
  const auto leading = static_cast<std::size_t>(spectrum.leading);
  const auto known = [&](std::size_t i) { return spectrum.sigma_max.is_zero() || spectrum.resolved(i); };
  const bool top = leading == 0 || known(leading - 1);
  const bool bottom = leading == spectrum.sigma.size() || known(leading);
  return top && bottom ? found : Multiplicity::unresolved;
}

SpectrumPart part_of(const SpectrumRequest& request) {
  if (request.top > 0 && request.bottom > 0) return SpectrumPart::both_ends;
  if (request.top > 0) return SpectrumPart::largest;
  return request.bottom > 0 ? SpectrumPart::smallest : SpectrumPart::full;
}

Spectrum breakdown(Index dimension, const SpectrumRequest& request, std::string message) {
  Spectrum spectrum;
  spectrum.dimension = dimension;
  spectrum.part = part_of(request);
  spectrum.status = SpectrumStatus::breakdown;
  spectrum.message = std::move(message);
  return spectrum;
}

Spectrum full_spectrum(const Matrix& A, std::int64_t exponent, const SpectrumMethod& first, int workers) {
  const std::optional<Matrix> dense_part = without_zero_lines(A);
  const Matrix& core = dense_part ? *dense_part : A;
  Spectrum spectrum;
  spectrum.dimension = std::min(A.rows(), A.cols());
  if (first.applies && !first.applies(core))
    spectrum.provenance.fallbacks.push_back({std::string(first.name), "does not apply to this matrix"});
  std::optional<MatrixFacts> facts;
  for (const SpectrumMethod* method : chain_for(core, first)) {
    const FullValues values = values_and_facts(*method, core, workers, facts);
    std::string fault = values.failure;
    if (fault.empty()) fault = full_fault(*facts, values.sigma, values.relative_resolution);
    spectrum.provenance.method = method->name;
    if (fault.empty()) {
      publish(spectrum, values, exponent);
      return spectrum;
    }
    spectrum.provenance.fallbacks.push_back({std::string(method->name), fault});
  }
  spectrum.status = SpectrumStatus::breakdown;
  spectrum.message =
      "no method gave a spectrum that passes its certificate (the last: " + spectrum.provenance.method +
      ", " + spectrum.provenance.fallbacks.back().reason + ")";
  return spectrum;
}

Spectrum truncate(Spectrum full, const SpectrumRequest& request) {
  full.part = part_of(request);
  if (full.part == SpectrumPart::full || full.status == SpectrumStatus::breakdown) return full;
  const bool nothing_known = !full.resolved(0) && full.null_directions < full.dimension;
  full.extremal = nothing_known ? Extremal::not_applicable : Extremal::verified;
  full.leading = request.top;
  full.multiplicity =
      request.top + request.bottom == full.dimension
          ? Multiplicity::resolved
          : std::max(at_cut(full, request.top), at_cut(full, full.dimension - request.bottom));
  // Proved zeros are the last values: a cut from the middle keeps those at the bottom.
  const Index proved_from = full.dimension - full.null_directions;
  full.null_directions =
      std::min(request.bottom, full.null_directions) + std::max<Index>(0, request.top - proved_from);
  full.sigma.erase(full.sigma.begin() + request.top, full.sigma.end() - request.bottom);
  return full;
}

}  // namespace rezero::detail
