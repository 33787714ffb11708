#include "rezero/analysis/theory.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rezero/analysis/labels.h"
#include "rezero/analysis/result.h"
#include "rezero/model/stack.h"

namespace rezero {
namespace {

using theory::Agreement;
using theory::Outlook;
using theory::Verdict;

/// log σ² of every value, descending; nothing unless all of them are known.
std::optional<Vector> log_squares(const Spectrum& spectrum) {
  if (spectrum.part != SpectrumPart::full || spectrum.status == SpectrumStatus::breakdown)
    return std::nullopt;
  Vector y(static_cast<Index>(spectrum.sigma.size()));
  for (Index i = 0; i < y.size(); ++i) {
    const ScaledReal& sigma = spectrum.sigma[static_cast<std::size_t>(i)];
    const bool proved_zero = i >= y.size() - spectrum.null_directions && sigma.is_zero();
    if (!proved_zero && !spectrum.resolved(static_cast<std::size_t>(i))) return std::nullopt;
    y(i) = sigma.is_zero() ? -std::numeric_limits<Real>::infinity() : 2 * sigma.log();
  }
  return y;
}

TheoryOfRow theory_of(OutlookPtr outlook, const Spectrum& spectrum, const StackSpec* spec,
                      std::uint64_t seed) {
  TheoryOfRow theory;
  theory.outlook = std::move(outlook);
  if (!theory.outlook->spectrum || spectrum.status == SpectrumStatus::breakdown) return theory;
  std::optional<theory::SpectralLaw> own;  // for the input of this draw, where that matters
  const Shape shape = spec->geometry()->shape();
  if (shape.positions == 1 && theory::depends_on_input(*theory.outlook)) {
    own = theory::spectrum_at(*theory.outlook, draw_input(spec->input, shape, seed));
    if (!own) return theory;
  }
  const theory::SpectralLaw& law = own ? *own : *theory.outlook->spectrum;
  if (const auto y = log_squares(spectrum); y && y->size() > 0) theory.distance = theory::kolmogorov(law, *y);
  if (law.upper.scale && !spectrum.sigma_max.is_zero())
    theory.edge = theory::edge_statistic(spectrum.sigma_max.log(), law.upper.log_square, *law.upper.scale,
                                         theory.outlook->width());
  return theory;
}

Outlook nothing(std::string reason) {
  Outlook outlook;
  outlook.reason = std::move(reason);
  return outlook;
}

/// How bad a verdict is in the verdict of a row: a disagreement anywhere is one of the row.
int weight_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::no_theory:
      return 0;
    case Verdict::too_few_samples:
      return 1;
    case Verdict::agrees:
      return 2;
    case Verdict::borderline:
      return 3;
    case Verdict::disagrees:
      return 4;
  }
  return 0;
}

Vector vector_of(const std::vector<Real>& numbers) {
  return Eigen::Map<const Vector>(numbers.data(), static_cast<Index>(numbers.size()));
}

}  // namespace

void TheoryBook::annotate(CellResult& row, const StackSpec* spec) {
  for (DepthResult& depth : row.depths)
    depth.theory = theory_of(of(row.labels, spec, depth.depth), depth.spectrum, spec, row.labels.seed);
}

OutlookPtr TheoryBook::of(const CellLabels& labels, const StackSpec* spec, Index depth) {
  const std::lock_guard<std::mutex> lock(mutex_);
  OutlookPtr& known = known_[label_key(labels) + std::to_string(depth)];
  if (known) return known;
  const auto outlook = [&] {
    if (!spec) return nothing("the weights are those of a file");
    if (options_.final_norm) return nothing("a norm after the stack");
    if (options_.view.of || options_.view.wrt) return nothing("a part of J (--of, --wrt)");
    return theory::outlook(*spec, depth);
  };
  known = std::make_shared<const Outlook>(outlook());
  return known;
}

TheorySummary compare_with_theory(const OutlookPtr& outlook, const std::vector<std::vector<Real>>& samples,
                                  const std::vector<Real>& distances, const std::vector<Real>& edges,
                                  Index values) {
  TheorySummary summary;
  summary.outlook = outlook;
  if (!outlook->law) return summary;
  const auto add = [&](std::string_view name, std::optional<Real> predicted, Agreement agreement) {
    if (weight_of(agreement.verdict) > weight_of(summary.verdict)) summary.verdict = agreement.verdict;
    summary.comparisons.push_back({name, predicted, std::move(agreement)});
  };
  for (const theory::PredictionKind& kind : theory::predictions()) {
    if (!kind.compare) continue;
    std::size_t m = 0;
    for (const Metric& metric : metrics()) {
      if (metric.name == kind.name)
        add(kind.name, kind.value(*outlook),
            kind.compare(*outlook, {vector_of(samples[m]), vector_of(edges)}, {}));
      ++m;
    }
  }
  if (outlook->spectrum && !theory::stream_is_erratic(*outlook))
    add("spectrum", std::nullopt,
        theory::compare_spectrum(vector_of(distances), values, theory::distance_allowance(*outlook)));
  return summary;
}

}  // namespace rezero
