#include "spectrum/product/ordered_qr.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "linalg/matrix_product.h"
#include "rezero/linalg/scaled_matrix.h"

namespace rezero::detail {
namespace {

using Indices = std::vector<Index>;

Index size_of(const Indices& list) {
  return static_cast<Index>(list.size());
}

Indices nonzero_rows(const Matrix& M) {
  std::vector<char> used(static_cast<std::size_t>(M.rows()), 0);
  for (Index j = 0; j < M.cols(); ++j)
    for (Index i = 0; i < M.rows(); ++i)
      if (M(i, j) != 0) used[static_cast<std::size_t>(i)] = 1;
  Indices rows;
  for (Index i = 0; i < M.rows(); ++i)
    if (used[static_cast<std::size_t>(i)] != 0) rows.push_back(i);
  return rows;
}

Indices nonzero_columns(const Matrix& M) {
  Indices cols;
  for (Index j = 0; j < M.cols(); ++j)
    if (!M.col(j).isZero(0)) cols.push_back(j);
  return cols;
}

/// The factorization of some columns of M, which has no zero row.
class GramSchmidt {
 public:
  GramSchmidt(const Matrix& M, const Indices& columns, Real noise, int workers)
      : M_(M),
        columns_(columns),
        noise_(noise),
        workers_(workers),
        limit_(std::min(M.rows(), size_of(columns))),
        row_norm_(M.rowwise().norm()),
        Q_(M.rows(), limit_) {
    qr_.R = Matrix::Zero(limit_, M.cols());
  }

  OrderedQr run() && {
    Index next = 0;
    for (; next < size_of(columns_) && rank_ < limit_; next += panel_width)
      add_panel(next, std::min(panel_width, size_of(columns_) - next));
    if (next < size_of(columns_)) express(next);
    qr_.Q = rank_ == limit_ ? std::move(Q_) : Matrix(Q_.leftCols(rank_));
    if (rank_ < limit_) qr_.R = Matrix(qr_.R.topRows(rank_));
    return std::move(qr_);
  }

 private:
  static constexpr Index panel_width = 64, strip_width = 8;

  /// Subtracts from P its components along directions first … last − 1 and adds them to C.
  void project(Index first, Index last, Columns P, Columns C) {
    if (first == last) return;
    const Index count = last - first;
    Matrix along(count, P.cols());
    multiply_transposed(Q_.middleCols(first, count), P, along, workers_);
    C += along;
    along = -along;
    add_product(Q_.middleCols(first, count), along, P, workers_);
  }

  void add_panel(Index first, Index count) {
    const Index before = rank_;
    Matrix P(M_.rows(), count), C = Matrix::Zero(before, count), T = Matrix::Zero(count, count);
    std::vector<int> exponent(static_cast<std::size_t>(count));  // of columns, whose squares may underflow
    for (Index j = 0; j < count; ++j) {
      int& e = exponent[static_cast<std::size_t>(j)];
      std::frexp(max_abs(M_.col(column(first + j))), &e);
      e = std::max(e, -1000);  // the inverse is finite
      P.col(j) = M_.col(column(first + j)) * std::ldexp(1.0, -e);
    }
    const Vector size = P.colwise().norm();
    project(0, before, P, C);
    bool cancelled = false;
    extend(before, 2, P, T, [&](Index j, Real left) {
      if (rank_ == limit_ || is_noise(P.col(j), left, size(j), exponent[static_cast<std::size_t>(j)]))
        return false;
      cancelled = cancelled || 10 * left < size(j);
      qr_.kept.push_back(column(first + j));
      return true;
    });
    const Index found = rank_ - before;
    if (cancelled && before > 0) clean(before, C, T.topRows(found));
    for (Index j = 0; j < count; ++j) {
      auto entries = qr_.R.col(column(first + j));
      entries.head(before) = C.col(j);
      entries.segment(before, found) = T.col(j).head(found);
      entries.head(rank_) *= std::ldexp(1.0, exponent[static_cast<std::size_t>(j)]);
    }
  }

