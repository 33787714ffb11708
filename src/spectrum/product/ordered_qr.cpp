#include "spectrum/product/ordered_qr.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "linalg/matrix_product.h"
#include "rezero/linalg/scaled_matrix.h"
#include "rezero/parallel/for_each.h"
#include "spectrum/product/panel.h"

namespace rezero::detail {
namespace {

using Indices = std::vector<Index>;

Index size_of(const Indices& list) {
  return static_cast<Index>(list.size());
}

/// The norms of M's rows, and the rows that are not zero.
struct Rows {
  Vector norm;
  Indices nonzero;

  Rows(const Matrix& M, int workers) : norm(M.rows()) {
    constexpr Index run_length = 64;
    std::vector<char> used(static_cast<std::size_t>(M.rows()));
    for_each_index((M.rows() + run_length - 1) / run_length, workers, [&](Index run) {
      const Index first = run * run_length, count = std::min(run_length, M.rows() - first);
      Vector square = Vector::Zero(count), largest = Vector::Zero(count);
      for (Index j = 0; j < M.cols(); ++j) {
        const auto part = M.col(j).segment(first, count);
        square += part.cwiseAbs2();
        largest = largest.cwiseMax(part.cwiseAbs());
      }
      norm.segment(first, count) = square.cwiseSqrt();
      for (Index i = 0; i < count; ++i) used[static_cast<std::size_t>(first + i)] = largest(i) != 0;
    });
    for (Index i = 0; i < M.rows(); ++i)
      if (used[static_cast<std::size_t>(i)] != 0) nonzero.push_back(i);
  }
};

/// The factorization of the columns of M in an order; M has no zero row.
class GramSchmidt {
 public:
  GramSchmidt(const Matrix& M, const Indices& order, Vector row_norm, Real noise, int workers)
      : M_(M),
        order_(order),
        columns_(nonzero_columns(M, order)),
        noise_(noise),
        workers_(workers),
        limit_(std::min(M.rows(), size_of(columns_))),
        row_norm_(std::move(row_norm)),
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

  /// Some columns of M, their norms, and their components along the directions found before them; a column is
  /// kept in units of 2^exponent, because its squares may underflow.
  struct Panel {
    Matrix P, C;
    Vector size;
    std::vector<int> exponent;

    Real unit(Index j) const { return std::ldexp(1.0, exponent[static_cast<std::size_t>(j)]); }
  };

  static Indices nonzero_columns(const Matrix& M, const Indices& order) {
    Indices columns;
    for (Index j = 0; j < M.cols(); ++j)
      if (!M.col(order[static_cast<std::size_t>(j)]).isZero(0)) columns.push_back(j);
    return columns;
  }

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

  Panel take(Index first, Index count) const {
    constexpr Real smallest = 1e-100, largest = 1e100;  // of a norm; the squares are normal numbers
    Panel panel{Matrix(M_.rows(), count), Matrix::Zero(rank_, count), Vector(count),
                std::vector<int>(static_cast<std::size_t>(count))};
    for (Index j = 0; j < count; ++j) {
      const auto from = source(first + j);
      Real norm = from.norm(), unit = 1;
      if (!(norm > smallest && norm < largest)) {
        int& e = panel.exponent[static_cast<std::size_t>(j)];
        std::frexp(max_abs(from), &e);
        e = std::max(e, -1000);  // the inverse is finite
        unit = std::ldexp(1.0, -e);
        norm = (from * unit).norm();
      }
      panel.P.col(j) = from * unit;
      panel.size(j) = norm;
    }
    return panel;
  }

  void add_panel(Index first, Index count) {
    const Index before = rank_;
    Panel panel = take(first, count);
    project(0, before, panel.P, panel.C);
    std::optional<Matrix> T;
    if (before + count <= limit_) T = add_at_once(panel);
    if (T)
      for (Index j = 0; j < count; ++j) qr_.kept.push_back(column(first + j));
    else
      T = add_one_by_one(panel, first);
    const Index found = rank_ - before;
    for (Index j = 0; j < count; ++j) {
      auto entries = qr_.R.col(column(first + j));
      entries.head(before) = panel.C.col(j);
      entries.segment(before, found) = T->col(j).head(found);
      entries.head(rank_) *= panel.unit(j);
    }
  }

  static bool is_cancelled(Real left, Real size) { return 10 * left < size; }

