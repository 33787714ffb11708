#pragma once
/// The reported J: R · N · J · C, with C the columns of one input position (--wrt), N the derivative of the
/// final norm, and R the rows of one output position (--of), each only if requested. A formed J is multiplied
/// by these maps, a matrix-free J is composed with them, and a list of factors includes them.

#include <optional>

#include "analysis/final_norm.h"
#include "rezero/analysis/plan.h"

namespace rezero::detail {

/// C; null if all columns are reported.
LinearMapPtr seen_columns(const Stack& stack, const TokenView& view);

/// The view of J at one depth.
class DepthView {
 public:
  /// After `blocks` blocks, the last of which has those norms, from x0 to `state`.
  DepthView(const Stack& stack, const AnalysisOptions& options, Index blocks, const Vector& x0,
            ScaledVector state, const EndNorms& norms);

  const ScaledVector& start() const { return start_; }  ///< the reported part of x_0
  const ScaledVector& state() const { return state_; }  ///< the reported part of x_L
  /// Directions of the rows that a norm at the end makes unreachable.
  Index null_directions() const { return null_directions_; }

  const LinearMapPtr& before() const { return before_; }  ///< C or null
  /// N and R, if present, in the order of application.
  Index count_after() const { return (norm_ ? 1 : 0) + (rows_ ? 1 : 0); }
  bool rounds(Index i) const { return norm_ && i == 0; }  ///< whether rounding affects that map
  ScaledMap after(Index i, Rounding rounding = {}) const;
  /// J with all of them applied.
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
