#include "rezero/linalg/maps.h"

#include <limits>

#include "rezero/core/contract.h"

namespace rezero {
namespace {

class Identity final : public LinearMap {
 public:
  explicit Identity(Index size) : size_(size) {}
  Index rows() const override { return size_; }
  Index cols() const override { return size_; }
  Real flops_per_column() const override { return 0; }

 private:
  void do_apply(ConstColumns v, Columns out) const override { out = v; }
  void do_apply_transpose(ConstColumns u, Columns out) const override { out = u; }
  Index size_;
};

class Diagonal final : public LinearMap {
 public:
  explicit Diagonal(Vector d) : d_(std::move(d)) {}
  Index rows() const override { return d_.size(); }
  Index cols() const override { return d_.size(); }
  Real flops_per_column() const override { return static_cast<Real>(d_.size()); }

 private:
  void do_apply(ConstColumns v, Columns out) const override {
    for (Index j = 0; j < v.cols(); ++j) out.col(j) = d_.cwiseProduct(v.col(j));
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override { do_apply(u, out); }
  Matrix do_to_dense() const override { return d_.asDiagonal(); }
  Vector d_;
};

/// (I ⊗ W): a block of k columns with rows = positions · width is, seen column-major, one matrix of
/// k·positions columns.
class Positionwise final : public LinearMap {
 public:
  Positionwise(MatrixPtr W, Index positions) : W_(std::move(W)), positions_(positions) {}
  Index rows() const override { return W_->rows() * positions_; }
  Index cols() const override { return W_->cols() * positions_; }
  Real flops_per_column() const override {
    return 2 * static_cast<Real>(W_->rows()) * static_cast<Real>(W_->cols()) * static_cast<Real>(positions_);
  }
  Real dense_flops() const override { return 0; }

 private:
  void do_apply(ConstColumns v, Columns out) const override {
    if (positions_ == 1)
      out.noalias() = *W_ * v;
    else
      fold(out, W_->rows()).noalias() = *W_ * fold(v, W_->cols());
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override {
    if (positions_ == 1)
      out.noalias() = W_->transpose() * u;
    else
      fold(out, W_->cols()).noalias() = W_->transpose() * fold(u, W_->rows());
  }
  Matrix do_to_dense() const override {
    if (positions_ == 1) return *W_;
    Matrix dense = Matrix::Zero(rows(), cols());
    for (Index t = 0; t < positions_; ++t)
      dense.block(t * W_->rows(), t * W_->cols(), W_->rows(), W_->cols()) = *W_;
    return dense;
  }
  Eigen::Map<const Matrix> fold(const ConstColumns& v, Index width) const {
    REZERO_REQUIRE(v.outerStride() == v.rows() || v.cols() == 1);
    return {v.data(), width, positions_ * v.cols()};
  }
  Eigen::Map<Matrix> fold(Columns& v, Index width) const {
    REZERO_REQUIRE(v.outerStride() == v.rows() || v.cols() == 1);
    return {v.data(), width, positions_ * v.cols()};
  }
  MatrixPtr W_;
  Index positions_;
};

class Sum final : public LinearMap {
 public:
  Sum(LinearMapPtr A, LinearMapPtr B) : A_(std::move(A)), B_(std::move(B)) {
    REZERO_REQUIRE(A_->rows() == B_->rows() && A_->cols() == B_->cols());
  }
  Index rows() const override { return A_->rows(); }
  Index cols() const override { return A_->cols(); }
  Real flops_per_column() const override {
    return A_->flops_per_column() + B_->flops_per_column() + static_cast<Real>(rows());
  }
  Real dense_flops() const override { return A_->dense_flops() + B_->dense_flops(); }

 private:
  void do_apply(ConstColumns v, Columns out) const override {
    Matrix second(rows(), v.cols());
    A_->apply(v, out);
    B_->apply(v, second);
    out += second;
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override {
    Matrix second(cols(), u.cols());
    A_->apply_transpose(u, out);
    B_->apply_transpose(u, second);
    out += second;
  }
  Matrix do_to_dense() const override { return to_dense(*A_) + to_dense(*B_); }
  LinearMapPtr do_condense_parts(Index columns) const override {
    return sum_map(condense(A_, columns), condense(B_, columns));
  }
  LinearMapPtr A_, B_;
};

class Product final : public LinearMap {
 public:
  /// At least two factors.
  explicit Product(std::vector<LinearMapPtr> factors) : factors_(std::move(factors)) {
    for (std::size_t i = 1; i < factors_.size(); ++i)
      REZERO_REQUIRE(factors_[i]->cols() == factors_[i - 1]->rows());
  }
  Index rows() const override { return factors_.back()->rows(); }
  Index cols() const override { return factors_.front()->cols(); }
  Real flops_per_column() const override {
    Real total = 0;
    for (const LinearMapPtr& factor : factors_) total += factor->flops_per_column();
    return total;
  }
  Real dense_flops() const override {  // the first factor's matrix, then the others applied to its columns
    const Real others = flops_per_column() - factors_.front()->flops_per_column();
    return factors_.front()->dense_flops() + others * static_cast<Real>(cols());
  }

