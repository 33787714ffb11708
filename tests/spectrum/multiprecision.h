#pragma once
/// Singular values of products of matrices of doubles, to any number of bits. Uses GNU MP's floating point,
/// whose exponents have practically no limit.

#include <gmp.h>
#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "rezero/core/scaled_real.h"

namespace rezero::testing {

using Long = mpf_class;

/// Column-major; every entry has the precision with which it was created.
class LongMatrix {
 public:
  LongMatrix(Index rows, Index cols, mp_bitcnt_t bits)
      : rows_(rows), cols_(cols), bits_(bits), data_(static_cast<std::size_t>(rows * cols), Long(0, bits)) {}

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  mp_bitcnt_t bits() const { return bits_; }
  Long& operator()(Index i, Index j) { return data_[static_cast<std::size_t>(j * rows_ + i)]; }
  const Long& operator()(Index i, Index j) const { return data_[static_cast<std::size_t>(j * rows_ + i)]; }

  Long dot(Index j, Index k) const {
    Long sum(0, bits_), term(0, bits_);
    for (Index i = 0; i < rows_; ++i) {
      mpf_mul(term.get_mpf_t(), (*this)(i, j).get_mpf_t(), (*this)(i, k).get_mpf_t());
      mpf_add(sum.get_mpf_t(), sum.get_mpf_t(), term.get_mpf_t());
    }
    return sum;
  }
  /// column j ← column j + factor · column k
  void add(Index j, const Long& factor, Index k) {
    Long term(0, bits_);
    for (Index i = 0; i < rows_; ++i) {
      mpf_mul(term.get_mpf_t(), factor.get_mpf_t(), (*this)(i, k).get_mpf_t());
      mpf_add((*this)(i, j).get_mpf_t(), (*this)(i, j).get_mpf_t(), term.get_mpf_t());
    }
  }
  void swap_columns(Index j, Index k) {
    for (Index i = 0; i < rows_; ++i) swap((*this)(i, j), (*this)(i, k));
  }

 private:
  Index rows_, cols_;
  mp_bitcnt_t bits_;
  std::vector<Long> data_;
};

/// A J; the entries of A are exact.
inline LongMatrix times(const Matrix& A, const LongMatrix& J) {
  LongMatrix result(A.rows(), J.cols(), J.bits());
  Long term(0, J.bits());
  for (Index k = 0; k < A.cols(); ++k)
    for (Index i = 0; i < A.rows(); ++i) {
      if (A(i, k) == 0) continue;
      const Long a(A(i, k), 64);
      for (Index j = 0; j < J.cols(); ++j) {
        mpf_mul(term.get_mpf_t(), J(k, j).get_mpf_t(), a.get_mpf_t());
        mpf_add(result(i, j).get_mpf_t(), result(i, j).get_mpf_t(), term.get_mpf_t());
      }
    }
  return result;
}

inline LongMatrix transposed(const LongMatrix& A) {
  LongMatrix result(A.cols(), A.rows(), A.bits());
  for (Index j = 0; j < A.cols(); ++j)
    for (Index i = 0; i < A.rows(); ++i) result(j, i) = A(i, j);
  return result;
}

/// R of a QR with column pivoting (modified Gram–Schmidt), its rows as columns; stops when the rest is zero
/// to half of the precision.
inline LongMatrix pivoted_rows(LongMatrix A) {
  const Index n = A.cols();
  std::vector<std::vector<Long>> rows;
  Long largest(0, A.bits());
  for (Index k = 0; k < std::min(n, A.rows()); ++k) {
    Index best = k;
    std::vector<Long> square;
    for (Index j = k; j < n; ++j) {
      square.push_back(A.dot(j, j));
      if (square.back() > square[static_cast<std::size_t>(best - k)]) best = j;
    }
    const Long top = square[static_cast<std::size_t>(best - k)];
    if (k == 0) largest = top;
    Long floor(largest);
    mpf_div_2exp(floor.get_mpf_t(), largest.get_mpf_t(), 2 * (A.bits() - 64));
    if (top <= floor) break;
    A.swap_columns(k, best);
    for (auto& row : rows) std::swap(row[static_cast<std::size_t>(k)], row[static_cast<std::size_t>(best)]);
    std::vector<Long> row(static_cast<std::size_t>(n), Long(0, A.bits()));
    const Long norm = sqrt(top);
    row[static_cast<std::size_t>(k)] = norm;
    for (Index j = k + 1; j < n; ++j) {
      const Long c = A.dot(k, j) / top;
      row[static_cast<std::size_t>(j)] = c * norm;
      A.add(j, -c, k);
    }
    rows.push_back(std::move(row));
  }
  LongMatrix L(n, static_cast<Index>(rows.size()), A.bits());
  for (Index j = 0; j < L.cols(); ++j)
    for (Index i = 0; i < n; ++i) L(i, j) = rows[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)];
  return L;
}

/// One-sided Jacobi until all pairs of columns are orthogonal to 2^−70: values right to about 1e-20.
inline std::vector<ScaledReal> column_values(LongMatrix G) {
  const mp_bitcnt_t bits = G.bits();
  Long enough(1, bits);
  mpf_div_2exp(enough.get_mpf_t(), enough.get_mpf_t(), 140);
  for (bool rotated = true; rotated;) {
    rotated = false;
    for (Index p = 0; p < G.cols(); ++p)
      for (Index q = p + 1; q < G.cols(); ++q) {
        const Long a = G.dot(p, p), b = G.dot(q, q), c = G.dot(p, q);
        if (c * c <= enough * a * b) continue;
        rotated = true;
        const Long zeta = (b - a) / (2 * c), root = sqrt(Long(1 + zeta * zeta));
        Long t(1, bits);
        t = zeta >= 0 ? Long(1 / (zeta + root)) : Long(-1 / (root - zeta));
        const Long cosine = 1 / sqrt(Long(1 + t * t)), sine = cosine * t;
        for (Index i = 0; i < G.rows(); ++i) {
          const Long x = G(i, p), y = G(i, q);
          G(i, p) = cosine * x - sine * y;
          G(i, q) = sine * x + cosine * y;
        }
      }
  }
  std::vector<ScaledReal> sigma;
  for (Index j = 0; j < G.cols(); ++j) {
    const Long norm = sqrt(G.dot(j, j));
    long exponent = 0;
    const double mantissa = mpf_get_d_2exp(&exponent, norm.get_mpf_t());
    sigma.push_back(ScaledReal::make(mantissa, exponent));
  }
  std::sort(sigma.begin(), sigma.end(), [](const ScaledReal& x, const ScaledReal& y) {
    return x.exponent != y.exponent ? x.exponent > y.exponent : x.mantissa > y.mantissa;
  });
  return sigma;
}

/// The nonzero singular values of factors[L−1] … factors[0], descending, from the product formed with that
/// many bits: log₂ of the condition number plus 200.
inline std::vector<ScaledReal> exact_singular_values(const std::vector<Matrix>& factors, mp_bitcnt_t bits) {
  const Index n = factors.front().cols();
  LongMatrix J(n, n, bits);
  for (Index i = 0; i < n; ++i) J(i, i) = 1;
  for (const Matrix& A : factors) J = times(A, J);
  return column_values(pivoted_rows(std::move(J)));
}

}  // namespace rezero::testing
