#include "spectrum/product/scaled_columns.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>

#include "linalg/matrix_product.h"
#include "linalg/octet.h"
#include "rezero/core/contract.h"
#include "rezero/linalg/scaled_matrix.h"
#include "rezero/parallel/for_each.h"
#include "spectrum/dense/bidiagonal.h"
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

/// A triangle with the singular values of G: with sorted columns G = Q R and R = X diag(2^e), its column i is
/// Σ_j 2^(e_j − e_i) X_ij over j ≥ i, scaled by 2^e_i.
struct Triangle {
  ScaledColumns columns;
  Real condition;  ///< of X
};
Triangle transposed_triangle(const ScaledColumns& G, int workers) {
  const ScaledColumns ordered = sorted(G);
  const OrderedQr qr = ordered_qr(ordered.columns, 0, workers);
  const Index r = qr.R.rows();
  Triangle L{{qr.R.transpose(), {}}, triangle_condition(qr.triangle())};
  for (Index i = 0; i < r; ++i) {
    const std::int64_t unit =
        ordered.exponents[static_cast<std::size_t>(qr.kept[static_cast<std::size_t>(i)])];
    L.columns.exponents.push_back(unit);
    for (Index j = i; j < L.columns.columns.rows(); ++j) {
      Real& entry = L.columns.columns(j, i);
      entry = shifted(entry, ordered.exponents[static_cast<std::size_t>(j)] - unit);
    }
  }
  return L;
}

/// The values of the triangle L by bidiagonalization in double, if its scales allow. Reflections from the
/// left preserve the scales of the columns. So do reflections from the right if the entries of the row that
/// they are made from descend like the scales; each value then has as many digits as by Jacobi. If they do
/// not descend (uncoupled blocks, for example), small values are lost in large ones. The product of all
/// values, which must equal that of the diagonal, shows this.
std::optional<std::vector<ScaledReal>> by_bidiagonalization(const ScaledColumns& L, int workers) {
  constexpr std::int64_t widest = 400;  // values below 2^-480 of the largest come out as zero
  const Index n = L.count();
  const std::int64_t unit = L.exponents.front();
  if (L.columns.rows() != n || unit - *std::min_element(L.exponents.begin(), L.exponents.end()) > widest)
    return {};
  Matrix A = L.columns;
  ScaledReal volume = ScaledReal::make(1);
  for (Index j = 0; j < n; ++j) {
    A.col(j) *= shifted(1, L.exponents[static_cast<std::size_t>(j)] - unit);
    volume = volume * ScaledReal::make(std::abs(A(j, j)));
  }
  const Vector values = bidiagonal_singular_values(bidiagonalize(A, workers), workers);
  std::vector<ScaledReal> sigma;
  ScaledReal product = ScaledReal::make(1);
  for (const Real value : values) {
    product = product * ScaledReal::make(value);
    sigma.push_back(ScaledReal::make(value, unit));
  }
  const bool lost = product.is_zero() ||
                    !(std::abs(1 - (product / volume).clamped_double()) <= 8 * static_cast<Real>(n) * eps);
  if (lost) return {};
  return sigma;
}

/// Rotates two columns in one pass, x ← c x − s y and y ← c y + t x, and returns their new squared norms.
struct Turned {
  Real x_square, y_square;
};
Turned turn(Real* x, Real* y, Index count, Real c, Real s, Real t) {
  Octet x_squares = {}, y_squares = {};
  Index k = 0;
  for (; k + octet_size <= count; k += octet_size) {
    const Octet a = octet(x + k), b = octet(y + k);
    const Octet turned_a = c * a - s * b, turned_b = c * b + t * a;
    octet(x + k) = turned_a;
    octet(y + k) = turned_b;
    x_squares += turned_a * turned_a;
    y_squares += turned_b * turned_b;
  }
  Turned result{0, 0};
  for (Index i = 0; i < octet_size; ++i) result.x_square += x_squares[i], result.y_square += y_squares[i];
  for (; k < count; ++k) {
    const Real a = x[k], b = y[k];
    x[k] = c * a - s * b;
    y[k] = c * b + t * a;
    result.x_square += x[k] * x[k];
    result.y_square += y[k] * y[k];
  }
  return result;
}

