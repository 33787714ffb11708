/// The curve u(X + iθ), followed in X.

#include <algorithm>
#include <cmath>
#include <string>

#include "rezero/core/error.h"
#include "rezero/theory/density.h"
#include "theory/law_table.h"
#include "theory/orthogonal_block.h"
#include "theory/product_law.h"

namespace rezero::theory {
namespace {

using detail::Complex;

const Real pi = std::acos(Real{-1});

/// θ over the width of the law. Edges and log-like peaks are smeared by it, which changes a distribution
/// function by about θ^{2/3} at worst.
constexpr Real smear = 1e-5;

/// |1 + u| at which the rest of the way to σ = 0 is an exponential.
constexpr Real rest = 1e-6;

/// |1 + u| below which the rest may be missing: its mass is smaller.
constexpr Real lost_rest = 5e-3;

/// Longest step of v, over its size: a step is accepted if Newton's first change is not longer, and the next
/// contract.
constexpr Real longest = 0.12;

constexpr int most_points = 100000;

/// v = log(1 + 1/u) as the unknown: log z = v + Σ log T, so that v is linear in X in every exponential tail
/// and small where the law is narrow. Im u < 0 is the strip 0 < Im v < π.
struct State {
  Complex v;
  std::vector<Complex> q;
  std::vector<Real> turn;  ///< Im log T of every factor, followed continuously
  Complex slope;           ///< dX/dv
};

struct U {
  Complex u, rest;  ///< u and 1 + u

  explicit U(Complex v) {
    const Complex below = detail::inverse(detail::expm1(v));
    u = below, rest = std::exp(v) * below;
  }
};

/// |v| at which the curve bends: near 0 everything scales with |v|.
Real size_of(Complex v) {
  return std::min<Real>(1, std::abs(v));
}

class Curve {
 public:
  explicit Curve(const detail::Product& product) : product_(product) {}

  /// Newton's method for log z = target from `state`, on v and every log q at once; false if it does not
  /// contract.
  bool solve(State& state, Complex target, Real limit) const {
    Real before = limit;
    for (int step = 0; step < 12; ++step) {
      Change change = newton(state, target);
      const Real length = std::abs(change.v) / size_of(state.v), inner = change.inner;
      if (!std::isfinite(length) || !std::isfinite(inner)) return false;
      if (step == 0 ? length > limit || inner > 0.5 : length > 0.4 * before || inner > 0.2) return false;
      if (step > 0)
        before = std::max(length, 1e-9);
      else
        before = std::max<Real>(length, 1e-2 * limit);
      apply(state, change);
      if (!(state.v.imag() > 0 && state.v.imag() < pi)) return false;
      if (length < 1e-8 && inner < 1e-7) return settle(state, target);
    }
    return false;
  }

 private:
  struct Change {
    Complex v;
    std::vector<Complex> q;  ///< of log q
    Real inner = 0;          ///< largest change of a log q
    Complex slope;
    std::vector<Real> turn;
  };

  Change newton(const State& state, Complex target) const {
    const U at(state.v);
    const Complex du = -at.u * at.rest;  // du/dv
    Change change;
    Complex total = state.v + product_.shift, slope = 1;
    std::vector<Complex> along(state.q.size()), fixed(state.q.size());
    change.turn.resize(state.q.size());
    for (std::size_t l = 0; l < state.q.size(); ++l) {
      const detail::Factor& factor = product_.factors[l];
      auto value = factor.transform.at(at.u, state.q[l]);
      const Real turns = std::round((state.turn[l] - value.log.imag()) / (2 * pi));
      change.turn[l] = value.log.imag() + 2 * pi * turns;
      value.log.imag(change.turn[l]);
      const Complex inverse = detail::inverse(value.residual_q);
      fixed[l] = -value.residual * inverse, along[l] = -value.residual_u * inverse;
      total += factor.count * (value.log + value.log_q * fixed[l]);
      slope += factor.count * (value.log_u + value.log_q * along[l]) * du;
    }
    change.slope = slope;
    change.v = (target - total) * detail::inverse(slope);
    change.q.resize(state.q.size());
    for (std::size_t l = 0; l < state.q.size(); ++l) {
      if (!product_.factors[l].transform.implicit()) continue;
      change.q[l] = fixed[l] + along[l] * du * change.v;
      change.inner = std::max(change.inner, std::abs(change.q[l]));
    }
    return change;
  }

  static void apply(State& state, const Change& change) {
    state.v += change.v;
    for (std::size_t l = 0; l < state.q.size(); ++l) state.q[l] *= std::exp(change.q[l]);
    state.turn = change.turn;
    state.slope = change.slope;
  }

