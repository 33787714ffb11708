#include "spectrum/krylov/top_direction.h"

#include <algorithm>
#include <vector>

namespace rezero::detail {
namespace {

constexpr std::size_t most_steps = 96;
constexpr std::size_t first_test = 8;    // then after twice as many steps each time
constexpr Real largest_residual = 1e-8;  // relative to σ
constexpr Real invariant = 1e-14;        // a next vector this short, relative to σ², completes the basis

/// Lanczos for the largest eigenvalue of AAᵀ, with full orthogonalization.
class Lanczos {
 public:
  Lanczos(const Matrix& A, Real sigma) : A_(A), sigma_(sigma) {}

  std::optional<Vector> from(Vector start) {
    const std::size_t steps = std::min(most_steps, static_cast<std::size_t>(A_.rows()));
    std::size_t test = first_test;
    Real norm = start.norm();
    for (std::size_t step = 1; step <= steps; ++step) {
      basis_.push_back(start / norm);
      Vector next = A_ * (A_.transpose() * basis_.back());
      diagonal_.push_back(basis_.back().dot(next));
      for (int pass = 0; pass < 2; ++pass)
        for (const Vector& q : basis_) next -= q.dot(next) * q;
      norm = next.norm();
      const bool closed = norm <= invariant * sigma_ * sigma_;
      if (closed || step == steps || step == test) {
        if (std::optional<Vector> u = ritz_vector()) return u;
        test *= 2;
      }
      if (closed) break;
      off_diagonal_.push_back(norm);
      start = std::move(next);
    }
    return std::nullopt;
  }

 private:
  /// The Ritz vector of the largest Ritz value, if its residual is small.
  std::optional<Vector> ritz_vector() const {
    const std::optional<std::vector<Real>> y = top_of_tridiagonal();
    if (!y) return std::nullopt;
    Vector u = Vector::Zero(A_.rows());
    for (std::size_t i = 0; i < y->size(); ++i) u += (*y)[i] * basis_[i];
    u.normalize();
    Vector v = A_.transpose() * u;
    const Real norm = v.norm();
    if (!(norm > 0)) return std::nullopt;
    v /= norm;
    const Real residual = (A_ * v - sigma_ * u).norm();
    return residual <= largest_residual * sigma_ ? std::optional<Vector>(std::move(u)) : std::nullopt;
  }

  /// The top eigenvector of the tridiagonal matrix T by inverse iteration with a shift above its top
  /// eigenvalue. That is σ² or less, up to the errors of σ and A, which may come from different methods; the
  /// shift rises until the shifted matrix is definite, which shows that it is above. No pivot is needed then,
  /// and off-diagonals are positive, so the vector is, and has a part along the start. With the next value a
  /// thousandth below, an iteration reduces what remains of it by 1e-4 or more. Cost 8k. Nothing if T has a
  /// larger value than the residual allows.
  std::optional<std::vector<Real>> top_of_tridiagonal() const {
    constexpr int iterations = 3;
    std::vector<Real> pivot;
    for (const Real above : {1e-13, 1e-11, 1e-9, 1e-7}) {
      if (pivot = pivots(sigma_ * sigma_ * (1 + above)); !pivot.empty()) break;
    }
    if (pivot.empty()) return std::nullopt;
    const std::size_t k = pivot.size();
    std::vector<Real> y(k, 1);
    for (int iteration = 0; iteration < iterations; ++iteration) {
      for (std::size_t i = 1; i < k; ++i) y[i] += off_diagonal_[i - 1] / pivot[i - 1] * y[i - 1];
      y[k - 1] /= pivot[k - 1];
      for (std::size_t i = k - 1; i-- > 0;) y[i] = (y[i] + off_diagonal_[i] * y[i + 1]) / pivot[i];
      const Real size = *std::max_element(y.begin(), y.end());
      for (Real& entry : y) entry /= size;
    }
    return y;
  }

  /// Those of shift · I − T, which are positive if it is definite; otherwise nothing.
  std::vector<Real> pivots(Real shift) const {
    std::vector<Real> pivot(diagonal_.size());
    for (std::size_t i = 0; i < pivot.size(); ++i) {
      pivot[i] = shift - diagonal_[i];
      if (i > 0) pivot[i] -= off_diagonal_[i - 1] / pivot[i - 1] * off_diagonal_[i - 1];
      if (!(pivot[i] > 0)) return {};
    }
    return pivot;
  }

  const Matrix& A_;
  Real sigma_;
  std::vector<Vector> basis_;
  std::vector<Real> diagonal_, off_diagonal_;
};

}  // namespace

std::optional<Vector> top_direction(const Matrix& A, Real sigma, const Vector& start) {
  return Lanczos(A, sigma).from(start);
}

}  // namespace rezero::detail
