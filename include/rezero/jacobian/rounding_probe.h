#pragma once
/// The effect of rounding on a Jacobian while it was formed.

#include <functional>

#include "rezero/linalg/scaled_map.h"
#include "rezero/linalg/scaled_matrix.h"
#include "rezero/model/block.h"

namespace rezero {

struct FormingError {
  ScaledReal size;  ///< estimated bound on ‖J as formed − J‖_F
  /// Zero rows of J are zero in the other computation as well, so they are not cancellation.
  bool zero_rows_agree = true;
};

/// Computes J = A_L … A_1 S a second time on eight random directions: P = A_L (… (A_1 (S Ω))), Ω Gaussian,
/// with the derivatives A_l linearized in another rounding (SimulatedRounding) if rounding can affect them.
/// Both computations have independent errors of about the same size: D = J Ω − P has E‖D‖_F² = 8 (‖E‖_F² +
/// ‖E′‖_F²) for the errors E of J as formed and E′ of the second. The bound is 10 ‖D‖_F / √8. For an error of
/// the products of rank one, the worst case, it fails with a probability below 1e-6 (a χ² of 8 degrees of
/// freedom below 1/8). An error of the derivatives has as many samples as there are linearizations: eight
/// below 64 rows, four below 512, otherwise two. Two are few only if the whole error depends on a single
/// number (2 %). Cost per block: a product with eight columns and, if the block is not piecewise linear, the
/// linearizations.
class RoundingProbe {
 public:
  explicit RoundingProbe(const Matrix& tangents);  ///< S

  /// Block `block` at x, with its derivative there, `derivative`: not condensed, since condensing rounds
  /// differently.
  void step(Index block, const Block& layer, const Vector& x, const LinearMap& derivative);
  /// A map that follows the stack, in the rounding of that sample.
  void apply(const std::function<ScaledMap(int sample)>& map);

  FormingError compare(const ScaledMatrix& J) const;

 private:
  void apply(const std::function<LinearMapPtr(int sample)>& map);
  void replace(Matrix next);
  Matrix directions_;  ///< Ω
  int samples_;        ///< number of roundings, which share the directions evenly
  ScaledMatrix image_;
  bool finite_ = true;
};

}  // namespace rezero
