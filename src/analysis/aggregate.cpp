#include "rezero/analysis/aggregate.h"

#include <algorithm>
#include <cmath>

#include "rezero/analysis/labels.h"

namespace rezero {
namespace {

/// Everything that distinguishes groups, without seed and sample.
std::string key_of(const CellLabels& of, Index depth) {
  return label_key(of) + std::to_string(depth);
}

}  // namespace

Aggregator::Group& Aggregator::group(const CellLabels& labels, const DepthResult& depth) {
  const auto [known, fresh] = index_.emplace(key_of(labels, depth.depth), groups_.size());
  if (fresh)
    groups_.push_back(
        {labels, depth.depth, depth.blocks, std::vector<std::vector<Real>>(metrics().size()), {}, {}, {}});
  return groups_[known->second];
}

void Aggregator::add(const CellResult& result) {
  for (const DepthResult& depth : result.depths) {
    Group& to = group(result.labels, depth);
    for (std::size_t m = 0; m < depth.metrics.size(); ++m)
      if (depth.metrics[m]) to.samples[m].push_back(*depth.metrics[m]);
    if (!depth.theory) continue;
    to.outlook = depth.theory->outlook;
    if (depth.theory->distance) to.distances.push_back(*depth.theory->distance);
    if (depth.theory->edge) to.edges.push_back(*depth.theory->edge);
  }
}

std::vector<SummaryRow> Aggregator::rows() const {
  std::vector<SummaryRow> rows;
  for (const Group& group : groups_) {
    SummaryRow row{group.labels, group.depth, group.blocks, {}, {}};
    row.labels.sample.reset();
    for (const auto& samples : group.samples) row.metrics.push_back(summarize(samples));
    if (group.outlook)
      row.theory = compare_with_theory(group.outlook, group.samples, group.distances, group.edges,
                                       group.labels.dimension);
    rows.push_back(std::move(row));
  }
  return rows;
}

MetricSummary summarize(const std::vector<Real>& samples) {
  MetricSummary summary;
  summary.count = static_cast<Index>(samples.size());
  if (samples.empty()) return summary;
  const auto [low, high] = std::minmax_element(samples.begin(), samples.end());
  summary.min = *low, summary.max = *high;
  // In units of the largest magnitude, since squares of 1e300 overflow.
  const Real unit = std::max(std::abs(*low), std::abs(*high));
  if (unit == 0) {
    summary.mean = 0;
    if (samples.size() > 1) summary.standard_error = 0;
    return summary;
  }
  const auto count = static_cast<Real>(samples.size());
  Real sum = 0;
  for (Real sample : samples) sum += sample / unit;
  const Real mean = sum / count;
  summary.mean = std::clamp(mean * unit, *low, *high);
  if (samples.size() < 2) return summary;
  Real squares = 0;
  for (Real sample : samples) squares += std::pow(sample / unit - mean, 2);
  summary.standard_error = std::sqrt(squares / (count - 1) / count) * unit;
  return summary;
}

}  // namespace rezero