/// The state of a Jacobi iteration: the columns and their squared norms, kept in [1/4, 1). Blocks of columns
/// meet in pairs, as in a tournament: the pairs of a round share no column, so they run in parallel, in the
/// same order for any number of workers.
class Sweeper {
 public:
  Sweeper(ScaledColumns G, int workers)
      : G_(std::move(G)),
        tolerance_(eps * std::sqrt(static_cast<Real>(std::max<Index>(G_.count(), 1)))),
        blocks_((G_.count() + block_width - 1) / block_width),
        workers_(workers) {
    square_.resize(static_cast<std::size_t>(G_.count()));
    for (Index j = 0; j < G_.count(); ++j) {
      square(j) = G_.columns.col(j).squaredNorm();
      normalize(j);
    }
  }

  /// All pairs once. False if no pair was rotated.
  bool sweep() {
    std::atomic<bool> turned{false};
    const auto in_parallel = [&](Index count, const auto& f) {
      for_each_index(count, workers_, [&](Index i) {
        if (f(i)) turned = true;
      });
    };
    in_parallel(blocks_, [&](Index b) { return inside(b); });
    const Index seats = blocks_ + blocks_ % 2, rounds = seats - 1;
    for (Index round = 0; round < rounds; ++round)
      in_parallel(seats / 2, [&](Index table) {  // the last seat stays, the others move on by one
        const Index a = table == 0 ? seats - 1 : (round + table) % rounds,
                    b = table == 0 ? round : (round + rounds - table) % rounds;
        return a < blocks_ && b < blocks_ && between(std::min(a, b), std::max(a, b));
      });
    return turned;
  }

  std::vector<ScaledReal> values() const {
    std::vector<ScaledReal> sigma;
    for (Index j = 0; j < G_.count(); ++j) sigma.push_back(G_.norm(j));
    std::sort(sigma.begin(), sigma.end(), std::greater<>());
    return sigma;
  }

 private:
  static constexpr Index block_width = 16;

  Real& square(Index j) { return square_[static_cast<std::size_t>(j)]; }
  std::int64_t& exponent(Index j) { return G_.exponents[static_cast<std::size_t>(j)]; }
  Index start(Index block) const { return std::min(block * block_width, G_.count()); }

  bool inside(Index block) {
    bool turned = false;
    for (Index i = start(block); i < start(block + 1); ++i)
      for (Index j = i + 1; j < start(block + 1); ++j) turned = orthogonalize(i, j) || turned;
    return turned;
  }

  /// Computes all products of the two blocks at once. A pair is examined again only if it is not orthogonal,
  /// or if one of its columns has been rotated since.
  bool between(Index a, Index b) {
    const Index rows = start(a + 1) - start(a), cols = start(b + 1) - start(b);
    Matrix products(rows, cols);
    multiply(G_.columns.middleCols(start(a), rows).transpose().eval(), G_.columns.middleCols(start(b), cols),
             products);
    std::array<bool, block_width> row_turned{}, col_turned{};
    bool turned = false;
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < cols; ++j) {
        const auto r = static_cast<std::size_t>(i), c = static_cast<std::size_t>(j);
        const Index p = start(a) + i, q = start(b) + j;
        if (!row_turned[r] && !col_turned[c] && is_orthogonal(p, q, products(i, j))) continue;
        if (!orthogonalize(p, q)) continue;
        row_turned[r] = col_turned[c] = turned = true;
      }
    return turned;
  }

  /// Powers of two move to the exponent.
  void normalize(Index j) {
    int shift = 0;
    std::frexp(std::sqrt(square(j)), &shift);
    if (shift == 0) return;
    G_.columns.col(j) *= std::ldexp(1.0, -shift);
    square(j) = std::ldexp(square(j), -2 * shift);
    exponent(j) += shift;
  }

  bool is_orthogonal(Index i, Index j, Real dot) {
    return std::abs(dot) <= tolerance_ * std::sqrt(square(i) * square(j));
  }

  bool orthogonalize(Index i, Index j) {
    const Real dot = G_.columns.col(i).dot(G_.columns.col(j));
    if (is_orthogonal(i, j, dot)) return false;
    const bool in_order = exponent(i) != exponent(j) ? exponent(i) > exponent(j) : square(i) >= square(j);
    in_order ? rotate(i, j, dot) : rotate(j, i, dot);
    return true;
  }

  /// Rotates the columns i (the larger) and j so that they become orthogonal. The norms are recomputed, so
  /// that errors do not accumulate.
  void rotate(Index i, Index j, Real dot) {
    const Real unit = shifted(1, exponent(j) - exponent(i));
    const Real quotient = std::sqrt(square(j) / square(i));
    const Real rho = quotient * unit, zeta = dot / std::sqrt(square(i) * square(j));
    const Real theta = (rho - 1) * (rho + 1) / (2 * zeta);  // at most 1/(2 tolerance)
    const Real tau = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(rho * rho + theta * theta));
    const Real tangent = tau * rho, cosine = 1 / std::sqrt(1 + tangent * tangent);
    const Turned now = turn(G_.columns.col(i).data(), G_.columns.col(j).data(), G_.columns.rows(), cosine,
                            cosine * tangent * unit, cosine * tau * quotient);
    square(i) = now.x_square, square(j) = now.y_square;
    normalize(i), normalize(j);
  }

  ScaledColumns G_;
  std::vector<Real> square_;
  Real tolerance_;
  Index blocks_;
  int workers_;
};

