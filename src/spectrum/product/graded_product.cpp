#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "linalg/scratch.h"
#include "linalg/unit.h"
#include "rezero/core/contract.h"
#include "rezero/core/error.h"
#include "rezero/linalg/scaled_matrix.h"
#include "rezero/parallel/for_each.h"
#include "rezero/random/sample.h"
#include "rezero/spectrum/product.h"
#include "spectrum/product/udt.h"

namespace rezero {
namespace {

/// The condition number from which a group of factors is factored; it costs as many digits. Small matrices
/// take little time, and keep one digit more.
constexpr Real factor_beyond(Index n) {
  return n <= 64 ? 1e2 : n <= 256 ? 1e3 : 1e4;
}
constexpr Real take_apart_beyond = 1e5;  // a group that turned out worse is processed factor by factor
constexpr Index unbounded = std::numeric_limits<Index>::max();
constexpr Index longest_wait = 8;  // factors between two checks of the condition number

struct Factored {
  std::vector<Index> order;  // of the columns, by their size in the product
  detail::OrderedQr qr;      // of the columns in that order
  Real condition = 1;
};

/// Panels start at multiples of 8 columns, so that the bits of products do not depend on the split.
void apply_in_panels(const LinearMap& A, const Matrix& in, Matrix& out, int workers) {
  constexpr Index narrowest = 32;
  const Index panels = std::clamp<Index>(in.cols() / narrowest, 1, std::max(workers, 1));
  const auto start = [&](Index i) { return i == panels ? in.cols() : i * in.cols() / panels / 8 * 8; };
  for_each_index(panels, workers, [&](Index i) {
    const Index width = start(i + 1) - start(i);
    A.apply(in.middleCols(start(i), width), out.middleCols(start(i), width));
  });
}

}  // namespace

/// Random directions of the dropped parts, carried through the following factors to measure their effect on
/// the product.
class Dropped {
 public:
  /// Adds entries of about rows(i) · 2^exponent in row i. Each call draws anew.
  void add(const Vector& rows, std::int64_t exponent) {
    ScaledMatrix more{normal_matrix(rows.size(), directions, stream_key(0, StreamRole::probe, 0, ++draws_)),
                      exponent};
    more.mantissa.array().colwise() *= rows.array();
    add(more);
  }
  void add(const ScaledMatrix& more) {
    if (more.mantissa.size() == 0 || more.mantissa.isZero(0)) return;
    if (sum_.mantissa.size() == 0) {
      sum_ = more;
    } else {
      const std::int64_t unit = std::max(sum_.exponent, more.exponent);
      sum_.mantissa = detail::shifted(sum_.mantissa, sum_.exponent - unit) +
                      detail::shifted(more.mantissa, more.exponent - unit);
      sum_.exponent = unit;
    }
    REZERO_REQUIRE(renormalize(sum_));
  }
  void apply(const ScaledMap& A) {
    if (sum_.mantissa.size() == 0) return;
    Matrix next(A.map->rows(), directions);
    A.map->apply(sum_.mantissa, next);
    sum_.mantissa.swap(next);
    sum_.exponent += A.exponent;
    if (!renormalize(sum_)) throw NumericalError("the product of the derivatives is not finite");
  }
  ScaledMatrix take_sum() { return std::exchange(sum_, {}); }
  /// Twice the root of the mean square.
  ScaledReal bound() const {
    if (sum_.mantissa.size() == 0) return {};
    return (frobenius_norm(sum_.mantissa) * 2 / std::sqrt(Real{directions})).shifted(sum_.exponent);
  }

 private:
  static constexpr Index directions = 8;
  ScaledMatrix sum_;
  std::uint32_t draws_ = 0;
};

/// The product is (running) · diag(2^e) T with running = A … Q, scaled. looked_at is its value at the last
/// check, since_look the factors since then.
struct GradedProduct::State {
  State(Matrix start, int threads)
      : workers(threads),
        start_columns(start.cols()),
        rank_bound(start.cols()),
        udt(start.cols()),
        running{start, 0},
        looked_at{std::move(start), 0} {}

  void push(const ScaledMap& A) {
    ++factors;
    if (!apply(A)) return;
    since_look.push_back(A);
    if (static_cast<Index>(since_look.size()) >= next_look) look();
  }