  /// The last iteration, after which errors are squares of these; the slope belongs to it.
  bool settle(State& state, Complex target) const {
    const Change change = newton(state, target);
    apply(state, change);
    return std::isfinite(std::abs(state.v)) && state.v.imag() > 0;
  }

  const detail::Product& product_;
};

/// One point of the law: density and its derivative in X.
detail::LawPoint point_of(const State& state, Real X, Real theta, const detail::Product& product) {
  const U at(state.v);
  const Complex change = -at.u * at.rest * detail::inverse(state.slope);
  detail::LawPoint point{X, -at.u.imag() / pi, -change.imag() / pi};
  if (product.atom_at_one > 0) {  // its part of u is z₁/(z − z₁) + …: −Im 1/(1 − e^{z₁ − z})/π
    const Complex atom = detail::inverse(-detail::expm1(-Complex(X - product.shift, theta)));
    point.density += product.atom_at_one * atom.imag() / pi;
    point.slope += product.atom_at_one * (atom * (Real{1} - atom)).imag() / pi;
  }
  return point;
}

SpectralLaw point_law(const detail::Product& product) {
  SpectralLaw law;
  law.method = "point";
  law.atom_at_one = law.mass = 1;
  law.one = product.shift;
  for (const detail::Factor& factor : product.factors)
    law.one += factor.count * factor.transform.at(Real{1}, Real{0}).log;
  law.upper.log_square = law.one;
  law.lower = law.upper;
  return law;
}

}  // namespace

SpectralLaw march(const std::vector<TransformRun>& blocks) {
  const detail::Product product = detail::make_product(blocks);
  if (product.factors.empty() || !(product.spread > 1e-40)) return point_law(product);
  if (!std::isfinite(product.spread))
    throw NumericalError("no spectral law (the variance of the squared singular values is not finite)");
  if (const std::optional<SpectralLaw> known = detail::orthogonal_block_law(blocks)) return *known;
  const detail::EdgePoint upper = find_edge(product, detail::Side::above);
  std::optional<detail::EdgePoint> lower;
  if (!product.reaches_zero) lower = find_edge(product, detail::Side::below);

  const Real reach = 1 / std::sqrt(product.spread);
  const Real first = std::min(0.7 * upper.distance, 3 * reach);
  const auto start = real_point(product, detail::Side::above, first);
  if (!start) throw NumericalError("no spectral law (the curve has no point above the upper edge)");
  const Real width =
      std::min<Real>(1, lower ? upper.edge.log_square - lower->edge.log_square
                              : std::max(start->log_z - upper.edge.log_square, std::sqrt(product.spread)));
  const Real theta = smear * width;
  Real end = -std::numeric_limits<Real>::infinity();
  if (lower) {
    const auto below = real_point(product, detail::Side::below, std::min(0.7 * lower->distance, 3 * reach));
    if (below && std::isfinite(below->log_z)) end = below->log_z;
  }

  const Curve curve(product);
  State state{Complex(std::log1p(1 / first), 0), {}, std::vector<Real>(product.factors.size(), 0), 1};
  for (Real q : start->q) state.q.emplace_back(q, 0);
  Real X = start->log_z;
  const Real before_edge = std::max(X - upper.edge.log_square, 1e-3 * width);
  // away from the real line first: v gets its imaginary part from Newton's first step
  state.v += Complex(0, 1e-12 * std::abs(state.v));
  if (!curve.solve(state, Complex(X, theta), 0.3))
    throw NumericalError("no spectral law (the curve could not be started above the upper edge)");

  detail::LawTable table;
  table.add(point_of(state, X, theta, product));
  Real step = before_edge / 4;
  while (X > end) {
    if (table.size() > most_points) throw NumericalError("no spectral law (the curve did not end)");
    State next = state;
    if (!curve.solve(next, Complex(X - step, theta), longest)) {
      step /= 2;
      if (step >= 1e-9 * theta) continue;
      // the smallest slopes of plain layers are known as points: the curve dies between them
      if (std::abs(U(state.v).rest - product.atom_at_zero) < lost_rest) {
        table.lose_rest();
        break;
      }
      throw NumericalError("no spectral law (the curve was lost at log sigma^2 = " + std::to_string(X) +
                           ", with " + std::to_string(std::abs(U(state.v).rest - product.atom_at_zero)) +
                           " to go)");
    }
    state = std::move(next), X -= step;
    table.add(point_of(state, X, theta, product));
    if (std::abs(U(state.v).rest - product.atom_at_zero) < rest) {
      if (product.reaches_zero) table.add_exponential_tail(rest);
      break;
    }
    step *= 1.5;
  }
  SpectralLaw law = std::move(table).law(product.atom_at_zero, product.atom_at_one);
  law.one = product.shift;
  law.upper = upper.edge;
  if (lower) law.lower = lower->edge;
  law.method = "march";
  return law;
}

}  // namespace rezero::theory
