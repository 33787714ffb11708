#pragma once
/// Anderson's acceleration of a fixed-point iteration.

#include <vector>

#include "linalg/small_systems.h"

namespace rezero::theory::detail {

/// x ← a mixture of the last iterates whose residual f(x) − x is smallest in the least-squares sense
/// (Anderson 1965; Walker & Ni 2011). Complex vectors are stacked real and imaginary parts: the coefficients
/// stay real.
class Anderson {
 public:
  Anderson(int memory, Real mixing) : memory_(memory), mixing_(mixing) {}

  /// The next iterate after x with image f = f(x); `mixing` is the share of the residual that a step takes.
  Vector next(const Vector& x, const Vector& f) {
    const Vector residual = f - x, mixed = x + mixing_ * residual;
    if (!last_residual_.size()) {
      last_residual_ = residual, last_image_ = mixed;
      return mixed;
    }
    if (static_cast<int>(residuals_.size()) == memory_) {
      residuals_.erase(residuals_.begin());
      images_.erase(images_.begin());
    }
    residuals_.push_back(residual - last_residual_), images_.push_back(mixed - last_image_);
    last_residual_ = residual, last_image_ = mixed;
    const Index count = static_cast<Index>(residuals_.size());
    Matrix R(residual.size(), count), F(residual.size(), count);
    for (Index k = 0; k < count; ++k)
      R.col(k) = residuals_[static_cast<std::size_t>(k)], F.col(k) = images_[static_cast<std::size_t>(k)];
    return mixed - F * rezero::detail::least_squares(R, residual);
  }

 private:
  int memory_;
  Real mixing_;
  std::vector<Vector> residuals_, images_;
  Vector last_residual_, last_image_;
};

}  // namespace rezero::theory::detail