  /// False if A leaves the product unchanged to the last bit, as a block does whose branch is scaled by zero.
  /// The dropped parts lie outside of what is left of the product, so A may still change them.
  bool apply(const ScaledMap& A) {
    detail::resize(image, A.map->rows(), running.mantissa.cols());
    apply_in_panels(*A.map, running.mantissa, image, workers);
    dropped.apply(A);
    const Index rank = A.map->rank_bound();
    group_rank = std::min(group_rank, rank);
    rank_bound = std::min(rank_bound, rank);
    if (A.exponent == 0 && image.rows() == running.mantissa.rows() && image == running.mantissa) return false;
    running.mantissa.swap(image);
    running.exponent += A.exponent;
    if (!renormalize(running)) throw NumericalError("the product of the derivatives is not finite");
    return true;
  }

  /// The QR of the pending factors, with columns in the order of their size in the product, so that QR
  /// without pivoting finds the directions in that order.
  Factored factor(Index count) const {
    std::vector<Index> order = udt.descending(running.mantissa);
    detail::OrderedQr qr = detail::ordered_qr(running.mantissa, order, noise(count), workers);
    const Real condition =
        qr.full_rank() ? detail::triangle_condition(qr.R) : detail::triangle_condition(qr.triangle());
    return {std::move(order), std::move(qr), condition};
  }

  void look() {
    Factored found = factor(pending());
    const bool full_rank = found.qr.Q.cols() == running.mantissa.cols();
    // Where a group had to be taken apart, another only waits for a factor that will fit by prediction.
    const bool fits =
        !took_apart || predicted_length(found.condition, pending()) >= static_cast<Real>(pending()) + 1;
    if (full_rank && found.condition <= factor_beyond(start_columns) && fits) return go_on(found.condition);
    next_look = wait(predicted_length(found.condition, pending()));
    settle(std::move(found));
  }

  /// A group that lost a direction may have lost it to its own condition number rather than to a zero of a
  /// factor.
  void settle(Factored found) {
    const bool lost = found.qr.Q.cols() < std::min(running.mantissa.rows(), running.mantissa.cols());
    if ((lost || found.condition > take_apart_beyond) && pending() > 1) return take_apart();
    absorb(std::move(found), pending());
    start_group();
  }

  Index pending() const { return grouped + static_cast<Index>(since_look.size()); }

  /// Keeps the group and estimates, from the growth so far, how many more factors fit before it must be
  /// factored.
  void go_on(Real condition) {
    grouped += static_cast<Index>(since_look.size());
    next_look = wait(predicted_length(condition, grouped) - static_cast<Real>(grouped));
    looked_at = running;
    since_look.clear();
  }

  static Index wait(Real factors) { return static_cast<Index>(std::clamp<Real>(factors, 1, longest_wait)); }

  Real predicted_length(Real condition, Index count) const {
    const Real growth = std::max(std::log(condition) / static_cast<Real>(count), 1e-3);
    return std::log(factor_beyond(start_columns)) / growth;
  }

  /// Factors the pending group, whatever its condition number.
  void finish() {
    if (pending() > 0) settle(factor(pending()));
  }

  void take_apart() {
    took_apart = true;
    const std::vector<ScaledMap> maps = std::exchange(since_look, {});
    const ScaledMatrix before = dropped.take_sum();  // has already passed through these maps
    running = std::exchange(looked_at, {});
    group_rank = unbounded;
    if (grouped > 0) absorb(factor(grouped), grouped);
    for (const ScaledMap& A : maps) {
      group_rank = unbounded;
      apply(A);
      absorb(factor(1), 1);
    }
    dropped.add(before);
    next_look = 1;
    start_group();
  }

  void absorb(Factored found, Index count) {
    note_dropped(found, count);
    udt.reorder(found.order);
    udt.multiply(found.qr, running.exponent, workers);
    condition_sum += found.condition;
    running = {std::move(found.qr.Q), 0};
  }

