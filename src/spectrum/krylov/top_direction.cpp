#include "spectrum/krylov/top_direction.h"

#include <Eigen/Eigenvalues>
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
    const auto k = static_cast<Index>(diagonal_.size());
    Eigen::SelfAdjointEigenSolver<Matrix> small;
    const Vector diagonal = Vector::Map(diagonal_.data(), k);
    const Vector off_diagonal = Vector::Map(off_diagonal_.data(), k - 1);
    small.computeFromTridiagonal(diagonal, off_diagonal);
    if (small.info() != Eigen::Success) return std::nullopt;
    Vector u = Vector::Zero(A_.rows());
    for (Index i = 0; i < k; ++i) u += small.eigenvectors()(i, k - 1) * basis_[static_cast<std::size_t>(i)];
    u.normalize();
    Vector v = A_.transpose() * u;
    const Real norm = v.norm();
    if (!(norm > 0)) return std::nullopt;
    v /= norm;
    const Real residual = (A_ * v - sigma_ * u).norm();
    return residual <= largest_residual * sigma_ ? std::optional<Vector>(std::move(u)) : std::nullopt;
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
