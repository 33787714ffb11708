#pragma once
/// What a report sees of J: R · N · J · C, with C the columns of one input position (--wrt), N the derivative
/// of the final norm and R the rows of one output position (--of), each only where it is asked for. A formed
/// J is multiplied by them, a J that is known by its products is composed with them, and factors are listed
/// with them.

#include <optional>

#include "analysis/final_norm.h"
#include "rezero/analysis/plan.h"

namespace rezero::detail {

/// C; null where all columns are seen.
LinearMapPtr seen_columns(const Stack& stack, const TokenView& view);

/// The view of J at one depth.
class DepthView {
 public:
  /// After `blocks` blocks, the last of which has those norms, from x0 to `state`.
  DepthView(const Stack& stack, const AnalysisOptions& options, Index blocks, const Vector& x0,
            ScaledVector state, const EndNorms& norms);

  const ScaledVector& start() const { return start_; }  ///< what is seen of x_0
  const ScaledVector& state() const { return state_; }  ///< what is seen of x_L
  /// Directions of the rows that a norm at the end puts out of reach.
  Index null_directions() const { return null_directions_; }

  const LinearMapPtr& before() const { return before_; }  ///< C or null
  /// N and R as far as they are there, in the order in which they are applied.
  Index count_after() const { return (norm_ ? 1 : 0) + (rows_ ? 1 : 0); }
  bool rounds(Index i) const { return norm_ && i == 0; }  ///< whether rounding can reach that map
  ScaledMap after(Index i, Rounding rounding = {}) const;
  /// All of them around J.
  ScaledMap around(ScaledMap J, Rounding rounding = {}) const;

 private:
  Index blocks_;
  Shape shape_;                   ///< of x_L
  std::optional<NormSpec> norm_;  ///< the final norm
  ScaledVector before_norm_;      ///< x_L
  LinearMapPtr before_, rows_;    ///< C and R
  ScaledVector start_, state_;
  Index null_directions_;
};

}  // namespace rezero::detail