  /// Records columns of `running` without a direction of their own, except those that could have none: if the
  /// directions before them are as many as the rank of the factors allows, the remainder is exactly zero.
  void note_dropped(const Factored& found, Index count) {
    const Matrix& M = running.mantissa;
    const std::vector<Index>& kept = found.qr.kept;
    if (static_cast<Index>(kept.size()) == M.cols()) return;
    const Vector row_norm = M.rowwise().norm();
    ScaledReal square;  // Σ of the squared sizes of such columns
    Real spread = 0;
    for (Index j = 0; j < M.cols(); ++j) {
      const auto before = std::lower_bound(kept.begin(), kept.end(), j) - kept.begin();
      const bool has_direction =
          before < static_cast<Index>(kept.size()) && kept[static_cast<std::size_t>(before)] == j;
      if (has_direction || before >= group_rank) continue;
      const Index column = found.order[static_cast<std::size_t>(j)];
      const ScaledReal size = udt.rows().norm(column);
      square = square + size * size;
      spread = std::max(spread, M.col(column).norm() / std::sqrt(static_cast<Real>(M.rows())));
    }
    if (square.is_zero()) return;
    const ScaledReal size = sqrt(square);
    dropped.add(noise(count) * size.mantissa * row_norm.cwiseMax(spread), size.exponent + running.exponent);
  }

  void start_group() {
    if (next_look > 1) looked_at = running;  // a group of one factor is never taken apart
    since_look.clear();
    grouped = 0;
    group_rank = unbounded;
  }

  /// The size of a dependent column's remainder: n eps for each factor of the group.
  Real noise(Index count) const {
    const auto n = static_cast<Real>(std::max<Index>(running.mantissa.rows(), 16));
    return static_cast<Real>(count) * n * std::numeric_limits<Real>::epsilon();
  }

  ProductValues values() const {
    const detail::TriangleValues found = detail::scaled_singular_values(udt.rows(), workers);
    ProductValues values;
    values.sigma = found.sigma;
    values.rank_bound = rank_bound;
    values.rank = std::min(static_cast<Index>(found.sigma.size()), rank_bound);
    std::fill(values.sigma.begin() + values.rank, values.sigma.end(), ScaledReal{});
    values.sigma.resize(static_cast<std::size_t>(std::min(running.mantissa.rows(), start_columns)));
    values.unresolved_below = dropped.bound();
    values.relative_error_estimate = std::numeric_limits<Real>::epsilon() * (condition_sum + found.condition);
    if (udt.volume_is_determinant()) values.volume = udt.volume();
    values.converged = found.converged;
    return values;
  }

  /// Completed by random directions to as many as the product can have.
  Matrix range() {
    Matrix& Q = running.mantissa;
    const Index missing = std::min(Q.rows(), start_columns) - Q.cols();
    if (missing == 0) return std::move(Q);
    Matrix basis(Q.rows(), Q.cols() + missing);
    basis << Q, normal_matrix(Q.rows(), missing, stream_key(0, StreamRole::probe, 0, 0));
    basis.rightCols(missing) = detail::ordered_qr(basis, 0, workers).Q.rightCols(missing);
    return basis;
  }

  int workers;
  Index factors = 0, start_columns, rank_bound;
  detail::Udt udt;
  ScaledMatrix running, looked_at;
  Matrix image;  // memory for the next product
  std::vector<ScaledMap> since_look;
  Index grouped = 0;             // factors in looked_at
  Index group_rank = unbounded;  // proved rank of the factors in `running`
  Dropped dropped;
  Index next_look = 1;
  bool took_apart = false;
  Real condition_sum = 0;
};

GradedProduct::GradedProduct(Matrix start, int workers)
    : state_(std::make_unique<State>(std::move(start), workers)) {}
GradedProduct::~GradedProduct() = default;
GradedProduct::GradedProduct(GradedProduct&&) noexcept = default;
GradedProduct& GradedProduct::operator=(GradedProduct&&) noexcept = default;

void GradedProduct::push(const ScaledMap& A) {
  state_->push(A);
}
Index GradedProduct::factors() const {
  return state_->factors;
}

ProductValues GradedProduct::values() const {
  State end = *state_;
  end.finish();
  return end.values();
}

ProductEnds GradedProduct::ends() && {
  state_->finish();
  state_->image = state_->looked_at.mantissa = {};
  return {state_->values(), state_->range()};
}

}  // namespace rezero
