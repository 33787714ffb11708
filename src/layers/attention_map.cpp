#include "attention_map.h"

namespace rezero {
namespace {

using Slice = Eigen::Block<Matrix>;
using ConstSlice = Eigen::Block<const Matrix>;

/// Tangents of a rows × positions quantity for k columns, seen as rows × (positions · k): column c·positions
/// + t.
class Bundle {
 public:
  Bundle(Index rows, Index positions, Index k) : data(rows, positions * k), tall_(rows * positions) {}
  /// As the (rows · positions) × k block that maps take.
  Eigen::Map<Matrix> columns() { return {data.data(), tall_, data.size() / tall_}; }
  Matrix data;

 private:
  Index tall_;
};

class AttentionMap final : public LinearMap {
 public:
  explicit AttentionMap(AttentionMapParts parts) : p_(std::move(parts)) {}
  Index rows() const override { return p_.query_rows * p_.positions; }
  Index cols() const override { return p_.features * p_.positions; }
  Real flops_per_column() const override {
    const Real core = 8 * static_cast<Real>(p_.query_rows) * static_cast<Real>(p_.positions * p_.length);
    return p_.query->flops_per_column() + p_.key->flops_per_column() + p_.value->flops_per_column() + core;
  }

 private:
  void do_apply(ConstColumns v, Columns out) const override {
    const Index k = v.cols();
    Bundle dQ(p_.query_rows, p_.positions, k), dK(p_.key_rows, p_.positions, k),
        dV(p_.key_rows, p_.positions, k);
    p_.query->apply(v, dQ.columns());
    p_.key->apply(v, dK.columns());
    p_.value->apply(v, dV.columns());
    Bundle dA(p_.query_rows, p_.positions, k);
    for (const AttentionHead& head : p_.heads) push_head(head, dQ.data, dK.data, dV.data, dA.data, k);
    out = dA.columns();
  }

  void do_apply_transpose(ConstColumns u, Columns out) const override {
    const Index k = u.cols();
    Bundle dA(p_.query_rows, p_.positions, k);
    dA.columns() = u;
    Bundle dQ(p_.query_rows, p_.positions, k), dK(p_.key_rows, p_.positions, k),
        dV(p_.key_rows, p_.positions, k);
    dK.data.setZero(), dV.data.setZero();  // heads that share keys add up
    for (const AttentionHead& head : p_.heads) pull_head(head, dA.data, dQ.data, dK.data, dV.data, k);
    Matrix part(cols(), k);
    p_.query->apply_transpose(dQ.columns(), out);
    p_.key->apply_transpose(dK.columns(), part);
    out += part;
    p_.value->apply_transpose(dV.columns(), part);
    out += part;
  }

  ConstSlice slice(const Matrix& X, Index row, const AttentionHead& head) const {
    return X.block(row, head.first, p_.head_width, p_.length);
  }
  Slice slice(Matrix& X, Index row, const AttentionHead& head, Index c) const {
    return X.block(row, c * p_.positions + head.first, p_.head_width, p_.length);
  }
  ConstSlice slice(const Matrix& X, Index row, const AttentionHead& head, Index c) const {
    return X.block(row, c * p_.positions + head.first, p_.head_width, p_.length);
  }

  /// dP = P ⊙ (dS − 1 colsum(P ⊙ dS)) in place; S and P have one column a query. Eight partial sums in a
  /// fixed order: one running sum would cost as much as the matrix products.
  static void through_softmax(const Matrix& P, Eigen::Ref<Matrix> dS) {
    constexpr Index lanes = 8;
    const Index length = P.rows();
    for (Index i = 0; i < P.cols(); ++i) {
      const Real* p = P.data() + i * length;
      Real* s = dS.data() + i * dS.outerStride();
      Real partial[lanes] = {};
      Index j = 0;
      for (; j + lanes <= length; j += lanes)
        for (Index k = 0; k < lanes; ++k) partial[k] += p[j + k] * s[j + k];
      for (; j < length; ++j) partial[0] += p[j] * s[j];
      Real mean = 0;
      for (Real part : partial) mean += part;
      for (j = 0; j < length; ++j) s[j] = p[j] * (s[j] - mean);
    }
  }

  /// dA_h = dV Pᵀ… with P stored by query: A = V P, so dA = dV P + V dP.
  void push_head(const AttentionHead& head, const Matrix& dQ, const Matrix& dK, const Matrix& dV, Matrix& dA,
                 Index k) const {
    const auto Q = slice(p_.Q, head.query_row, head), K = slice(p_.K, head.key_row, head),
               V = slice(p_.V, head.key_row, head);
    const bool one_run = p_.length == p_.positions;  // then all columns' tangents stand side by side
    Matrix dS(p_.length, p_.length * k), QdK(p_.length, p_.length * k);
    if (one_run) {
      dS.noalias() = K.transpose() * dQ.middleRows(head.query_row, p_.head_width);
      QdK.noalias() = Q.transpose() * dK.middleRows(head.key_row, p_.head_width);
    }
    for (Index c = 0; c < k; ++c) {
      auto dS_c = dS.middleCols(c * p_.length, p_.length);
      auto QdK_c = QdK.middleCols(c * p_.length, p_.length);
      if (!one_run) {
        dS_c.noalias() = K.transpose() * slice(dQ, head.query_row, head, c);
        QdK_c.noalias() = Q.transpose() * slice(dK, head.key_row, head, c);
      }
      dS_c = (dS_c + QdK_c.transpose()).eval() * p_.scale;
      through_softmax(head.P, dS_c);
      auto dA_c = slice(dA, head.query_row, head, c);
      dA_c.noalias() = slice(dV, head.key_row, head, c) * head.P;
      if (!one_run) dA_c.noalias() += V * dS_c;
    }
    if (one_run) dA.middleRows(head.query_row, p_.head_width).noalias() += V * dS;
  }

  /// The transpose of push_head, step by step.
  void pull_head(const AttentionHead& head, const Matrix& dA, Matrix& dQ, Matrix& dK, Matrix& dV,
                 Index k) const {
    const auto Q = slice(p_.Q, head.query_row, head), K = slice(p_.K, head.key_row, head),
               V = slice(p_.V, head.key_row, head);
    Matrix dS(p_.length, p_.length);
    for (Index c = 0; c < k; ++c) {
      const auto dA_c = slice(dA, head.query_row, head, c);
      slice(dV, head.key_row, head, c).noalias() += dA_c * head.P.transpose();
      dS.noalias() = V.transpose() * dA_c;
      through_softmax(head.P, dS);
      dS *= p_.scale;
      slice(dQ, head.query_row, head, c).noalias() = K * dS;
      slice(dK, head.key_row, head, c).noalias() += Q * dS.transpose();
    }
  }

  AttentionMapParts p_;
};

}  // namespace

LinearMapPtr attention_map(AttentionMapParts parts) {
  return std::make_shared<AttentionMap>(std::move(parts));
}

}  // namespace rezero
