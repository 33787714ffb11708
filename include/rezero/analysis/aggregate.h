#pragma once
/// Reduction of metrics over seeds.

#include <string>
#include <unordered_map>
#include <vector>

#include "rezero/analysis/result.h"

namespace rezero {

/// Collects results in cell order; equal input gives equal bytes whatever the threads.
class Aggregator {
 public:
  void add(const CellResult& result);
  /// One row per (labels but the seed, depth), in the order in which they first appeared.
  std::vector<SummaryRow> rows() const;

 private:
  struct Group {
    CellLabels labels;
    Index depth = 0, blocks = 0;
    std::vector<std::vector<Real>> samples;  ///< by metric
  };
  Group& group(const CellLabels& labels, const DepthResult& depth);
  std::vector<Group> groups_;  ///< in the order in which they first appeared
  std::unordered_map<std::string, std::size_t> index_;
};

/// Mean, standard error (divisor m − 1, nothing for one sample), extremes. Scaled so that no sum overflows.
MetricSummary summarize(const std::vector<Real>& samples);

}  // namespace rezero