  /// All columns become directions if Cholesky's factorization finds them independent, in two passes. Returns
  /// their coefficients, or nothing, and then only a look at each column can tell.
  std::optional<Matrix> add_at_once(Panel& panel) {
    std::optional<Matrix> R = gram_triangle(panel.P, workers_);
    if (!R) return {};
    const Vector left = R->diagonal();
    Matrix W = panel.P;
    divide_by_triangle(W, *R, workers_);
    bool cancelled = false;
    for (Index j = 0; j < W.cols(); ++j) {
      if (left(j) <= noise_ * panel.size(j)) return {};
      if (left(j) * panel.unit(j) <= noise_ * W.col(j).cwiseProduct(row_norm_).norm()) return {};
      cancelled = cancelled || is_cancelled(left(j), panel.size(j));
    }
    const Index before = rank_;
    if (cancelled || is_ill_conditioned(*R)) {
      Matrix again = Matrix::Zero(before, W.cols());
      if (cancelled) project(0, before, W, again);
      const std::optional<Matrix> R2 = gram_triangle(W, workers_);
      if (!R2) return {};
      divide_by_triangle(W, *R2, workers_);
      if (cancelled && before > 0) add_product(again, *R, panel.C, workers_);
      R = Matrix(R2->triangularView<Eigen::Upper>() * *R);
    }
    Q_.middleCols(before, W.cols()) = W;
    rank_ += W.cols();
    return R;
  }

  /// Whether one pass may lose more than a digit of orthogonality to the squares in Cholesky's factorization.
  static bool is_ill_conditioned(const Matrix& R) {
    constexpr Real well = 0.25;
    for (Index j = 0; j < R.cols(); ++j)
      if (R(j, j) < well * R.col(j).norm()) return true;
    return false;
  }

  /// Finds the directions among the panel's columns one after another.
  Matrix add_one_by_one(Panel& panel, Index first) {
    const Index before = rank_, count = panel.P.cols();
    Matrix T = Matrix::Zero(count, count);
    bool cancelled = false;
    extend(before, 2, panel.P, T, [&](Index j, Real left) {
      if (rank_ == limit_ || is_noise(panel.P.col(j), left, panel.size(j), panel.unit(j))) return false;
      cancelled = cancelled || is_cancelled(left, panel.size(j));
      qr_.kept.push_back(column(first + j));
      return true;
    });
    if (cancelled && before > 0) clean(before, panel.C, T.topRows(rank_ - before));
    return T;
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

  /// Of a remainder v · unit of a column of norm column_norm · unit; left = ‖v‖.
  bool is_noise(const Eigen::Ref<const Vector>& v, Real left, Real column_norm, Real unit) const {
    if (left <= noise_ * column_norm) return true;  // also of zero
    return left * unit <= noise_ * v.cwiseProduct(row_norm_).norm() / left;
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
    for (Index j = 0; j < count; ++j) rest.col(j) = source(first + j);
    multiply_transposed(Q_, rest, along, workers_);
    for (Index j = 0; j < count; ++j) qr_.R.col(column(first + j)) = along.col(j);
  }

  Index column(Index i) const { return columns_[static_cast<std::size_t>(i)]; }
  Matrix::ConstColXpr source(Index i) const { return M_.col(order_[static_cast<std::size_t>(column(i))]); }

  const Matrix& M_;
  const Indices& order_;
  Indices columns_;  // those that are not zero, as positions in the order
  Real noise_;
  int workers_;
  Index limit_, rank_ = 0;
  Vector row_norm_;
  Matrix Q_;  // the directions
  OrderedQr qr_;
};

}  // namespace

OrderedQr ordered_qr(const Matrix& M, const std::vector<Index>& order, Real noise, int workers) {
  Rows rows(M, workers);
  if (size_of(rows.nonzero) == M.rows())
    return GramSchmidt(M, order, std::move(rows.norm), noise, workers).run();
  const Matrix used = M(rows.nonzero, Eigen::all);
  OrderedQr qr = GramSchmidt(used, order, rows.norm(rows.nonzero), noise, workers).run();
  Matrix Q = Matrix::Zero(M.rows(), qr.Q.cols());
  Q(rows.nonzero, Eigen::all) = qr.Q;
  qr.Q.swap(Q);
  return qr;
}

OrderedQr ordered_qr(const Matrix& M, Real noise, int workers) {
  Indices order(static_cast<std::size_t>(M.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  return ordered_qr(M, order, noise, workers);
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
