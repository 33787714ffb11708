#pragma once
/// What rounding did to a Jacobian while it was formed.

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
/// ‖E′‖_F²) for the errors E of J as formed and E′ of the second. The bound is 8 ‖D‖_F / √8: for an error of
/// rank one, the worst case, it fails with a probability below 1e-6 (a χ² of 8 degrees of freedom below 1/8).
/// Cost: for each block a product with eight columns, and where it is not piecewise linear a linearization.
class RoundingProbe {
 public:
  explicit RoundingProbe(const Matrix& tangents);  ///< S

  /// Block `block` at x, whose derivative there, as J's columns meet it, is `derivative`.
  void step(Index block, const ResidualBlock& layer, const Vector& x, const LinearMap& derivative);
  /// What stands behind the stack.
  void apply(const ScaledMap& map);
  void keep_rows(Index first, Index count);

  FormingError compare(const ScaledMatrix& J) const;

 private:
  void apply(const LinearMap& map);
  Matrix directions_;  ///< Ω
  ScaledMatrix image_;
  bool finite_ = true;
};

}  // namespace rezero
