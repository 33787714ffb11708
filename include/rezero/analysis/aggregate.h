#pragma once
/// Reduction of metrics over seeds.

#include <string>
#include <unordered_map>
#include <vector>

#include "rezero/analysis/result.h"

namespace rezero {

/// Collects results in cell order; equal input gives equal bytes for any number of threads.
class Aggregator {
 public:
  void add(const CellResult& result);
  /// One row per (labels except the seed, depth), in order of first appearance.
  std::vector<SummaryRow> rows() const;

 private:
  struct Group {
    CellLabels labels;
    Index depth = 0, blocks = 0;
    std::vector<std::vector<Real>> samples;  ///< by metric
    OutlookPtr outlook;                      ///< if there is one
    std::vector<Real> distances, edges;      ///< of spectra from the predicted law
  };
  Group& group(const CellLabels& labels, const DepthResult& depth);
  std::vector<Group> groups_;  ///< in order of first appearance
  std::unordered_map<std::string, std::size_t> index_;
};

/// Mean, standard error (divisor m − 1; absent for one sample), extremes. Scaled so that no sum overflows.
MetricSummary summarize(const std::vector<Real>& samples);

}  // namespace rezero
