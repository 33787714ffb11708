#include "spectrum/krylov/golub_kahan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rezero/parallel/parts.h"
#include "rezero/random/sample.h"
#include "spectrum/krylov/small_svd.h"

namespace rezero::detail {
namespace {

constexpr Real eps = std::numeric_limits<Real>::epsilon();
/// A residual that no longer decreases is accepted below this (relative). It is published with the values.
constexpr Real stagnant_limit = 1e-8;

/// w ← (I − QQᵀ) w, in runs of rows.
void project_out(const Eigen::Ref<const Matrix>& Q, Vector& w) {
  if (Q.cols() == 0) return;
  constexpr Index least = 4096;
  const Index size = Q.rows(), parts = part_count(size, least);
  const auto run = [&](Index i) {
    const Index start = part_start(size, parts, i);
    return std::pair(start, part_start(size, parts, i + 1) - start);
  };
  Matrix overlaps(Q.cols(), parts);
  for_each_part(parts, [&](Index i) {
    const auto [start, length] = run(i);
    overlaps.col(i).noalias() = Q.middleRows(start, length).transpose() * w.segment(start, length);
  });
  const Vector overlap = overlaps.rowwise().sum();
  for_each_part(parts, [&](Index i) {
    const auto [start, length] = run(i);
    w.segment(start, length).noalias() -= Q.middleRows(start, length) * overlap;
  });
}

/// Twice is enough (Kahan; Parlett, The Symmetric Eigenvalue Problem, section 6.9).
void orthogonalize(const Matrix& basis, Index used, const Matrix& locked, Vector& w) {
  for (int pass = 0; pass < 2; ++pass) {
    project_out(locked, w);
    project_out(basis.leftCols(used), w);
  }
}

void append(Matrix& columns, const Matrix& more) {
  const Index old = columns.cols();
  columns.conservativeResize(more.rows(), old + more.cols());
  columns.rightCols(more.cols()) = more;
}

Matrix chosen(const Matrix& columns, const std::vector<Index>& which) {
  Matrix out(columns.rows(), static_cast<Index>(which.size()));
  for (Index i = 0; i < out.cols(); ++i) out.col(i) = columns.col(which[static_cast<std::size_t>(i)]);
  return out;
}

}  // namespace

/// SVD of B: B = P diag(sigma) Qᵀ with the wanted end first, and ‖Aᵀu − σv‖ of each Ritz triplet (‖Av − σu‖
/// is only rounding).
struct GolubKahan::Ritz {
  Matrix P, Q;
  Vector sigma, residual;
};

GolubKahan::GolubKahan(const LinearMap& A, const StreamKey& key, const GolubKahanOptions& options)
    : A_(A), key_(key), options_(options), locked_left_(A.rows(), 0), locked_right_(A.cols(), 0) {}

Index GolubKahan::room() const {
  return A_.cols() - locked_right_.cols();
}

Vector GolubKahan::fresh(const Matrix& basis, Index used, const Matrix& locked) {
  for (;;) {
    Vector w = normal_vector(basis.rows(), key_);
    ++key_.block;
    w.normalize();
    orthogonalize(basis, used, locked, w);
    // A random direction keeps √(remaining share of the dimensions) of its length; less is cancellation.
    if (const Real norm = w.norm(); norm > 1e-6) {
      w /= norm;
      orthogonalize(basis, used, locked, w);
      return w.normalized();
    }
  }
}

void GolubKahan::begin() {
  const Index m = std::min(options_.basis, room());
  U_.resize(A_.rows(), m), V_.resize(A_.cols(), m + 1);
  B_.setZero(m, m);
  size_ = 0, coupling_ = 0, exhausted_ = false;
  V_.col(0) = fresh(V_, 0, locked_right_);
}

void GolubKahan::extend() {
  const Index j = size_++;
  const Real nothing = 4 * eps * std::sqrt(static_cast<Real>(A_.cols()));
  Vector u(A_.rows()), w(A_.cols());
  A_.apply(V_.col(j), u);
  scale_ = std::max(scale_, u.norm());
  orthogonalize(U_, j, locked_left_, u);
  const Real alpha = u.norm();
  B_(j, j) = alpha > nothing * scale_ ? alpha : 0;
  U_.col(j) = B_(j, j) > 0 ? Vector(u / alpha) : fresh(U_, j, locked_left_);

  A_.apply_transpose(U_.col(j), w);
  products_ += 2;
  scale_ = std::max(scale_, w.norm());
  orthogonalize(V_, j + 1, locked_right_, w);
  const Real beta = w.norm();
  exhausted_ = j + 1 == room();
  coupling_ = beta > nothing * scale_ && !exhausted_ ? beta : 0;
  if (exhausted_) return;
  V_.col(j + 1) = coupling_ > 0 ? Vector(w / beta) : fresh(V_, j + 1, locked_right_);
  if (j + 1 < B_.cols()) B_(j, j + 1) = coupling_;
}

GolubKahan::Ritz GolubKahan::ritz(SpectrumEnd end) const {
  SmallSvd svd = small_svd(B_.topLeftCorner(size_, size_));
  Ritz found{std::move(svd.left), std::move(svd.right), std::move(svd.sigma), {}};
  if (end == SpectrumEnd::smallest) {
    found.P = found.P.rowwise().reverse().eval(), found.Q = found.Q.rowwise().reverse().eval();
    found.sigma.reverseInPlace();
  }
  found.residual = coupling_ * found.P.row(size_ - 1).transpose().cwiseAbs();
  return found;
}

void GolubKahan::restart(const Ritz& ritz, Index kept) {
  const Matrix left = U_.leftCols(size_) * ritz.P.leftCols(kept);
  const Matrix right = V_.leftCols(size_) * ritz.Q.leftCols(kept);
  const Vector next = V_.col(size_);
  U_.leftCols(kept) = left, V_.leftCols(kept) = right, V_.col(kept) = next;
  B_.setZero();
  B_.diagonal().head(kept) = ritz.sigma.head(kept);
  B_.col(kept).head(kept) = coupling_ * ritz.P.row(size_ - 1).head(kept).transpose();
  size_ = kept;
}

void GolubKahan::lock(const Matrix& left, const Vector& sigma, const Matrix& right) {
  append(locked_left_, left), append(locked_right_, right);
  values_.insert(values_.end(), sigma.begin(), sigma.end());
  if (sigma.size() > 0) scale_ = std::max(scale_, sigma.maxCoeff());
}

void GolubKahan::lock(const Ritz& ritz, Index count) {
  lock(U_.leftCols(size_) * ritz.P.leftCols(count), ritz.sigma.head(count),
       V_.leftCols(size_) * ritz.Q.leftCols(count));
}

/// Maximum distance of values that count as equal.
Real GolubKahan::slack() const {
  return 2 * options_.tolerance * scale_;
}

/// With a limit: whether the outermost Ritz value may still move beyond it, judging by its residual. A value
/// that is already beyond must converge, like any that is to be locked. A residual is small only in relation
/// to the spread of the values: for a J near I, all vectors have small residuals.
bool GolubKahan::undecided(const Ritz& ritz, Index count, SpectrumEnd end, Real limit) const {
  const Real worst = ritz.residual.head(count).maxCoeff(), allowed = options_.tolerance * scale_;
  if (worst <= allowed) return false;
  const Real inside = end == SpectrumEnd::largest ? limit - ritz.sigma[0] : ritz.sigma[0] - limit;
  const Real spread = ritz.sigma.maxCoeff() - ritz.sigma.minCoeff();
  return !(worst <= inside && worst <= 1e-4 * spread);
}

EndSearch GolubKahan::search(Index count, SpectrumEnd end, const Real* limit, Ritz& found) {
  begin();
  const Index m = B_.cols(), first = products_;
  const Index kept = std::min(count + (m - count) / 3, m - 1);
  EndSearch result;
  Real best = std::numeric_limits<Real>::infinity();
  int stagnant = 0;
  for (Index test = std::min(m, std::max<Index>(count + 2, 10));;) {
    while (size_ < test && !exhausted_) extend();
    found = ritz(end);
    scale_ = std::max(scale_, found.sigma.maxCoeff());
    const Real worst = found.residual.head(count).maxCoeff();
    result.worst_residual = scale_ > 0 ? worst / scale_ : 0;
    result.exhausted = exhausted_;
    result.copies_left =
        exhausted_ && size_ > count && std::abs(found.sigma[count] - found.sigma[count - 1]) <= slack();
    result.converged = exhausted_ || worst <= options_.tolerance * scale_ ||
                       (limit && !undecided(found, count, end, *limit));
    if (result.converged || products_ - first >= options_.most_products) return result;
    if (size_ < m) {
      test = std::min(m, size_ + std::max<Index>(8, size_ / 2));
      continue;
    }
    stagnant = worst > best / 2 ? stagnant + 1 : 0;
    best = std::min(best, worst);
    // At the lower end, stagnation does not indicate the limit of rounding: values nearer to zero may still
    // appear.
    if (end == SpectrumEnd::largest && stagnant >= 3 && result.worst_residual <= stagnant_limit) {
      result.converged = true;
      return result;
    }
    restart(found, kept);
    test = std::min(m, size_ + std::max<Index>(8, (m - size_) / 2));
  }
}

EndSearch GolubKahan::find(Index count, SpectrumEnd end) {
  Ritz found;
  const EndSearch result = search(count, end, nullptr, found);
  if (result.converged) lock(found, count);
  return result;
}

GolubKahan::Beyond GolubKahan::find_beyond(Real limit, SpectrumEnd end) {
  Beyond nothing_left;
  nothing_left.search.converged = nothing_left.search.exhausted = true;
  if (room() == 0) return nothing_left;
  Ritz found;
  Beyond beyond;
  beyond.search = search(1, end, &limit, found);
  if (!beyond.search.converged) return beyond;
  const Real outside = end == SpectrumEnd::largest ? found.sigma[0] - limit : limit - found.sigma[0];
  beyond.found = outside > slack();
  beyond.at_limit = std::abs(outside) <= slack();
  if (beyond.found) lock(found, 1);
  return beyond;
}

void GolubKahan::keep(const std::vector<Index>& which) {
  locked_left_ = chosen(locked_left_, which), locked_right_ = chosen(locked_right_, which);
  std::vector<Real> kept;
  for (const Index i : which) kept.push_back(values_[static_cast<std::size_t>(i)]);
  values_ = std::move(kept);
}

Matrix GolubKahan::left(const std::vector<Index>& which) const {
  return chosen(locked_left_, which);
}
Matrix GolubKahan::right(const std::vector<Index>& which) const {
  return chosen(locked_right_, which);
}

}  // namespace rezero::detail