/// The first columns of groups that are so much smaller than all preceding columns that their triangle may be
/// independent of those.
std::vector<Index> scale_gaps(const ScaledColumns& L) {
  constexpr std::int64_t gap = 64;
  std::vector<Index> starts;
  for (Index j = 1; j < L.count(); ++j)
    if (L.exponents[static_cast<std::size_t>(j - 1)] - L.exponents[static_cast<std::size_t>(j)] >= gap)
      starts.push_back(j);
  return starts;
}

/// Whether the entries that couple the groups are rounding errors: without them, each column changes by less
/// than eps of itself.
bool are_decoupled(const ScaledColumns& L, const std::vector<Index>& starts) {
  if (L.columns.rows() != L.count()) return false;
  for (const Index start : starts)
    if (max_abs(L.columns.bottomLeftCorner(L.count() - start, start)) >
        eps / static_cast<Real>(4 * L.count()))
      return false;
  return true;
}

ScaledColumns diagonal_block(const ScaledColumns& L, Index first, Index last) {
  if (first == 0 && last == L.count()) return L;
  return {Matrix(L.columns.block(first, first, last - first, last - first)),
          {L.exponents.begin() + first, L.exponents.begin() + last}};
}

/// Appends the values of a triangle to sigma. Returns whether the iteration converged.
bool add_values(ScaledColumns L, int workers, std::vector<ScaledReal>& sigma) {
  std::vector<ScaledReal> values;
  bool converged = false;
  if (L.columns.isDiagonal(0)) {
    for (Index j = 0; j < L.count(); ++j) values.push_back(L.norm(j));
    converged = true;
  } else if (std::optional<std::vector<ScaledReal>> found = by_bidiagonalization(L, workers)) {
    values = std::move(*found);
    converged = true;
  } else {
    // Each further triangle takes a third of the time of a sweep and saves about one.
    for (int i = 0; i < 2; ++i) L = transposed_triangle(L, workers).columns;
    constexpr int most_sweeps = 60;
    Sweeper sweeper(std::move(L), workers);
    for (int sweeps = 0; !converged && sweeps < most_sweeps; ++sweeps) converged = !sweeper.sweep();
    values = sweeper.values();
  }
  sigma.insert(sigma.end(), values.begin(), values.end());
  return converged;
}

}  // namespace

ScaledReal ScaledColumns::norm(Index j) const {
  return ScaledReal::make(columns.col(j).norm(), exponents[static_cast<std::size_t>(j)]);
}

TriangleValues scaled_singular_values(ScaledColumns G, int workers) {
  REZERO_REQUIRE(G.columns.rows() >= G.columns.cols());
  TriangleValues result;
  result.converged = true;
  if (G.count() == 0) return result;
  Triangle L = transposed_triangle(G, workers);
  result.condition = L.condition;
  std::vector<Index> starts = scale_gaps(L.columns);
  if (!starts.empty()) L = transposed_triangle(L.columns, workers);  // squares what couples them
  if (!starts.empty() && (starts = scale_gaps(L.columns), !are_decoupled(L.columns, starts))) starts.clear();
  starts.insert(starts.begin(), 0);
  starts.push_back(L.columns.count());
  for (std::size_t i = 0; i + 1 < starts.size(); ++i)
    result.converged =
        add_values(diagonal_block(L.columns, starts[i], starts[i + 1]), workers, result.sigma) &&
        result.converged;
  std::sort(result.sigma.begin(), result.sigma.end(), std::greater<>());
  return result;
}

}  // namespace rezero::detail
