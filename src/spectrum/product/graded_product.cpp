#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "rezero/core/error.h"
#include "rezero/linalg/scaled_matrix.h"
#include "rezero/random/sample.h"
#include "rezero/spectrum/product.h"
#include "spectrum/product/udt.h"

namespace rezero {
namespace {

constexpr Real factor_beyond = 1e3;  // condition number from which a group is factored: costs 3 of 16 digits
constexpr Real take_apart_beyond = 1e5;  // a group that turned out worse is gone through factor by factor
constexpr Index longest_wait = 8;        // factors between two looks at the condition number

Index lines_that_are_not_zero(const Vector& probe) {
  return (probe.array() != 0).count();
}

}  // namespace

/// The product is (running) · diag(2^e) T with running = A … Q scaled; looked_at is what it was at the last
/// look, since_look the factors after it.
struct GradedProduct::State {
  explicit State(Matrix start)
      : start_columns(start.cols()),
        rank_bound(start.cols()),
        udt(start.cols()),
        running{start, 0},
        looked_at{std::move(start), 0} {}

  void push(const LinearMapPtr& A) {
    bound_rank(*A);
    apply(*A);
    since_look.push_back(A);
    ++factors;
    if (static_cast<Index>(since_look.size()) >= next_look) look();
  }

  void apply(const LinearMap& A) {
    Matrix next(A.rows(), running.mantissa.cols());
    A.apply(running.mantissa, next);
    running.mantissa.swap(next);
    if (!renormalize(running)) throw NumericalError("the product of the derivatives is not finite");
  }

  /// Rows of zeros show in A v, columns of zeros in Aᵀ u, for any u and v that are not special.
  void bound_rank(const LinearMap& A) {
    const Vector v = normal_vector(A.cols(), stream_key(0, StreamRole::probe));
    const Vector u = normal_vector(A.rows(), stream_key(0, StreamRole::probe));
    Matrix image(A.rows(), 1), preimage(A.cols(), 1);
    A.apply(v, image), A.apply_transpose(u, preimage);
    rank_bound = std::min({rank_bound, lines_that_are_not_zero(image), lines_that_are_not_zero(preimage)});
  }

  void look() {
    const auto count = static_cast<Index>(since_look.size());
    detail::OrderedQr qr = detail::ordered_qr(running.mantissa, noise(grouped + count));
    const Real condition = detail::triangle_condition(qr.triangle());
    const bool full_rank = qr.Q.cols() == running.mantissa.cols();
    if (full_rank && condition <= factor_beyond) return go_on(condition);
    if (condition > take_apart_beyond && grouped + count > 1) return take_apart();
    absorb(std::move(qr), condition);
    next_look = std::clamp<Index>(predicted_length(condition, grouped + count), 1, longest_wait);
    start_group();
  }

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
    const Index count = grouped + static_cast<Index>(since_look.size());
    if (count == 0) return;
    detail::OrderedQr qr = detail::ordered_qr(running.mantissa, noise(count));
    const Real condition = detail::triangle_condition(qr.triangle());
    if (condition > take_apart_beyond && count > 1) return take_apart();
    absorb(std::move(qr), condition);
    start_group();
  }

  void take_apart() {
    const std::vector<LinearMapPtr> maps = std::move(since_look);
    running = std::move(looked_at);
    if (grouped > 0) absorb_running(grouped);
    for (const LinearMapPtr& A : maps) {
      apply(*A);
      absorb_running(1);
    }
    next_look = 1;
    start_group();
  }

  void absorb_running(Index count) {
    detail::OrderedQr qr = detail::ordered_qr(running.mantissa, noise(count));
    const Real condition = detail::triangle_condition(qr.triangle());
    absorb(std::move(qr), condition);
  }

  void absorb(detail::OrderedQr qr, Real condition) {
    udt.multiply(qr, running.exponent);
    condition_sum += condition;
    running = {std::move(qr.Q), 0};
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

  Index factors = 0, start_columns, rank_bound;
  detail::Udt udt;
  ScaledMatrix running, looked_at;
  std::vector<LinearMapPtr> since_look;
  Index grouped = 0;  // factors in looked_at
  Index next_look = 1;
  Real condition_sum = 0;
};

GradedProduct::GradedProduct(Matrix start) : state_(std::make_unique<State>(std::move(start))) {}
GradedProduct::~GradedProduct() = default;
GradedProduct::GradedProduct(GradedProduct&&) noexcept = default;
GradedProduct& GradedProduct::operator=(GradedProduct&&) noexcept = default;

void GradedProduct::push(const LinearMapPtr& A) {
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
  values.volume = end.udt.volume();
  values.sweeps = found.sweeps, values.converged = found.converged;
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
