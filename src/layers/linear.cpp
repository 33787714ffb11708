#include "rezero/layers/linear.h"

#include "linalg/matrix_product.h"
#include "rezero/core/error.h"

namespace rezero {

Linear::Linear(MatrixPtr W, VectorPtr b, Index positions)
    : W_(std::move(W)), b_(std::move(b)), positions_(positions) {
  if (b_ && b_->size() != W_->rows())
    throw ShapeError("a bias of " + std::to_string(b_->size()) + " numbers does not fit a weight of " +
                     std::to_string(W_->rows()) + " × " + std::to_string(W_->cols()));
}

Vector Linear::do_evaluate(const Vector& x) const {
  Vector y(output_shape().size());
  const Eigen::Map<const Matrix> X(x.data(), W_->cols(), positions_);
  Eigen::Map<Matrix> Y(y.data(), W_->rows(), positions_);
  multiply(*W_, X, Y);
  if (b_) Y.colwise() += *b_;
  return y;
}

Linearization Linear::do_linearize(const Vector& x) const {
  LinearMapPtr derivative = positionwise_map(W_, positions_);
  Vector y(output_shape().size());
  derivative->apply(x, y);
  if (b_)
    for (Index t = 0; t < positions_; ++t) y.segment(t * W_->rows(), W_->rows()) += *b_;
  return {std::move(y), std::move(derivative)};
}

}  // namespace rezero
