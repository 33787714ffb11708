#include "spectrum/top_direction.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <vector>

#include "rezero/random/sample.h"

namespace rezero::detail {
namespace {

constexpr std::size_t most_steps = 96;
constexpr std::size_t first_test = 8;    // then after twice as many steps each time
constexpr Real smallest_gap = 1e-3;      // σ_2 must lie this far below σ_1, relative
constexpr Real largest_residual = 1e-8;  // relative to σ_1

/// value · 2^-exponent of the mantissa's units, as a double.
Real in_units(const ScaledReal& value, std::int64_t exponent) {
  if (value.is_zero()) return 0;
  const auto shift = std::clamp<std::int64_t>(value.exponent - exponent, -2000, 2000);
  return std::ldexp(value.mantissa, static_cast<int>(shift));
}

/// Lanczos for the largest eigenvalue of AAᵀ, the basis orthogonalized in full.
class TopVector {
 public:
  TopVector(const Matrix& A, Real sigma) : A_(A), sigma_(sigma) {}

  std::optional<Vector> from(Vector start) {
    basis_.clear(), diagonal_.clear(), beside_.clear();
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
      const bool closed = norm <= 1e-14 * sigma_ * sigma_;  // the basis spans an invariant subspace
      if (closed || step == steps || step == test) {
        if (std::optional<Vector> u = ritz_vector()) return u;
        test *= 2;
      }
      if (closed) break;
      beside_.push_back(norm);
      start = std::move(next);
    }
    return std::nullopt;
  }

 private:
  /// The Ritz vector of the largest Ritz value, if it is the vector that belongs to σ_1.
  std::optional<Vector> ritz_vector() const {
    const auto k = static_cast<Index>(diagonal_.size());
    Eigen::SelfAdjointEigenSolver<Matrix> small;
    const Vector diagonal = Vector::Map(diagonal_.data(), k), beside = Vector::Map(beside_.data(), k - 1);
    small.computeFromTridiagonal(diagonal, beside);
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
  std::vector<Real> diagonal_, beside_;
};

}  // namespace

std::optional<Real> ones_overlap(const ScaledMatrix& J, const Spectrum& s, const StreamKey& start) {
  if (s.part != SpectrumPart::full || s.status == SpectrumStatus::breakdown || s.sigma.size() < 2)
    return std::nullopt;
  const Real first = in_units(s.sigma[0], J.exponent), second = in_units(s.sigma[1], J.exponent);
  const bool apart = first > 0 && std::isfinite(first) && second < (1 - smallest_gap) * first;
  if (!apart) return std::nullopt;
  const Index rows = J.mantissa.rows();
  const Vector ones = Vector::Constant(rows, 1 / std::sqrt(static_cast<Real>(rows)));
  TopVector top(J.mantissa, first);
  std::optional<Vector> u = top.from(ones);
  if (!u) u = top.from(normal_vector(rows, start));
  return u ? std::optional<Real>(std::min<Real>(1, std::abs(u->dot(ones)))) : std::nullopt;
}

}  // namespace rezero::detail
