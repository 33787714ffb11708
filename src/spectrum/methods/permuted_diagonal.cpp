/// Matrices with at most one non-zero per row and column: identities, diagonals, signed permutations, 0/1
/// masks.

#include <algorithm>
#include <cmath>
#include <vector>

#include "rezero/spectrum/method.h"

namespace rezero {
namespace {

/// Stops at the first violation: after a few entries of the first column unless A is nearly a permuted
/// diagonal.
bool at_most_one_each(const Matrix& A) {
  std::vector<bool> row_used(static_cast<std::size_t>(A.rows()));
  for (Index j = 0; j < A.cols(); ++j) {
    bool column_used = false;
    for (Index i = 0; i < A.rows(); ++i) {
      if (A(i, j) == 0) continue;
      if (column_used || row_used[static_cast<std::size_t>(i)]) return false;
      column_used = true;
      row_used[static_cast<std::size_t>(i)] = true;
    }
  }
  return true;
}

FullValues permuted_diagonal_values(const Matrix& A, int /*workers*/) {
  if (!at_most_one_each(A)) return {{}, 0, true, "more than one non-zero in a row or column"};
  std::vector<Real> entries;
  for (Index j = 0; j < A.cols(); ++j)
    for (Index i = 0; i < A.rows(); ++i)
      if (A(i, j) != 0) entries.push_back(std::abs(A(i, j)));
  entries.resize(static_cast<std::size_t>(std::min(A.rows(), A.cols())), 0.0);
  std::sort(entries.begin(), entries.end(), std::greater<Real>());
  Vector sigma(static_cast<Index>(entries.size()));
  std::copy(entries.begin(), entries.end(), sigma.begin());
  return {sigma, 0, true, {}};
}

}  // namespace

SpectrumMethod method_permuted_diagonal() {
  SpectrumMethod method;
  method.name = "permuted-diagonal";
  method.summary = "exact, for matrices with at most one non-zero in each row and column (J = I among them)";
  method.source = "the values are the moduli of the entries: P A Q is diagonal for permutations P, Q";
  method.applies = at_most_one_each;
  method.full = permuted_diagonal_values;
  return method;
}

}  // namespace rezero
