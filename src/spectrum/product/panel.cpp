#include "spectrum/product/panel.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <vector>

#include "linalg/matrix_product.h"
#include "rezero/parallel/for_each.h"

namespace rezero::detail {
namespace {

constexpr Index run_length = 128;  // rows of a panel that stay in the cache of a processor
constexpr Index strip_width = 8;
constexpr Real smallest_part = 1e-3;

Index runs(Index rows) {
  return (rows + run_length - 1) / run_length;
}

/// f(first row, count) for each run of rows.
template <class F>
void for_each_run(Index rows, int workers, const F& f) {
  for_each_index(runs(rows), workers, [&](Index i) {
    const Index first = i * run_length;
    f(first, std::min(run_length, rows - first));
  });
}

}  // namespace

std::optional<Matrix> gram_triangle(const ConstColumns& P, int workers) {
  std::vector<Matrix> parts(static_cast<std::size_t>(runs(P.rows())));
  for_each_run(P.rows(), workers, [&](Index first, Index count) {
    Matrix& part = parts[static_cast<std::size_t>(first / run_length)];
    part.resize(P.cols(), P.cols());
    multiply_transposed(P.middleRows(first, count), P.middleRows(first, count), part);
  });
  Matrix G = Matrix::Zero(P.cols(), P.cols());
  for (const Matrix& part : parts) G += part;
  const Eigen::LLT<Matrix> cholesky(G);
  if (cholesky.info() != Eigen::Success) return {};
  Matrix R = cholesky.matrixU();
  for (Index j = 0; j < R.cols(); ++j)
    if (!(R(j, j) > smallest_part * std::sqrt(G(j, j)))) return {};
  return R;
}

void divide_by_triangle(Columns P, const Matrix& R, int workers) {
  const Matrix minus = -R;
  for_each_run(P.rows(), workers, [&](Index first, Index count) {
    auto rows = P.middleRows(first, count);
    for (Index s = 0; s < P.cols(); s += strip_width) {
      const Index end = std::min(s + strip_width, P.cols());
      if (s > 0) add_product(rows.leftCols(s), minus.block(0, s, s, end - s), rows.middleCols(s, end - s));
      for (Index j = s; j < end; ++j) {
        for (Index k = s; k < j; ++k) rows.col(j) += minus(k, j) * rows.col(k);
        rows.col(j) /= R(j, j);
      }
    }
  });
}

}  // namespace rezero::detail
