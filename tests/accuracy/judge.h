#pragma once
/// Compares a result with the truth: the claim about each value, and whether it holds.

#include <string>
#include <vector>

#include "accuracy/truth.h"
#include "rezero/analysis/result.h"

namespace rezero::reference {

struct Violation {
  std::string kind;  ///< resolved, unresolved or null: the claim about the value
  std::size_t index = 0;
  ScaledReal published, truth;
  Real excess = 0;  ///< the error over the claim
};

struct Verdict {
  Index compared = 0;  ///< values
  std::vector<Violation> violations;
  bool unsettled = false;  ///< the truth was not found
  ScaledReal largest;      ///< true value
  /// Of a resolved value: relative to itself if the claim is, otherwise over σ_max.
  Real largest_error = 0;
};

/// Tests each value of a certified spectrum: a resolved one is right to relative_resolution · σ_max, or to
/// relative_error_estimate times itself, or to four ulps; the true value of an unresolved one is below the
/// resolution plus its error; a proved zero is zero.
Verdict judged(const Trajectory& path, const Look& look, const Spectrum& spectrum);

}  // namespace rezero::reference
