#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/underflow.h"
#include "rezero/core/error.h"
#include "rezero/linalg/scaled_matrix.h"
#include "rezero/parallel/for_each.h"
#include "rezero/random/sample.h"
#include "rezero/spectrum/product.h"
#include "spectrum/product/udt.h"

namespace rezero {
namespace {

constexpr Real factor_beyond = 1e3;  // condition number from which a group is factored: costs 3 of 16 digits
constexpr Real take_apart_beyond = 1e5;  // a group that turned out worse is gone through factor by factor
constexpr Index longest_wait = 8;        // factors between two looks at the condition number

struct Factored {
  detail::OrderedQr qr;
  Real condition = 1;
};

Index lines_that_are_not_zero(const Vector& probe) {
  return (probe.array() != 0).count();
}

/// Panels start at multiples of 8 columns: the products' bits do not depend on the split then.
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

/// The product is (running) · diag(2^e) T with running = A … Q scaled; looked_at is what it was at the last
/// look, since_look the factors after it.
struct GradedProduct::State {
  State(Matrix start, int threads)
      : workers(threads),
        start_columns(start.cols()),
        rank_bound(start.cols()),
        udt(start.cols()),
        running{start, 0},
        looked_at{std::move(start), 0} {}

  void push(const ScaledMap& A) {
    bound_rank(*A.map);
    apply(A);
    since_look.push_back(A);
    ++factors;
    if (static_cast<Index>(since_look.size()) >= next_look) look();
  }

  void apply(const ScaledMap& A) {
    Matrix next(A.map->rows(), running.mantissa.cols());
    apply_in_panels(*A.map, running.mantissa, next, workers);
    running.mantissa.swap(next);
    running.exponent += A.exponent;
    if (!renormalize(running)) throw NumericalError("the product of the derivatives is not finite");
  }

  /// Rows of zeros show in A v, columns of zeros in Aᵀ u, for any u and v that are not special; where
  /// something underflowed, a zero proves nothing.
  void bound_rank(const LinearMap& A) {
    const Vector v = normal_vector(A.cols(), stream_key(0, StreamRole::probe));
    const Vector u = normal_vector(A.rows(), stream_key(0, StreamRole::probe));
    Matrix image(A.rows(), 1), preimage(A.cols(), 1);
    detail::watch_underflow();
    A.apply(v, image), A.apply_transpose(u, preimage);
    if (detail::underflowed()) return;
    rank_bound = std::min({rank_bound, lines_that_are_not_zero(image), lines_that_are_not_zero(preimage)});
  }

  /// The QR of what is pending, columns in the order of their size in the product: QR without pivoting then
  /// finds the directions in that order.
  Factored factor(Index count) {
    const std::vector<Index> order = udt.descending(running.mantissa);
    if (!std::is_sorted(order.begin(), order.end())) {
      udt.reorder(order);
      running.mantissa = Matrix(running.mantissa(Eigen::all, order));
      if (looked_at.mantissa.cols() > 0) looked_at.mantissa = Matrix(looked_at.mantissa(Eigen::all, order));
    }
    detail::OrderedQr qr = detail::ordered_qr(running.mantissa, noise(count));
    const Real condition = detail::triangle_condition(qr.triangle());
    return {std::move(qr), condition};
  }

  void look() {
    Factored found = factor(pending());
    const bool full_rank = found.qr.Q.cols() == running.mantissa.cols();
    if (full_rank && found.condition <= factor_beyond) return go_on(found.condition);
    next_look = std::clamp<Index>(predicted_length(found.condition, pending()), 1, longest_wait);
    settle(std::move(found));
  }

  /// A group that lost a direction may have lost it to its own condition number, not to a factor's zero.
  void settle(Factored found) {
    const bool lost = found.qr.Q.cols() < std::min(running.mantissa.rows(), running.mantissa.cols());
    if ((lost || found.condition > take_apart_beyond) && pending() > 1) return take_apart();
    absorb(std::move(found));
    start_group();
  }

  Index pending() const { return grouped + static_cast<Index>(since_look.size()); }

  /// The group stays as it is: how many more factors fit, by the growth so far, until it has to be factored?
  void go_on(Real condition) {
    grouped += static_cast<Index>(since_look.size());
    next_look = std::clamp<Index>(predicted_length(condition, grouped) - grouped, 1, longest_wait);
    looked_at = running;
    since_look.clear();
  }

  static Index predicted_length(Real condition, Index count) {
    const Real growth = std::max(std::log(condition) / static_cast<Real>(count), 1e-3);
    return static_cast<Index>(std::log(factor_beyond) / growth);
  }

  /// What is pending is factored, whatever its condition number.
  void finish() {
    if (pending() > 0) settle(factor(pending()));
  }

  void take_apart() {
    const std::vector<ScaledMap> maps = std::exchange(since_look, {});
    running = std::exchange(looked_at, {});
    if (grouped > 0) absorb(factor(grouped));
    for (const ScaledMap& A : maps) {
      apply(A);
      absorb(factor(1));
    }
    next_look = 1;
    start_group();
  }

  void absorb(Factored found) {
    udt.multiply(found.qr, running.exponent);
    condition_sum += found.condition;
    running = {std::move(found.qr.Q), 0};
  }

  void start_group() {
    looked_at = running;
    since_look.clear();
    grouped = 0;
  }

  /// What is left of a dependent column: n eps for each factor of the group.
  Real noise(Index count) const {
    const auto n = static_cast<Real>(std::max<Index>(running.mantissa.rows(), 16));
    return static_cast<Real>(count) * n * std::numeric_limits<Real>::epsilon();
  }

  int workers;
  Index factors = 0, start_columns, rank_bound;
  detail::Udt udt;
  ScaledMatrix running, looked_at;
  std::vector<ScaledMap> since_look;
  Index grouped = 0;  // factors in looked_at
  Index next_look = 1;
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
  const detail::JacobiValues found = detail::scaled_singular_values(end.udt.rows());
  ProductValues values;
  values.sigma = found.sigma;
  values.rank = static_cast<Index>(found.sigma.size());
  values.rank_bound = std::max(end.rank_bound, values.rank);
  values.sigma.resize(static_cast<std::size_t>(std::min(end.running.mantissa.rows(), end.start_columns)));
  values.relative_error_estimate =
      std::numeric_limits<Real>::epsilon() * (end.condition_sum + found.condition);
  if (end.udt.volume_is_determinant()) values.volume = end.udt.volume();
  values.converged = found.converged;
  return values;
}

Matrix GradedProduct::range() const {
  State end = *state_;
  end.finish();
  const Matrix& Q = end.running.mantissa;
  if (Q.cols() == Q.rows()) return Q;
  Matrix basis = Eigen::HouseholderQR<Matrix>(Q).householderQ();
  basis.leftCols(Q.cols()) = Q;
  return basis;
}

}  // namespace rezero
