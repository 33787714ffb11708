#pragma once
/// Measurements beside predictions: the theory of a plan's stacks, and its comparison with their spectra.

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "rezero/theory/agreement.h"
#include "rezero/theory/outlook.h"

namespace rezero {

struct AnalysisOptions;
struct CellLabels;
struct CellResult;
struct DepthResult;
struct StackSpec;

using OutlookPtr = std::shared_ptr<const theory::Outlook>;

/// The theory at one depth of one stack, and how far its spectrum is from the law for its input.
struct TheoryOfRow {
  OutlookPtr outlook;
  std::optional<Real> distance;  ///< Kolmogorov; absent if the law or the full spectrum is not known
  std::optional<Real> edge;      ///< of σ_max, in units of its spread; absent if either is not known
};

/// A metric, or the spectrum as a whole, against its prediction.
struct TheoryComparison {
  std::string_view name;  ///< of the metric; `spectrum`
  std::optional<Real> predicted;
  theory::Agreement agreement;
};

/// The comparisons of a summary, over its seeds.
struct TheorySummary {
  OutlookPtr outlook;
  std::vector<TheoryComparison> comparisons;  ///< those with a test, then `spectrum`
  /// The least favourable of them; no_theory if there are none.
  theory::Verdict verdict = theory::Verdict::no_theory;
};

/// Predictions of a plan's stacks, each computed once, when a row first needs it. Safe to use from several
/// threads.
class TheoryBook {
 public:
  explicit TheoryBook(const AnalysisOptions& options) : options_(options) {}

  /// Fills the theory of every depth of a row. Without a random stack (a file), or if the reported J is not
  /// that of the stack (a final norm, one token), the reason says so.
  void annotate(CellResult& row, const StackSpec* spec);

 private:
  OutlookPtr of(const CellLabels& labels, const StackSpec* spec, Index depth);

  const AnalysisOptions& options_;
  std::mutex mutex_;
  std::unordered_map<std::string, OutlookPtr> known_;  ///< by labels and depth
};

/// samples: by metric, as collected over seeds; distances of spectra with `values` singular values each, and
/// edges, by seed.
TheorySummary compare_with_theory(const OutlookPtr& outlook, const std::vector<std::vector<Real>>& samples,
                                  const std::vector<Real>& distances, const std::vector<Real>& edges,
                                  Index values);

}  // namespace rezero
