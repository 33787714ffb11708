#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/matrix_product.h"
#include "rezero/linalg/scaled_matrix.h"
#include "rezero/parallel/for_each.h"
#include "spectrum/certificate/full.h"
#include "spectrum/text.h"

namespace rezero::detail {
namespace {

constexpr Real eps = std::numeric_limits<Real>::epsilon();

std::string order_fault(const Vector& s) {
  for (Index i = 0; i < s.size(); ++i) {
    if (!std::isfinite(s[i])) return "value " + std::to_string(i) + " is not finite";
    if (s[i] < 0) return "value " + std::to_string(i) + " is negative";
    if (i > 0 && s[i] > s[i - 1]) return "values are not descending at " + std::to_string(i);
  }
  return {};
}

constexpr Index gram_panel = 128;

/// One panel's part of ‖AᵀA‖_F² (or of the equal ‖AAᵀ‖_F², for the smaller side) without forming the product:
/// 128 columns of the lower half, with off-diagonal entries counted twice. Cost of all panels n² max; memory
/// 128 (n + max) per thread.
Real gram_part(ConstColumns A, Index start) {
  const Index n = std::min(A.rows(), A.cols()), width = std::min(gram_panel, n - start), rest = n - start;
  if (A.cols() > A.rows()) {
    const Matrix panel = A.middleRows(start, width).transpose();
    Matrix block(rest, width);
    multiply(A.bottomRows(rest), panel, block);
    return block.topRows(width).squaredNorm() + 2 * block.bottomRows(rest - width).squaredNorm();
  }
  const Matrix panel = A.middleCols(start, width).transpose();
  Matrix block(width, rest);
  multiply(panel, A.rightCols(rest), block);
  return block.leftCols(width).squaredNorm() + 2 * block.rightCols(rest - width).squaredNorm();
}

Real log_product(const Vector& values) {
  return values.array().log().sum();
}

/// Weyl: the factorization is exact for A + E, ‖E‖ ≤ n eps growth σ₁, and the values s are within
/// relative_resolution σ₁ of A's, so each value of A + E lies within δσ₁ of its sᵢ.
std::string determinant_fault(const LogDeterminant& determinant, const Vector& s, Real relative_resolution) {
  const Real n = static_cast<Real>(s.size());
  const Real radius = (relative_resolution + n * eps * determinant.growth) * s[0];
  const Real sum_slack =
      16 * n * eps * (1 + std::abs(std::log(radius)));  // rounding of n logarithms and their sums
  const Real upper = log_product(s.array() + radius) + sum_slack;
  if (!std::isfinite(upper)) return {};  // unlimited growth: this test is inconclusive
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

MatrixFacts measure(ConstColumns A, int workers) {
  MatrixFacts facts;
  facts.dimension = std::min(A.rows(), A.cols());
  facts.longer = std::max(A.rows(), A.cols());
  facts.largest = max_abs(A);
  if (facts.dimension == 0 || facts.largest == 0 || !std::isfinite(facts.largest)) return facts;
  const ScaledReal frobenius = frobenius_norm(A);
  facts.norm = std::ldexp(frobenius.mantissa, static_cast<int>(frobenius.exponent));
  const Index panels = (facts.dimension + gram_panel - 1) / gram_panel;
  Vector gram = Vector::Zero(panels);
  // The factorization of a square has work for all threads, that of a rectangle for one.
  const bool square = A.rows() == A.cols();
  const Index before = square ? 0 : 1;
  for_each_index(before + panels, workers, [&](Index i) {
    if (i < before)
      facts.determinant = log_determinant(A, facts.largest, 1);
    else
      gram[i - before] = gram_part(A, (i - before) * gram_panel);
  });
  if (square) facts.determinant = log_determinant(A, facts.largest, workers);
  for (const Real part : gram) facts.gram_norm += part;
  facts.gram_norm = std::sqrt(facts.gram_norm);
  return facts;
}

std::string full_fault(const MatrixFacts& facts, const Vector& s, Real relative_resolution) {
  const Index n = facts.dimension;
  if (s.size() != n) return std::to_string(s.size()) + " values where there are " + std::to_string(n);
  if (!std::isfinite(facts.largest)) return "the matrix has an entry that is not finite";
  if (std::string fault = order_fault(s); !fault.empty()) return fault;
  if (n == 0 || facts.largest == 0) return n == 0 || s[0] == 0 ? "" : "the matrix is zero";
  if (s[0] == 0) return "all values are zero and the matrix is not";

  const Real tolerance = static_cast<Real>(8 * n + (facts.longer - n)) * eps;
  if (std::string fault = norm_fault("||s||_2 and ||A||_F", s.norm(), facts.norm, tolerance); !fault.empty())
    return fault;
  if (std::string fault =
          norm_fault("||s||_4^2 and ||A'A||_F", s.cwiseAbs2().norm(), facts.gram_norm, tolerance);
      !fault.empty())
    return fault;
  return determinant_fault(facts.determinant, s, relative_resolution);
}

}  // namespace rezero::detail
