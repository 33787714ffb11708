#include "spectrum/certificate/determinant.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "linalg/matrix_product.h"
#include "rezero/parallel/for_each.h"

namespace rezero::detail {
namespace {

/// Right-looking LU with partial pivoting that keeps only U, which the determinant needs. Rows of L stay
/// where they were when their panel was factored.
class Lu {
 public:
  explicit Lu(ConstColumns A) : n_(A.cols()), pivots_(static_cast<std::size_t>(n_)) {
    // Avoids a stride that is a power of two, with which the columns of a panel would collide in the cache.
    A_.resize(n_ % 64 == 0 ? n_ + 8 : n_, n_);
    A_.topRows(n_) = A;
  }

  void factor(int workers) {
    factor_panel(0);
    for (Index k = 0; k + panel < n_; k += panel) {
      const Index next = k + panel, beyond = std::min(next + panel, n_),
                  tiles = (n_ - beyond + tile - 1) / tile;
      for_each_index(1 + tiles, workers, [&](Index i) {
        if (i == 0) {
          update(k, next, beyond);
          factor_panel(next);
        } else {
          const Index first = beyond + (i - 1) * tile;
          update(k, first, std::min(first + tile, n_));
        }
      });
    }
  }

  LogDeterminant determinant(Real largest) const {
    Real top = 0;
    for (Index j = 0; j < n_; ++j) top = std::max(top, A_.col(j).head(j + 1).cwiseAbs().maxCoeff());
    const Real value = A_.diagonal().array().abs().log().sum();
    constexpr Real infinity = std::numeric_limits<Real>::infinity();
    if (std::isnan(value) || value == infinity) return {value, infinity};  // it overflowed: inconclusive
    return {value, std::max(1.0, top / largest)};
  }

 private:
  static constexpr Index panel = 48, tile = 96, leaf = 8;

  auto unit_lower(Index k, Index count) const {
    return A_.block(k, k, count, count).template triangularView<Eigen::UnitLower>();
  }

  /// Applies the row exchanges of columns k … k + count − 1 to columns first … end − 1.
  void exchange(Index k, Index count, Index first, Index end) {
    for (Index j = first; j < end; ++j)
      for (Index i = k; i < k + count; ++i) std::swap(A_(i, j), A_(pivots_[static_cast<std::size_t>(i)], j));
  }

  /// Columns first … end − 1 with exchanged rows: U on top, the part still to be factored below.
  void eliminate(Index k, Index count, Index first, Index end) {
    auto U = A_.block(k, first, count, end - first);
    unit_lower(k, count).solveInPlace(U);
    const Matrix minus = -U;
    const Index below = k + count;
    add_product(A_.block(below, k, n_ - below, count), minus,
                A_.block(below, first, n_ - below, end - first));
  }

  void update(Index k, Index first, Index end) {
    exchange(k, panel, first, end);
    eliminate(k, panel, first, end);
  }

  void factor_panel(Index k) { factor_columns(k, std::min(k + panel, n_)); }

  /// Columns k … end − 1 of a panel, from the diagonal down.
  void factor_columns(Index k, Index end) {
    if (end - k <= leaf) return factor_leaf(k, end);
    const Index cut = k + std::max<Index>((end - k) / (2 * leaf), 1) * leaf;
    factor_columns(k, cut);
    exchange(k, cut - k, cut, end);
    eliminate(k, cut - k, cut, end);
    factor_columns(cut, end);
    exchange(cut, end - cut, k, cut);
  }

  void factor_leaf(Index first, Index end) {
    for (Index k = first; k < end; ++k) {
      Index pivot = 0;
      A_.col(k).segment(k, n_ - k).cwiseAbs().maxCoeff(&pivot);
      pivots_[static_cast<std::size_t>(k)] = k + pivot;
      exchange(k, 1, first, end);
      if (A_(k, k) == 0) continue;  // and so are all entries below
      auto below = A_.col(k).segment(k + 1, n_ - k - 1);
      below /= A_(k, k);
      for (Index j = k + 1; j < end; ++j) A_.col(j).segment(k + 1, n_ - k - 1) -= A_(k, j) * below;
    }
  }

  Matrix A_;
  Index n_;
  std::vector<Index> pivots_;  ///< the row with which row i was exchanged
};

}  // namespace

LogDeterminant log_determinant(ConstColumns A, Real largest, int workers) {
  if (A.rows() == A.cols()) {
    Lu lu(A);
    lu.factor(workers);
    return lu.determinant(largest);
  }
  Matrix copy;
  if (A.cols() > A.rows())
    copy = A.transpose();
  else
    copy = A;
  const Eigen::HouseholderQR<Eigen::Ref<Matrix>> qr(copy);  // in place
  return {qr.matrixQR().diagonal().array().abs().log().sum(), 1};
}

}  // namespace rezero::detail
