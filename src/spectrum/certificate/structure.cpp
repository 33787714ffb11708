#include "spectrum/certificate/structure.h"

#include <vector>

namespace rezero::detail {

std::optional<Matrix> without_zero_lines(const Matrix& A) {
  std::vector<char> row_used(static_cast<std::size_t>(A.rows()), 0);
  std::vector<Index> rows, cols;
  for (Index j = 0; j < A.cols(); ++j) {
    bool used = false;
    for (Index i = 0; i < A.rows(); ++i)
      if (A(i, j) != 0) used = true, row_used[static_cast<std::size_t>(i)] = 1;
    if (used) cols.push_back(j);
  }
  for (Index i = 0; i < A.rows(); ++i)
    if (row_used[static_cast<std::size_t>(i)] != 0) rows.push_back(i);
  if (static_cast<Index>(rows.size()) == A.rows() && static_cast<Index>(cols.size()) == A.cols()) return {};
  return Matrix(A(rows, cols));
}

}  // namespace rezero::detail
