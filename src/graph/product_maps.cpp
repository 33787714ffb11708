#include "linalg/matrix_product.h"
#include "rezero/core/contract.h"
#include "rezero/graph/maps.h"

namespace rezero::graph {
namespace {

using ConstBlock = Eigen::Map<const Matrix>;
using Block = Eigen::Map<Matrix>;

/// C = A B in row-major order is Cᵀ = Bᵀ Aᵀ in column-major order, which these see.
void product(const Real* A, const Real* B, Real* C, const BatchedProduct& p) {
  rezero::multiply(ConstBlock(B, p.n, p.k), ConstBlock(A, p.k, p.m), Block(C, p.n, p.m));
}

class LeftProduct final : public LinearMap {
 public:
  LeftProduct(BatchedProduct p, std::shared_ptr<const Vector> B) : p_(std::move(p)), B_(std::move(B)) {}
  Index rows() const override { return p_.c_size(); }
  Index cols() const override { return p_.a_size; }
  Real flops_per_column() const override {
    return 2 * static_cast<Real>(p_.c_size()) * static_cast<Real>(p_.k);
  }

 private:
  void do_apply(ConstColumns v, Columns out) const override {
    for (Index j = 0; j < v.cols(); ++j)
      for (Index i = 0; i < p_.count(); ++i)
        product(v.col(j).data() + p_.a[static_cast<std::size_t>(i)], at(i),
                out.col(j).data() + i * p_.m * p_.n, p_);
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override {
    out.setZero();
    for (Index j = 0; j < u.cols(); ++j)
      for (Index i = 0; i < p_.count(); ++i)
        Block(out.col(j).data() + p_.a[static_cast<std::size_t>(i)], p_.k, p_.m).noalias() +=
            ConstBlock(at(i), p_.n, p_.k).transpose() *
            ConstBlock(u.col(j).data() + i * p_.m * p_.n, p_.n, p_.m);
  }
  const Real* at(Index i) const { return B_->data() + p_.b[static_cast<std::size_t>(i)]; }
  BatchedProduct p_;
  std::shared_ptr<const Vector> B_;
};

class RightProduct final : public LinearMap {
 public:
  RightProduct(BatchedProduct p, std::shared_ptr<const Vector> A) : p_(std::move(p)), A_(std::move(A)) {}
  Index rows() const override { return p_.c_size(); }
  Index cols() const override { return p_.b_size; }
  Real flops_per_column() const override {
    return 2 * static_cast<Real>(p_.c_size()) * static_cast<Real>(p_.k);
  }

 private:
  void do_apply(ConstColumns v, Columns out) const override {
    for (Index j = 0; j < v.cols(); ++j)
      for (Index i = 0; i < p_.count(); ++i)
        product(at(i), v.col(j).data() + p_.b[static_cast<std::size_t>(i)],
                out.col(j).data() + i * p_.m * p_.n, p_);
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override {
    out.setZero();
    for (Index j = 0; j < u.cols(); ++j)
      for (Index i = 0; i < p_.count(); ++i)
        Block(out.col(j).data() + p_.b[static_cast<std::size_t>(i)], p_.n, p_.k).noalias() +=
            ConstBlock(u.col(j).data() + i * p_.m * p_.n, p_.n, p_.m) *
            ConstBlock(at(i), p_.k, p_.m).transpose();
  }
  const Real* at(Index i) const { return A_->data() + p_.a[static_cast<std::size_t>(i)]; }
  BatchedProduct p_;
  std::shared_ptr<const Vector> A_;
};

class Softmax final : public LinearMap {
 public:
  Softmax(Vector p, Index count, Index inner, SoftmaxForm form)
      : p_(std::move(p)), count_(count), inner_(inner), form_(form) {}
  Index rows() const override { return p_.size(); }
  Index cols() const override { return p_.size(); }
  Real flops_per_column() const override { return 4 * static_cast<Real>(p_.size()); }

 private:
  void do_apply(ConstColumns v, Columns out) const override {
    each([&](Index start, auto line) {
      for (Index j = 0; j < v.cols(); ++j) {
        const auto p = line(p_.data() + start), in = line(v.col(j).data() + start);
        const Real mean = p.dot(in);
        auto to = line(out.col(j).data() + start);
        to = in.array() - mean;
        if (form_ == SoftmaxForm::plain) to.array() *= p.array();
      }
    });
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override {
    if (form_ == SoftmaxForm::plain) return do_apply(u, out);  // symmetric
    each([&](Index start, auto line) {
      for (Index j = 0; j < u.cols(); ++j) {
        const auto p = line(p_.data() + start), in = line(u.col(j).data() + start);
        auto to = line(out.col(j).data() + start);
        to = in - p * in.sum();
      }
    });
  }
  struct Line {
    Index count, inner;
    auto operator()(const Real* from) const {
      return Eigen::Map<const Vector, 0, Eigen::InnerStride<>>(from, count, Eigen::InnerStride<>(inner));
    }
    auto operator()(Real* from) const {
      return Eigen::Map<Vector, 0, Eigen::InnerStride<>>(from, count, Eigen::InnerStride<>(inner));
    }
  };
  template <class F>
  void each(F&& f) const {
    for (Index outer = 0; outer < p_.size(); outer += count_ * inner_)
      for (Index i = 0; i < inner_; ++i) f(outer + i, Line{count_, inner_});
  }
  Vector p_;
  Index count_, inner_;
  SoftmaxForm form_;
};

}  // namespace

Vector multiply(const BatchedProduct& p, const Vector& A, const Vector& B) {
  REZERO_REQUIRE(A.size() == p.a_size && B.size() == p.b_size && p.a.size() == p.b.size());
  Vector C(p.c_size());
  for (std::size_t i = 0; i < p.a.size(); ++i)
    product(A.data() + p.a[i], B.data() + p.b[i], C.data() + static_cast<Index>(i) * p.m * p.n, p);
  return C;
}

LinearMapPtr left_product_map(const BatchedProduct& p, std::shared_ptr<const Vector> B) {
  return std::make_shared<LeftProduct>(p, std::move(B));
}

LinearMapPtr right_product_map(const BatchedProduct& p, std::shared_ptr<const Vector> A) {
  return std::make_shared<RightProduct>(p, std::move(A));
}

LinearMapPtr softmax_map(Vector p, Index count, Index inner, SoftmaxForm form) {
  return std::make_shared<Softmax>(std::move(p), count, inner, form);
}

}  // namespace rezero::graph
