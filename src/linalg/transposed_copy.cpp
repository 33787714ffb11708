#include "linalg/transposed_copy.h"

#include "linalg/octet.h"
#include "rezero/core/contract.h"

namespace rezero {
namespace {

using detail::Octet;
using detail::octet;
using detail::octet_size;
typedef long long Lanes8 __attribute__((vector_size(sizeof(long long) * octet_size)));

/// Exchanges halves of pairs of columns `distance` apart: three such steps transpose a square.
template <int distance>
void exchange(Octet (&c)[octet_size]) {
  constexpr auto low = [](int i) { return (i & distance) == 0 ? i : i - distance + octet_size; };
  constexpr auto high = [](int i) { return (i & distance) == 0 ? i + distance : i + octet_size; };
  constexpr Lanes8 lower = {low(0), low(1), low(2), low(3), low(4), low(5), low(6), low(7)},
                   upper = {high(0), high(1), high(2), high(3), high(4), high(5), high(6), high(7)};
  for (int i = 0; i < octet_size; ++i) {
    if ((i & distance) != 0) continue;
    const Octet a = c[i], b = c[i + distance];
    c[i] = __builtin_shuffle(a, b, lower);
    c[i + distance] = __builtin_shuffle(a, b, upper);
  }
}

void transpose_square(const Real* from, Index from_stride, Real* to, Index to_stride) {
  Octet c[octet_size];
  for (Index i = 0; i < octet_size; ++i) c[i] = octet(from + i * from_stride);
  exchange<1>(c);
  exchange<2>(c);
  exchange<4>(c);
  for (Index i = 0; i < octet_size; ++i) octet(to + i * to_stride) = c[i];
}

}  // namespace

void transposed_copy(const ConstColumns& A, Columns B) {
  REZERO_REQUIRE(A.rows() == B.cols() && A.cols() == B.rows());
  const Index rows = A.rows() / octet_size * octet_size, cols = A.cols() / octet_size * octet_size;
  for (Index j = 0; j < cols; j += octet_size)
    for (Index i = 0; i < rows; i += octet_size)
      transpose_square(A.data() + i + j * A.outerStride(), A.outerStride(),
                       B.data() + j + i * B.outerStride(), B.outerStride());
  if (rows < A.rows()) B.rightCols(A.rows() - rows) = A.bottomRows(A.rows() - rows).transpose();
  if (cols < A.cols())
    B.bottomLeftCorner(A.cols() - cols, rows) = A.topRightCorner(rows, A.cols() - cols).transpose();
}

}  // namespace rezero
