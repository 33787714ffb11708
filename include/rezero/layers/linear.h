#pragma once
/// Dense weights, applied at every position.

#include "rezero/layers/layer.h"
#include "rezero/linalg/maps.h"

namespace rezero {

using VectorPtr = std::shared_ptr<const Vector>;

/// X ↦ W X + b 1ᵀ. W: out × in, X: in × positions, b: out or null. Derivative I ⊗ W. Cost 2·out·in·positions
/// per column.
class Linear final : public Layer {
 public:
  Linear(MatrixPtr W, VectorPtr b, Index positions);
  Shape input_shape() const override { return {W_->cols(), positions_}; }
  Shape output_shape() const override { return {W_->rows(), positions_}; }
  bool positively_homogeneous() const override { return !b_ || b_->isZero(0); }
  bool piecewise_linear() const override { return true; }

 private:
  Vector do_evaluate(const Vector& x) const override;
  Linearization do_linearize(const Vector& x) const override;
  MatrixPtr W_;
  VectorPtr b_;
  Index positions_;
};

}  // namespace rezero
