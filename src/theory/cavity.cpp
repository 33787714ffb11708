/// Layerwise cavity equations of preactivation stacks.
///
/// K = JᵀJ of J = Π (1 + α_l W_l D_l) as a linear system over the layers: with the streams v_0 … v_L and the
/// multipliers λ_1 … λ_L of the constraints, every coordinate is a chain v_0 – λ_1 – v_1 – … – λ_L – v_L with
/// unit couplings, and the W_l couple coordinates through sums, which are self-averaging at infinite width:
///
///     a(v_0) = z − e²_1 d_1 h_1,   a(v_l) = −e²_{l+1} d_{l+1} h_{l+1},   a(v_L) = −1,   a(λ_l) = −e²_l g_l
///     g_l = E d_l / (Ginv)_{v_{l−1}},   h_l = E 1/(Ginv)_{λ_l},   G(z) = E 1/(Ginv)_{v_0}
///
/// where E is the mean over paths and Ginv the inverse diagonal of the tridiagonal chain's inverse.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "linalg/small_systems.h"
#include "rezero/core/error.h"
#include "rezero/theory/density.h"
#include "theory/anderson.h"
#include "theory/complex.h"
#include "theory/law_table.h"
#include "theory/paths.h"

namespace rezero::theory {
namespace {

using detail::Complex;
using Octet = Eigen::Array<Real, 8, 1>;

constexpr Index path_count = 1536;
/// Imaginary part of log z over the width of the law: the law is smeared by it.
constexpr Real smear = 1e-4;
constexpr Real tolerance = 1e-7;  ///< relative, of every unknown
/// |1 + u| at which the rest of the way to σ = 0 is an exponential, smeared.
constexpr Real rest = 1e-4;
/// |1 + u| below which the rest may be missing.
constexpr Real lost_rest = 1e-2;
constexpr Real longest = 0.1;  ///< step of log(1 + 1/u), over its size
constexpr int most_iterations = 40, most_points = 2000;

/// Eight complex numbers.
struct Lanes {
  Octet re, im;
};

Lanes inverse(const Lanes& z) {
  const Octet scale = 1 / (z.re * z.re + z.im * z.im);
  return {z.re * scale, -z.im * scale};
}

Lanes times(const Lanes& a, const Lanes& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

Lanes squared(const Lanes& a) {
  return {a.re * a.re - a.im * a.im, 2 * a.re * a.im};
}

Real sum(const Octet& x) {
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

/// g_1 … g_L, h_1 … h_L and G, as stacked parts.
class Chain {
 public:
  Chain(const std::vector<CavityBlock>& blocks, const GaussianIntegrals& activation, const Vector& input)
      : slopes_(detail::slope_paths(blocks, activation, input, path_count).transpose()),
        depth_(static_cast<Index>(blocks.size())),
        strength_(depth_) {
    for (Index l = 0; l < depth_; ++l) strength_[l] = blocks[static_cast<std::size_t>(l)].strength;
  }

  Index size() const { return 4 * depth_; }
  /// The solution at large z: g_l = E d_l Π_{j<l} (1 + c_j) / z, h_l = Π_{j>l} (1 + c_j).
  Vector start(Complex z) const {
    Vector x = Vector::Zero(size());
    const Vector mean = slopes_.rowwise().mean();
    Real before = 1, after = 1;
    for (Index l = 0; l < depth_; ++l) {
      const Complex g = mean[l] * before / z;
      x[l] = g.real(), x[2 * depth_ + l] = g.imag();
      before *= 1 + strength_[l] * mean[l];
      x[2 * depth_ - 1 - l] = after;
      after *= 1 + strength_[depth_ - 1 - l] * mean[depth_ - 1 - l];
    }
    return x;
  }

  struct Image {
    Vector x;
    Complex G;
  };
  /// The derivative of the equations at x: S diag(e²), S_kj = E w_k w_j (chain⁻¹)²_kj, w = d at a stream and
  /// 1 at a multiplier. Cost: L² per path.
  Eigen::MatrixXcd derivative(const Vector& x, Complex z) const {
    const std::size_t nodes = static_cast<std::size_t>(2 * depth_);  // v_L carries no unknown
    std::vector<Lanes> sums(nodes * nodes, {Octet::Zero(), Octet::Zero()});
    Octets octets(depth_);
    std::vector<Lanes> square(nodes + 1), ratio(nodes + 1);
    for (Index first = 0; first < slopes_.cols(); first += 8) {
      load(octets, x, z, first);
      Lanes beyond{Octet::Zero(), Octet::Zero()};
      for (std::size_t k = nodes + 1; k-- > 0;) {
        square[k] = squared(inverse({octets.left[k].re - beyond.re, octets.left[k].im - beyond.im}));
        beyond = inverse({octets.diagonal[k].re - beyond.re, octets.diagonal[k].im - beyond.im});
        ratio[k] = squared(beyond);  // (chain⁻¹)_kj = (chain⁻¹)_kk Π −1/right
      }
      const auto weight = [&](std::size_t k) { return k % 2 == 0 ? octets.d[k / 2] : Octet(Octet::Ones()); };
      for (std::size_t k = 0; k < nodes; ++k) {
        const Octet w = weight(k);
        Lanes product{w * square[k].re, w * square[k].im};
        for (std::size_t j = k; j < nodes; ++j) {
          if (j > k) product = times(product, ratio[j]);
          const Octet other = weight(j);
          Lanes& total = sums[k * nodes + j];
          total.re += other * product.re, total.im += other * product.im;
        }
      }
    }
    const auto unknown = [&](std::size_t k) {  // h at a stream, g at a multiplier
      return static_cast<Index>(k / 2) + (k % 2 == 0 ? depth_ : 0);
    };
    const auto image = [&](std::size_t k) {  // g at a stream, h at a multiplier
      return static_cast<Index>(k / 2) + (k % 2 == 0 ? 0 : depth_);
    };
    Eigen::MatrixXcd result(2 * depth_, 2 * depth_);
    const Real share = 1 / static_cast<Real>(slopes_.cols());
    for (std::size_t k = 0; k < nodes; ++k)
      for (std::size_t j = 0; j < nodes; ++j) {
        const Lanes& total = sums[std::min(k, j) * nodes + std::max(k, j)];
        result(image(k), unknown(j)) =
            share * strength_[static_cast<Index>(j / 2)] * Complex(sum(total.re), sum(total.im));
      }
    return result;
  }

  /// One application of the equations.
  Image apply(const Vector& x, Complex z) const {
    const std::size_t L = static_cast<std::size_t>(depth_);
    Octets octets(depth_);
    std::vector<Lanes> total(2 * L, {Octet::Zero(), Octet::Zero()});
    Lanes green{Octet::Zero(), Octet::Zero()};
    for (Index first = 0; first < slopes_.cols(); first += 8) {
      load(octets, x, z, first);
      Lanes beyond{Octet::Zero(), Octet::Zero()};  // 1/right of the next node
      for (std::size_t k = 2 * L + 1; k-- > 0;) {
        const Lanes value = inverse({octets.left[k].re - beyond.re, octets.left[k].im - beyond.im});
        beyond = inverse({octets.diagonal[k].re - beyond.re, octets.diagonal[k].im - beyond.im});
        const std::size_t l = k / 2;
        if (k == 0) green.re += value.re, green.im += value.im;
        if (l >= L) continue;
        if (k % 2 == 0)
          total[l].re += octets.d[l] * value.re, total[l].im += octets.d[l] * value.im;
        else
          total[L + l].re += value.re, total[L + l].im += value.im;
      }
    }
    Image image{Vector(size()), {}};
    const Real share = 1 / static_cast<Real>(slopes_.cols());
    for (Index i = 0; i < 2 * depth_; ++i) {
      image.x[i] = share * sum(total[static_cast<std::size_t>(i)].re);
      image.x[2 * depth_ + i] = share * sum(total[static_cast<std::size_t>(i)].im);
    }
    image.G = share * Complex(sum(green.re), sum(green.im));
    return image;
  }

 private:
  /// The chains of eight paths: slopes, the diagonal, and the continued fractions from the left.
  struct Octets {
    explicit Octets(Index depth)
        : d(static_cast<std::size_t>(depth)), diagonal(2 * d.size() + 1), left(2 * d.size() + 1) {}
    std::vector<Octet> d;
    std::vector<Lanes> diagonal, left;
  };
  void load(Octets& octets, const Vector& x, Complex z, Index first) const {
    const Index L = depth_;
    for (Index l = 0; l < L; ++l) {
      Octet& slope = octets.d[static_cast<std::size_t>(l)];
      for (Index i = 0; i < 8; ++i) slope[i] = slopes_(l, first + i);
      Lanes& v = octets.diagonal[static_cast<std::size_t>(2 * l)];
      v = {-strength_[l] * x[L + l] * slope, -strength_[l] * x[3 * L + l] * slope};
      if (l == 0) v.re += z.real(), v.im += z.imag();
      octets.diagonal[static_cast<std::size_t>(2 * l + 1)] = {Octet::Constant(-strength_[l] * x[l]),
                                                              Octet::Constant(-strength_[l] * x[2 * L + l])};
    }
    octets.diagonal.back() = {Octet::Constant(-1), Octet::Zero()};
    octets.left[0] = octets.diagonal[0];
    for (std::size_t k = 1; k < octets.left.size(); ++k) {
      const Lanes before = inverse(octets.left[k - 1]);
      octets.left[k] = {octets.diagonal[k].re - before.re, octets.diagonal[k].im - before.im};
    }
  }

  Matrix slopes_;  ///< blocks × paths
  Index depth_;
  Vector strength_;
};

/// |·| of every unknown, for both parts: their sizes differ by the growth of the whole stack.
Vector sizes(const Vector& x) {
  const Index half = x.size() / 2;
  Vector size(x.size());
  size.head(half) = (x.head(half).array().square() + x.tail(half).array().square()).sqrt().max(1e-290);
  size.tail(half) = size.head(half);
  return size;
}

/// Largest relative change of an unknown.
Real change(const Vector& from, const Vector& to) {
  const Index half = to.size() / 2;
  const Vector d = (to - from).cwiseQuotient(sizes(to));
  return std::sqrt((d.head(half).array().square() + d.tail(half).array().square()).maxCoeff());
}

/// Newton's method, for where the iteration hardly contracts: deep in the tail at σ = 0.
std::optional<Complex> newton(const Chain& chain, Vector& x, Complex z) {
  const Index half = x.size() / 2;
  Real before = std::numeric_limits<Real>::infinity();
  for (int step = 0; step < 20; ++step) {
    const Chain::Image image = chain.apply(x, z);
    if (!image.x.allFinite()) return std::nullopt;
    const Real left = change(x, image.x);
    if (!(left <= 2 * before)) return std::nullopt;
    if (left <= tolerance) return image.G;
    before = left;
    const Vector scale = sizes(image.x).head(half);
    Eigen::MatrixXcd system =
        -(scale.cwiseInverse().asDiagonal() * chain.derivative(x, z) * scale.asDiagonal());
    system.diagonal().array() += 1;
    Eigen::VectorXcd right(half);
    right.real() = (image.x - x).head(half).cwiseQuotient(scale);
    right.imag() = (image.x - x).tail(half).cwiseQuotient(scale);
    const Eigen::VectorXcd delta = rezero::detail::solve_complex(system, right);
    x.head(half) += delta.real().cwiseProduct(scale), x.tail(half) += delta.imag().cwiseProduct(scale);
  }
  return std::nullopt;
}

/// The fixed point at z from the start x, which it replaces; G, or nothing. `slow` is whether the iteration
/// failed at the last point: then Newton's method begins.
std::optional<Complex> solve(const Chain& chain, Vector& x, Complex z, bool& slow) {
  const Vector start = x, scale = sizes(x);
  if (slow) {
    if (const auto G = newton(chain, x, z)) return G;
    x = start;
  }
  detail::Anderson anderson(6, 0.7);
  for (int step = 0; step < most_iterations; ++step) {
    const Chain::Image image = chain.apply(x, z);
    if (!image.x.allFinite()) break;
    if (change(x, image.x) <= tolerance) {
      x = image.x;
      slow = false;
      return image.G;
    }
    x = anderson.next(x.cwiseQuotient(scale), image.x.cwiseQuotient(scale)).cwiseProduct(scale);
  }
  if (slow) return std::nullopt;
  slow = true;
  x = start;
  return newton(chain, x, z);
}

/// The free product with the same blocks: where the law lies, roughly.
SpectralLaw free_law(const std::vector<CavityBlock>& blocks, const GaussianIntegrals& activation) {
  std::vector<TransformRun> runs;
  for (const CavityBlock& block : blocks) {
    TransformRun run;
    run.block.form = BranchForm::dense;
    run.block.strength = block.strength;
    if (block.strength > 0) run.block.slopes = activation.slopes(block.variance);
    runs.push_back(std::move(run));
  }
  return march(runs);
}

Complex u_of(Complex z, Complex G) {
  return z * G - Real{1};
}

/// Starts on the parabola through the logarithms of the last three solutions.
class Extrapolation {
 public:
  void add(Real X, const Vector& x) {
    if (points_.size() == 3) points_.erase(points_.begin());
    points_.push_back({X, x});
  }
  Vector at(Real X) const {
    const Vector& last = points_.back().x;
    const Index half = last.size() / 2;
    Vector x(last.size());
    for (Index k = 0; k < half; ++k) {
      const Complex base(last[k], last[half + k]);
      Complex exponent = 0;
      for (std::size_t i = 0; i + 1 < points_.size(); ++i) {  // Lagrange's form; the last logarithm is 0
        Real weight = 1;
        for (std::size_t j = 0; j < points_.size(); ++j)
          if (j != i) weight *= (X - points_[j].X) / (points_[i].X - points_[j].X);
        exponent += weight * std::log(Complex(points_[i].x[k], points_[i].x[half + k]) / base);
      }
      const Complex value = base * std::exp(exponent);
      x[k] = value.real(), x[half + k] = value.imag();
    }
    return x;
  }

 private:
  struct Point {
    Real X;
    Vector x;
  };
  std::vector<Point> points_;
};

/// The upper edge, where the square of the density vanishes: the parabola in y through its values at three
/// quantiles close to it, which the smear does not reach.
SpectralEdge edge_of(const SpectralLaw& law, Real theta) {
  const auto density = [&](Real y) {
    const Real h = 4 * theta;
    return (law.cumulative(y + h) - law.cumulative(y - h)) / (2 * h);
  };
  const std::array<Real, 3> masses = {0.01, 0.02, 0.04};
  std::array<Real, 3> y{}, square{};
  for (std::size_t i = 0; i < 3; ++i) {
    y[i] = law.quantile(1 - masses[i]);
    square[i] = density(y[i]) * density(y[i]);
  }
  const Real first = (square[1] - square[0]) / (y[1] - y[0]);
  const Real second = ((square[2] - square[1]) / (y[2] - y[1]) - first) / (y[2] - y[0]);
  SpectralEdge edge{y[0], std::nullopt};
  Real slope = 0;
  for (int step = 0; step < 20; ++step) {  // Newton's form of the parabola, and Newton's method
    const Real at = edge.log_square;
    slope = first + second * (2 * at - y[0] - y[1]);
    edge.log_square -= (square[0] + (at - y[0]) * (first + second * (at - y[1]))) / slope;
  }
  // density = √(2/f″) √(X₊ − y)/π
  if (slope < 0 && edge.log_square > y[0])
    edge.scale = std::acos(Real{-1}) * std::sqrt(-slope);
  else
    edge.log_square = y[0];
  return edge;
}

}  // namespace

SpectralLaw cavity(const std::vector<CavityBlock>& blocks, const GaussianIntegrals& activation,
                   const Vector& input) {
  if (!input.allFinite()) throw UsageError("no spectral law (the input is not finite)");
  for (const CavityBlock& block : blocks)
    if (!(std::isfinite(block.strength) && block.strength >= 0 && std::isfinite(block.variance) &&
          block.variance > 0 && std::isfinite(block.skip)))
      throw UsageError("no spectral law (a strength, variance or skip scale of a block is not usable)");
  const SpectralLaw free = blocks.empty() ? march({}) : free_law(blocks, activation);
  if (free.method == "point") return free;
  const Chain chain(blocks, activation, input);
  const Real pi = std::acos(Real{-1});
  const Real below = free.lower ? free.lower->log_square : free.quantile(0.01);
  const Real width = std::min<Real>(1, free.upper.log_square - below), theta = smear * width;
  const Real end = free.lower ? free.lower->log_square - 2 * width : -std::numeric_limits<Real>::infinity();

  Real X = free.upper.log_square + 3 * width, step = width / 4;
  Vector x = chain.start(std::exp(Complex(X, theta)));
  bool slow = false;
  std::optional<Complex> G = solve(chain, x, std::exp(Complex(X, theta)), slow);
  if (!G)
    throw NumericalError("no spectral law (the cavity equations could not be solved above the upper edge)");
  Extrapolation path;
  path.add(X, x);
  std::vector<detail::LawPoint> points;
  bool lost = false;
  Complex u = u_of(std::exp(Complex(X, theta)), *G);
  points.push_back({X, -u.imag() / pi, 0});
  Complex v = std::log(Real{1} + detail::inverse(u));
  while (X > end && std::abs(Real{1} + u) > rest) {
    if (points.size() > most_points)
      throw NumericalError("no spectral law (the cavity equations' curve did not end)");
    const Complex z = std::exp(Complex(X - step, theta));
    Vector next = path.at(X - step);
    const std::optional<Complex> at = solve(chain, next, z, slow);
    const Complex new_u = at ? u_of(z, *at) : Complex(0),
                  new_v = at ? std::log(Real{1} + detail::inverse(new_u)) : v;
    const Real moved = std::abs(new_v - v) / std::min<Real>(1, std::abs(v));
    if (!at || !(moved < 2 * longest) || new_u.imag() > 0) {
      step /= 2;
      if (step >= theta) continue;
      if (std::abs(Real{1} + u) < lost_rest) {
        lost = true;
        break;
      }
      if (step < 1e-3 * theta)
        throw NumericalError(
            "no spectral law (the cavity equations were lost at log sigma^2 = " + std::to_string(X) + ")");
      continue;
    }
    X -= step, u = new_u, v = new_v;
    path.add(X, next);
    points.push_back({X, -u.imag() / pi, 0});
    step = std::min(step * std::clamp<Real>(longest / std::max<Real>(moved, 1e-9), 0.5, 1.6), 2 * width);
  }
  detail::LawTable table;
  if (lost) table.lose_rest();
  for (std::size_t k = 0; k < points.size(); ++k) {  // slopes: the parabola through three points
    if (k > 0 && k + 1 < points.size()) {
      const detail::LawPoint &a = points[k - 1], &b = points[k], &c = points[k + 1];
      const Real right = (a.density - b.density) / (a.y - b.y), left = (b.density - c.density) / (b.y - c.y);
      points[k].slope = (right * (b.y - c.y) + left * (a.y - b.y)) / (a.y - c.y);
    }
    table.add(points[k]);
  }
  if (!free.lower && !lost) table.add_exponential_tail(rest);
  SpectralLaw law = std::move(table).law(0, 0);
  law.method = "cavity";
  law.upper = edge_of(law, theta);
  return law;
}

}  // namespace rezero::theory