 private:
  void do_apply(ConstColumns v, Columns out) const override {
    Matrix now(factors_.front()->rows(), v.cols());
    factors_.front()->apply(v, now);
    for (std::size_t i = 1; i + 1 < factors_.size(); ++i) {
      Matrix next(factors_[i]->rows(), v.cols());
      factors_[i]->apply(now, next);
      now.swap(next);
    }
    factors_.back()->apply(now, out);
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override {
    Matrix now(factors_.back()->cols(), u.cols());
    factors_.back()->apply_transpose(u, now);
    for (std::size_t i = factors_.size() - 1; --i > 0;) {
      Matrix next(factors_[i]->cols(), u.cols());
      factors_[i]->apply_transpose(now, next);
      now.swap(next);
    }
    factors_.front()->apply_transpose(now, out);
  }
  Matrix do_to_dense() const override {
    Matrix now = to_dense(*factors_.front());
    for (std::size_t i = 1; i < factors_.size(); ++i) {
      Matrix next(factors_[i]->rows(), now.cols());
      factors_[i]->apply(now, next);
      now.swap(next);
    }
    return now;
  }
  LinearMapPtr do_condense_parts(Index columns) const override {
    std::vector<LinearMapPtr> factors;
    for (const LinearMapPtr& factor : factors_) factors.push_back(condense(factor, columns));
    return product_map(std::move(factors));
  }
  std::vector<LinearMapPtr> factors_;
};

class Transpose final : public LinearMap {
 public:
  explicit Transpose(LinearMapPtr A) : A_(std::move(A)) {}
  Index rows() const override { return A_->cols(); }
  Index cols() const override { return A_->rows(); }
  Real flops_per_column() const override { return A_->flops_per_column(); }

 private:
  void do_apply(ConstColumns v, Columns out) const override { A_->apply_transpose(v, out); }
  void do_apply_transpose(ConstColumns u, Columns out) const override { A_->apply(u, out); }
  LinearMapPtr A_;
};

class ResidualMap final : public LinearMap {
 public:
  ResidualMap(Vector lambda, Vector alpha, LinearMapPtr B)
      : lambda_(std::move(lambda)), alpha_(std::move(alpha)), B_(std::move(B)) {
    REZERO_REQUIRE(B_->rows() == B_->cols());
    REZERO_REQUIRE(lambda_.size() == 1 || lambda_.size() == B_->rows());
    REZERO_REQUIRE(alpha_.size() == 1 || alpha_.size() == B_->rows());
  }
  Index rows() const override { return B_->rows(); }
  Index cols() const override { return B_->cols(); }
  Real flops_per_column() const override { return B_->flops_per_column() + 3 * static_cast<Real>(rows()); }
  Real dense_flops() const override { return std::numeric_limits<Real>::infinity(); }  // stays λ I + α B

 private:
  void do_apply(ConstColumns v, Columns out) const override {
    B_->apply(v, out);
    scale(alpha_, out);
    add_skip(v, out);
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override {
    Matrix scaled = u;
    scale(alpha_, scaled);
    B_->apply_transpose(scaled, out);
    add_skip(u, out);
  }
  static void scale(const Vector& factor, Columns v) {
    for (Index j = 0; j < v.cols(); ++j) {
      if (factor.size() == 1)
        v.col(j) *= factor(0);
      else
        v.col(j).array() *= factor.array();
    }
  }
  void add_skip(const ConstColumns& v, Columns& out) const {
    for (Index j = 0; j < v.cols(); ++j) {
      if (lambda_.size() == 1)
        out.col(j) += lambda_(0) * v.col(j);
      else
        out.col(j) += lambda_.cwiseProduct(v.col(j));
    }
  }
  LinearMapPtr do_condense_parts(Index columns) const override {
    return residual_map(lambda_, alpha_, condense(B_, columns));
  }
  Vector lambda_, alpha_;
  LinearMapPtr B_;
};

}  // namespace

LinearMapPtr identity_map(Index size) {
  return std::make_shared<Identity>(size);
}
LinearMapPtr diagonal_map(Vector d) {
  return std::make_shared<Diagonal>(std::move(d));
}
LinearMapPtr dense_map(MatrixPtr W) {
  return positionwise_map(std::move(W), 1);
}
LinearMapPtr positionwise_map(MatrixPtr W, Index positions) {
  return std::make_shared<Positionwise>(std::move(W), positions);
}
LinearMapPtr sum_map(LinearMapPtr A, LinearMapPtr B) {
  return std::make_shared<Sum>(std::move(A), std::move(B));
}
LinearMapPtr product_map(std::vector<LinearMapPtr> factors) {
  REZERO_REQUIRE(!factors.empty());
  if (factors.size() == 1) return factors.front();
  return std::make_shared<Product>(std::move(factors));
}
LinearMapPtr transpose_map(LinearMapPtr A) {
  return std::make_shared<Transpose>(std::move(A));
}
LinearMapPtr residual_map(Vector lambda, Vector alpha, LinearMapPtr B) {
  return std::make_shared<ResidualMap>(std::move(lambda), std::move(alpha), std::move(B));
}

LinearMapPtr condense(const LinearMapPtr& map, Index columns) {
  const Real applied = 2 * static_cast<Real>(map->rows()) * static_cast<Real>(map->cols());
  const Real as_is = map->flops_per_column() * static_cast<Real>(columns);
  if (map->dense_flops() + applied * static_cast<Real>(columns) < as_is)
    return dense_map(std::make_shared<const Matrix>(to_dense(*map)));
  const LinearMapPtr parts = map->do_condense_parts(columns);
  return parts ? parts : map;
}

}  // namespace rezero
