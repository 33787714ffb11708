#include "spectrum/product/scaled_columns.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "rezero/core/contract.h"
#include "spectrum/product/ordered_qr.h"

namespace rezero::detail {
namespace {

constexpr Real eps = std::numeric_limits<Real>::epsilon();

/// Columns by descending norm, each scaled by a power of two to a norm in [1/2, 1).
ScaledColumns sorted(const ScaledColumns& G) {
  std::vector<ScaledReal> norms;
  std::vector<Index> order(static_cast<std::size_t>(G.count()));
  std::iota(order.begin(), order.end(), Index{0});
  for (Index j = 0; j < G.count(); ++j) norms.push_back(G.norm(j));
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return norms[static_cast<std::size_t>(a)] > norms[static_cast<std::size_t>(b)];
  });
  ScaledColumns result{Matrix(G.columns.rows(), G.count()), {}};
  for (const Index j : order) {
    const auto at = static_cast<std::size_t>(j);
    const auto to = static_cast<Index>(result.exponents.size());
    const std::int64_t shift = norms[at].exponent - G.exponents[at];
    result.columns.col(to) = G.columns.col(j) * shifted(1, -shift);
    result.exponents.push_back(norms[at].exponent);
  }
  return result;
}

/// The same singular values on fewer rows and columns that are closer to orthogonal: G = Q R, then R's rows.
/// With R = X diag(2^e), column i of the result is Σ_j 2^(e_j − e_i) X_ij over j ≥ i, scaled by 2^e_i.
ScaledColumns transposed_triangle(const ScaledColumns& G, Real& condition) {
  const Index r = G.count();
  const Eigen::HouseholderQR<Matrix> qr(G.columns);
  const Matrix X = qr.matrixQR().topRows(r).triangularView<Eigen::Upper>();
  condition = triangle_condition(X);
  ScaledColumns L{Matrix::Zero(r, r), G.exponents};
  for (Index i = 0; i < r; ++i)
    for (Index j = i; j < r; ++j) {
      const std::int64_t shift =
          G.exponents[static_cast<std::size_t>(j)] - G.exponents[static_cast<std::size_t>(i)];
      L.columns(j, i) = shifted(X(i, j), shift);
    }
  return L;
}

/// The state of a Jacobi iteration: the columns and their squared norms, kept in [1/4, 1).
class Sweeper {
 public:
  explicit Sweeper(ScaledColumns G)
      : G_(std::move(G)), tolerance_(eps * std::sqrt(static_cast<Real>(std::max<Index>(G_.count(), 1)))) {
    square_.resize(static_cast<std::size_t>(G_.count()));
    for (Index j = 0; j < G_.count(); ++j) normalize(j);
  }

  /// All pairs once, row by row. False when none had to be turned.
  bool sweep() {
    bool turned = false;
    for (Index i = 0; i + 1 < G_.count(); ++i)
      for (Index j = i + 1; j < G_.count(); ++j) turned = orthogonalize(i, j) || turned;
    return turned;
  }

  std::vector<ScaledReal> values() const {
    std::vector<ScaledReal> sigma;
    for (Index j = 0; j < G_.count(); ++j) sigma.push_back(G_.norm(j));
    std::sort(sigma.begin(), sigma.end(), std::greater<>());
    return sigma;
  }

 private:
  Real& square(Index j) { return square_[static_cast<std::size_t>(j)]; }
  std::int64_t& exponent(Index j) { return G_.exponents[static_cast<std::size_t>(j)]; }

  /// Powers of two move to the exponent; the norm is computed afresh, so errors do not add up.
  void normalize(Index j) {
    auto column = G_.columns.col(j);
    square(j) = column.squaredNorm();
    int shift = 0;
    std::frexp(std::sqrt(square(j)), &shift);
    if (shift == 0) return;
    column *= std::ldexp(1.0, -shift);
    square(j) = column.squaredNorm();
    exponent(j) += shift;
  }

  bool orthogonalize(Index i, Index j) {
    const Real dot = G_.columns.col(i).dot(G_.columns.col(j));
    if (std::abs(dot) <= tolerance_ * std::sqrt(square(i) * square(j))) return false;
    const bool in_order = exponent(i) != exponent(j) ? exponent(i) > exponent(j) : square(i) >= square(j);
    in_order ? rotate(i, j, dot) : rotate(j, i, dot);
    return true;
  }

  /// Turns the columns i (the larger) and j so that they become orthogonal.
  void rotate(Index i, Index j, Real dot) {
    const std::int64_t apart = exponent(j) - exponent(i);
    const Real quotient = std::sqrt(square(j) / square(i));
    const Real rho = shifted(quotient, apart), zeta = dot / std::sqrt(square(i) * square(j));
    const Real theta = (rho - 1) * (rho + 1) / (2 * zeta);
    const Real tau = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::hypot(rho, theta));
    const Real tangent = tau * rho, cosine = 1 / std::sqrt(1 + tangent * tangent);
    const Real into_i = cosine * tangent * shifted(1, apart), into_j = cosine * tau * quotient;
    auto ci = G_.columns.col(i).array();
    auto cj = G_.columns.col(j).array();
    old_ = ci;
    ci = cosine * ci - into_i * cj;
    cj = cosine * cj + into_j * old_.array();
    normalize(i), normalize(j);
  }

  ScaledColumns G_;
  std::vector<Real> square_;
  Vector old_;
  Real tolerance_;
};

}  // namespace

ScaledReal ScaledColumns::norm(Index j) const {
  return ScaledReal::make(columns.col(j).norm(), exponents[static_cast<std::size_t>(j)]);
}

JacobiValues scaled_singular_values(ScaledColumns G) {
  REZERO_REQUIRE(G.columns.rows() >= G.columns.cols());
  constexpr int most_sweeps = 60;
  JacobiValues result;
  if (G.count() == 0) {
    result.converged = true;
    return result;
  }
  Sweeper sweeper(transposed_triangle(sorted(G), result.condition));
  while (!result.converged && result.sweeps < most_sweeps) {
    ++result.sweeps;
    result.converged = !sweeper.sweep();
  }
  result.sigma = sweeper.values();
  return result;
}

}  // namespace rezero::detail
