#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "rezero/spectrum/spectrum.h"
#include "spectrum/text.h"

namespace rezero {
namespace {

using detail::text;
constexpr Real eps = std::numeric_limits<Real>::epsilon();

Certificate failed(std::string reason) {
  return {false, std::move(reason)};
}

std::string order_fault(const Vector& s) {
  for (Index i = 0; i < s.size(); ++i) {
    if (!std::isfinite(s[i])) return "value " + std::to_string(i) + " is not finite";
    if (s[i] < 0) return "value " + std::to_string(i) + " is negative";
    if (i > 0 && s[i] > s[i - 1]) return "values are not descending at " + std::to_string(i);
  }
  return {};
}

/// ‖AᵀA‖_F (or ‖AAᵀ‖_F, the same number, of the smaller side) without forming it: panels of 128 columns of
/// the lower half, each off-diagonal entry counted twice. Cost n² max; memory 128 n.
Real gram_norm(ConstColumns A) {
  constexpr Index panel = 128;
  const bool wide = A.cols() > A.rows();
  const Index n = std::min(A.rows(), A.cols());
  Real total = 0;
  Matrix block;
  for (Index start = 0; start < n; start += panel) {
    const Index width = std::min(panel, n - start), rest = n - start;
    if (wide)
      block.noalias() = A.bottomRows(rest) * A.middleRows(start, width).transpose();
    else
      block.noalias() = A.rightCols(rest).transpose() * A.middleCols(start, width);
    total += block.topRows(width).squaredNorm() + 2 * block.bottomRows(rest - width).squaredNorm();
  }
  return std::sqrt(total);
}

/// log|det| of A (of R when A is rectangular) and the backward error of the factorization over the largest
/// entry, in units of n eps: 1 for QR; the growth of the entries for LU with partial pivoting (Wilkinson
/// 1961).
struct LogDeterminant {
  Real value = 0, growth = 1;
};

Real log_product(const Vector& pivots) {
  return pivots.array().abs().log().sum();
}

LogDeterminant log_determinant(ConstColumns A, Real largest) {
  if (A.rows() == A.cols()) {
    const Eigen::PartialPivLU<Matrix> lu(A);
    Real top = 0;
    for (Index j = 0; j < A.cols(); ++j)
      top = std::max(top, lu.matrixLU().col(j).head(j + 1).cwiseAbs().maxCoeff());
    return {log_product(lu.matrixLU().diagonal()), std::max(1.0, top / largest)};
  }
  Matrix copy;
  if (A.cols() > A.rows())
    copy = A.transpose();
  else
    copy = A;
  const Eigen::HouseholderQR<Eigen::Ref<Matrix>> qr(copy);  // in place
  return {log_product(qr.matrixQR().diagonal()), 1};
}

/// Weyl: the factorization is exact for A + E, ‖E‖ ≤ n eps growth σ₁, and the values s are within
/// relative_resolution σ₁ of A's, so each value of A + E lies within δσ₁ of its sᵢ.
std::string determinant_fault(ConstColumns A, const Vector& s, Real relative_resolution, Real largest) {
  const LogDeterminant determinant = log_determinant(A, largest);
  const Real n = static_cast<Real>(s.size());
  const Real radius = (relative_resolution + n * eps * determinant.growth) * s[0];
  const Real sum_slack =
      16 * n * eps * (1 + std::abs(std::log(radius)));  // rounding of n logarithms and their sums
  const Real upper = log_product(s.array() + radius) + sum_slack;
  if (!std::isfinite(upper)) return {};  // growth beyond all bounds: this test has nothing to say
  if (determinant.value > upper)
    return "log|det| is " + text(determinant.value) + ", at most " + text(upper) + " fits";
  if (s[s.size() - 1] <= radius) return {};
  const Real lower = log_product(s.array() - radius) - sum_slack;
  if (determinant.value >= lower) return {};
  return "log|det| is " + text(determinant.value) + ", at least " + text(lower) + " fits";
}

std::string norm_fault(const char* what, Real of_values, Real of_matrix, Real tolerance) {
  if (std::abs(of_values - of_matrix) <= tolerance * of_matrix) return {};
  return std::string(what) + " differ by " + text(std::abs(of_values / of_matrix - 1)) +
         " relative (allowed " + text(tolerance) + ")";
}

}  // namespace

Certificate certify_full(ConstColumns A, const Vector& s, Real relative_resolution) {
  const Index n = std::min(A.rows(), A.cols());
  if (s.size() != n) return failed(std::to_string(s.size()) + " values where there are " + std::to_string(n));
  const Real largest = max_abs(A);
  if (!std::isfinite(largest)) return failed("the matrix has an entry that is not finite");
  if (std::string fault = order_fault(s); !fault.empty()) return failed(fault);
  if (n == 0 || largest == 0)
    return n == 0 || s[0] == 0 ? Certificate{true, {}} : failed("the matrix is zero");
  if (s[0] == 0) return failed("all values are zero and the matrix is not");

  const Real tolerance = 8 * static_cast<Real>(n) * eps;
  const ScaledReal frobenius = frobenius_norm(A);
  const Real norm = std::ldexp(frobenius.mantissa, static_cast<int>(frobenius.exponent));
  if (std::string fault = norm_fault("||s||_2 and ||A||_F", s.norm(), norm, tolerance); !fault.empty())
    return failed(fault);
  if (std::string fault =
          norm_fault("||s||_4^2 and ||A'A||_F", s.cwiseAbs2().norm(), gram_norm(A), tolerance);
      !fault.empty())
    return failed(fault);
  if (std::string fault = determinant_fault(A, s, relative_resolution, largest); !fault.empty())
    return failed(fault);
  return {true, {}};
}

}  // namespace rezero
