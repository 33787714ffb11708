#include "theory/slope_rule.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <vector>

#include "rezero/core/error.h"

namespace rezero::theory::detail {
namespace {

using Octet = Eigen::Array<Real, 8, 1>;

/// In halves, as a register would; Eigen's own sum raises gcc's false alarms (bug 105593).
Real sum(const Octet& x) {
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

/// The law without zeros.
struct Positive {
  Vector square, weight;
};

Positive positive_part(const SlopeLaw& law) {
  std::vector<Index> kept;
  for (Index k = 0; k < law.square.size(); ++k)
    if (law.square[k] > 0 && law.weight[k] > 0) kept.push_back(k);
  Positive part{Vector(static_cast<Index>(kept.size())), Vector(static_cast<Index>(kept.size()))};
  for (std::size_t i = 0; i < kept.size(); ++i) {
    part.square[static_cast<Index>(i)] = law.square[kept[i]];
    part.weight[static_cast<Index>(i)] = law.weight[kept[i]];
  }
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
  Eigen::SelfAdjointEigenSolver<Matrix> jacobi;
  jacobi.computeFromTridiagonal(diagonal.head(size), off.head(size - 1));
  if (jacobi.info() != Eigen::Success)
    throw NumericalError("the rule for the slopes did not converge (the law of the slopes is not usable)");
  return {jacobi.eigenvalues().cwiseMax(0), total * jacobi.eigenvectors().row(0).transpose().cwiseAbs2()};
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
  positive_ = part.weight.sum() / law.weight.sum();
  mean_ = weighted_.sum();
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