  /// The columns of P, already orthogonal to the directions before `before`, are orthogonalized in turn
  /// against those since, `passes` times against earlier strips; T gets their coefficients. If
  /// is_direction(j, ‖v‖) accepts the remainder v of column j, it becomes the next direction.
  template <class IsDirection>
  void extend(Index before, int passes, Columns P, Columns T, const IsDirection& is_direction) {
    for (Index s = 0; s < P.cols(); s += strip_width) {
      const Index width = std::min(strip_width, P.cols() - s), strip = rank_;
      for (int pass = 0; pass < passes; ++pass)
        project(before, strip, P.middleCols(s, width), T.block(0, s, strip - before, width));
      for (Index j = s; j < s + width; ++j) {
        const Real left = reduce(P.col(j), T.col(j).segment(strip - before, rank_ - strip));
        if (!is_direction(j, left)) continue;
        T(rank_ - before, j) = left;
        Q_.col(rank_) = P.col(j) / left;
        ++rank_;
      }
    }
  }

  /// Subtracts from v its components along the latest directions, those of its strip, twice. Returns ‖v‖.
  Real reduce(Eigen::Ref<Vector> v, Eigen::Ref<Vector> coefficients) const {
    const Index count = coefficients.size();
    const auto q = Q_.middleCols(rank_ - count, count);
    for (int pass = 0; pass < 2 && count > 0; ++pass) {
      const Vector along = q.transpose() * v;
      coefficients += along;
      v.noalias() -= q * along;
    }
    return v.norm();
  }

  /// Of a remainder v · 2^exponent of a column of norm column_norm · 2^exponent; left = ‖v‖.
  bool is_noise(const Eigen::Ref<const Vector>& v, Real left, Real column_norm, int exponent) const {
    if (left <= noise_ * column_norm) return true;  // also of zero
    return left <= noise_ * std::ldexp(v.cwiseProduct(row_norm_).norm() / left, -exponent);
  }

  /// The second pass: the panel's directions W become W' with W = Q_before C₂ + W' T₂, and the coefficients
  /// C, T of its columns become C + C₂ T, T₂ T.
  void clean(Index before, Columns C, Columns T) {
    const Index found = rank_ - before;
    Matrix W = Q_.middleCols(before, found), C2 = Matrix::Zero(before, found),
           T2 = Matrix::Zero(found, found);
    project(0, before, W, C2);
    rank_ = before;
    extend(before, 1, W, T2, [](Index, Real) { return true; });
    C += C2 * T;
    T = (T2.triangularView<Eigen::Upper>() * T).eval();
  }

  /// The columns that follow the last possible direction.
  void express(Index first) {
    const Index count = size_of(columns_) - first;
    Matrix rest(M_.rows(), count), along(limit_, count);
    for (Index j = 0; j < count; ++j) rest.col(j) = M_.col(column(first + j));
    multiply_transposed(Q_, rest, along, workers_);
    for (Index j = 0; j < count; ++j) qr_.R.col(column(first + j)) = along.col(j);
  }

  Index column(Index i) const { return columns_[static_cast<std::size_t>(i)]; }

  const Matrix& M_;
  const Indices& columns_;
  Real noise_;
  int workers_;
  Index limit_, rank_ = 0;
  Vector row_norm_;
  Matrix Q_;  // the directions
  OrderedQr qr_;
};

}  // namespace

OrderedQr ordered_qr(const Matrix& M, Real noise, int workers) {
  const Indices rows = nonzero_rows(M), columns = nonzero_columns(M);
  if (size_of(rows) == M.rows()) return GramSchmidt(M, columns, noise, workers).run();
  const Matrix used = M(rows, Eigen::all);
  OrderedQr qr = GramSchmidt(used, columns, noise, workers).run();
  Matrix Q = Matrix::Zero(M.rows(), qr.Q.cols());
  Q(rows, Eigen::all) = qr.Q;
  qr.Q.swap(Q);
  return qr;
}

Real triangle_condition(const Matrix& R) {
  const Index r = R.rows();
  if (r == 0) return 1;
  const auto triangle = R.triangularView<Eigen::Upper>();
  constexpr int steps = 3;  // each step squares the weight of the smallest value relative to the others
  Vector v(r);
  for (Index i = 0; i < r; ++i)
    v(i) = (i % 2 == 0 ? 1 : -1) * (1 + static_cast<Real>(i) / static_cast<Real>(r));
  Real inverse = 0;
  for (int step = 0; step < steps; ++step) {
    v.normalize();
    triangle.transpose().solveInPlace(v);  // R⁻ᵀ v
    inverse = v.norm();
    if (!std::isfinite(inverse) || inverse == 0) return std::numeric_limits<Real>::infinity();
    v /= inverse;
    triangle.solveInPlace(v);  // R⁻¹ R⁻ᵀ v
  }
  return Matrix(triangle).norm() * std::max(inverse, v.norm());
}

}  // namespace rezero::detail
