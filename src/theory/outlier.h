#pragma once
/// The direction that dense branches with E φ″ ≠ 0 amplify.

#include "rezero/theory/mean_field.h"

namespace rezero::theory {

struct Growth {
  Real log_bulk = 0;  ///< Σ log factor
  Real log_total = 0;
  /// log of total − bulk; −∞ if there is no outlier
  Real log_excess = 0;
};

/// E|J u|² for random u with E|u|² = 1, J the blocks from `first` on.
Growth growth(const NetworkLaw& law, const MeanField& field, std::size_t first);

}  // namespace rezero::theory
