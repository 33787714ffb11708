#pragma once
/// What rounding did to a Jacobian while it was formed.

#include <functional>

#include "rezero/linalg/scaled_map.h"
#include "rezero/linalg/scaled_matrix.h"
#include "rezero/model/block.h"

namespace rezero {

struct FormingError {
  ScaledReal size;  ///< estimated bound of ‖J as formed − J‖_F
  /// Rows of J that came out as zeros are zero in the other computation too: they are no cancellation.
  bool zero_rows_agree = true;
};

/// J = A_L … A_1 S computed a second time, on eight random directions: P = A_L (… (A_1 (S Ω))), Ω Gaussian,
/// with derivatives A_l that are linearized in another rounding (SimulatedRounding) where rounding can reach
/// them. Both computations err about as much, and independently: D = J Ω − P has E‖D‖_F² = 8 (‖E‖_F² +
/// ‖E′‖_F²) for the errors E of J as formed and E′ of the second. The bound is 10 ‖D‖_F / √8. For an error of
/// the products that is of rank one, the worst case, it fails with a probability below 1e-6 (a χ² of 8
/// degrees of freedom below 1/8). An error of the derivatives has as many samples as there are
/// linearizations: eight below 64 rows, four below 512, else two; that is few only where all of it hangs on
/// one number (2 % with two). Cost: for each block a product with eight columns, and where it is not
/// piecewise linear the linearizations.
class RoundingProbe {
 public:
  explicit RoundingProbe(const Matrix& tangents);  ///< S

  /// Block `block` at x, whose derivative there is `derivative`: not condensed, which is a rounding of its
  /// own.
  void step(Index block, const ResidualBlock& layer, const Vector& x, const LinearMap& derivative);
  /// What stands behind the stack, in the rounding of that sample.
  void apply(const std::function<ScaledMap(int sample)>& map);
  void keep_rows(Index first, Index count);

  FormingError compare(const ScaledMatrix& J) const;

 private:
  void apply(const std::function<LinearMapPtr(int sample)>& map);
  void replace(Matrix next);
  Matrix directions_;  ///< Ω
  int samples_;        ///< of rounding, each for as many of the directions
  ScaledMatrix image_;
  bool finite_ = true;
};

}  // namespace rezero
