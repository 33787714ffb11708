#include "theory/slope_rule.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "linalg/small_systems.h"

namespace rezero::theory::detail {
namespace {

using Octet = Eigen::Array<Real, 8, 1>;

/// In halves, as a register would; Eigen's own sum raises gcc's false alarms (bug 105593).
Real sum(const Octet& x) {
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

/// Distance in log s from which points are spread: ψ is then smooth in log y.
constexpr Real widest = 1;

/// The law without zeros.
struct Positive {
  Vector square, weight;
};

/// Descending. The largest slopes, if they have less than 1e-9 of the weight together, count as the next:
/// they are the far tail of an activation with growing slopes, whose pole the curve would not notice.
Positive positive_part(const SlopeLaw& law) {
  constexpr Real tail = 1e-9;
  std::vector<std::pair<Real, Real>> points;
  for (Index k = 0; k < law.square.size(); ++k)
    if (law.square[k] > 0 && law.weight[k] > 0) points.emplace_back(law.square[k], law.weight[k]);
  std::sort(points.rbegin(), points.rend());
  Real sum = 0;
  std::size_t first = 0;
  while (first + 1 < points.size() && sum + points[first].second < tail) sum += points[first++].second;
  if (first < points.size()) points[first].second += sum;
  const Index count = static_cast<Index>(points.size() - first);
  Positive part{Vector(count), Vector(count)};
  for (Index i = 0; i < count; ++i)
    std::tie(part.square[i], part.weight[i]) = points[first + static_cast<std::size_t>(i)];
  return part;
}

/// Nodes and weights of the Gauss rule of a discrete measure: the Jacobi matrix by Lanczos's algorithm with
/// full reorthogonalization, its eigenvalues, and the first components of its eigenvectors (Golub & Welsch
/// 1969).
Positive gauss_rule(const Vector& node, const Vector& weight, Index points) {
  const Real total = weight.sum();
  Matrix basis(node.size(), points);
  Vector diagonal(points), off(points);
  basis.col(0) = (weight / total).cwiseSqrt();
  Index size = points;
  for (Index k = 0; k < points; ++k) {
    Vector next = node.cwiseProduct(basis.col(k));
    diagonal[k] = basis.col(k).dot(next);
    for (int twice = 0; twice < 2; ++twice)
      next -= basis.leftCols(k + 1) * (basis.leftCols(k + 1).transpose() * next);
    off[k] = next.norm();
    if (k + 1 == points) break;
    if (!(off[k] > 1e-14 * node.maxCoeff())) {  // the measure has no more points than this
      size = k + 1;
      break;
    }
    basis.col(k + 1) = next / off[k];
  }
  const rezero::detail::TridiagonalSpectrum jacobi =
      rezero::detail::tridiagonal_spectrum(diagonal.head(size), off.head(size - 1));
  return {jacobi.values.cwiseMax(0), total * jacobi.first.cwiseAbs2()};
}

}  // namespace

void SlopeRule::set(const Vector& square, const Vector& weighted) {
  const Index padded = (square.size() + 7) / 8 * 8;
  square_ = weighted_ = Eigen::ArrayXd::Zero(padded);
  square_.head(square.size()) = square.array();
  weighted_.head(square.size()) = weighted.array();
  largest_ = square.size() ? square.maxCoeff() : 0;
}

SlopeRule::SlopeRule(const SlopeLaw& law) {
  const Positive part = positive_part(law);
  set(part.square, part.weight.cwiseProduct(part.square));
  const Real zeros = 1 - part.weight.sum() / law.weight.sum();
  positive_ = zeros > 1e-9 ? 1 - zeros : 1;  // below: slopes that underflow far out in the tails
  mean_ = weighted_.sum();
}

SlopeRule SlopeRule::spread(const SlopeLaw& law) {
  SlopeRule rule(law);
  Positive part = positive_part(law);
  const Index count = part.square.size();
  if (count < 2) return rule;
  std::vector<std::pair<Real, Real>> points;  // log s, weight
  const Real floor = std::log(rule.largest_) - 140 * std::log(Real{10});
  for (Index k = 0; k < count; ++k)
    points.emplace_back(std::max(floor, std::log(part.square[k])), part.weight[k]);
  std::sort(points.begin(), points.end());
  std::size_t last = 0;  // equal points become one: atoms show
  for (std::size_t k = 1; k < points.size(); ++k)
    if (points[k].first - points[last].first < 1e-12)
      points[last].second += points[k].second;
    else
      points[++last] = points[k];
  points.resize(last + 1);
  std::vector<Real> square, weighted;
  const Real atom = 0.05 * part.weight.sum();
  for (std::size_t k = 0; k < points.size(); ++k) {
    const auto [at, weight] = points[k];
    const Real left = k == 0 ? at : (at + points[k - 1].first) / 2;
    const Real right = k + 1 == points.size() ? at : (at + points[k + 1].first) / 2;
    const int parts = weight > atom ? 1 : 1 + static_cast<int>((right - left) / widest);
    for (int i = 0; i < parts; ++i) {
      const Real s = std::exp(parts == 1 ? at : left + (right - left) * (i + 0.5) / parts);
      square.push_back(s), weighted.push_back(weight / parts * s);
    }
  }
  const auto vector = [](const std::vector<Real>& x) {
    return Vector(Eigen::Map<const Vector>(x.data(), static_cast<Index>(x.size())));
  };
  rule.set(vector(square), vector(weighted) * (rule.mean_ / vector(weighted).sum()));
  return rule;
}

SlopeRule SlopeRule::gauss(const SlopeLaw& law, Index points) {
  SlopeRule rule(law);
  const Positive part = positive_part(law);
  if (part.square.size() <= points) return rule;
  const Positive gauss = gauss_rule(part.square, part.weight.cwiseProduct(part.square), points);
  rule.set(gauss.square, gauss.weight);
  return rule;
}

SlopeRule::Value<Complex> SlopeRule::at(Complex y) const {
  Octet first_re = Octet::Zero(), first_im = first_re, second_re = first_re, second_im = first_re;
  for (Index k = 0; k < square_.size(); k += 8) {
    const auto s = square_.segment<8>(k), w = weighted_.segment<8>(k);
    const Octet re = 1 - y.real() * s, im = y.imag() * s;  // 1/(1 − y s) = (re + i im)/(re² + im²)
    const Octet scale = 1 / (re * re + im * im);
    const Octet a = re * scale, b = im * scale;
    first_re += w * a, first_im += w * b;
    second_re += w * (a * a - b * b), second_im += w * (2 * a * b);
  }
  return {y * Complex(sum(first_re), sum(first_im)), Complex(sum(second_re), sum(second_im))};
}

SlopeRule::Value<Real> SlopeRule::at(Real y) const {
  Octet first = Octet::Zero(), second = first;
  for (Index k = 0; k < square_.size(); k += 8) {
    const Octet inverse = 1 / (1 - y * square_.segment<8>(k));
    first += weighted_.segment<8>(k) * inverse;
    second += weighted_.segment<8>(k) * inverse.square();
  }
  return {y * sum(first), sum(second)};
}

}  // namespace rezero::theory::detail
