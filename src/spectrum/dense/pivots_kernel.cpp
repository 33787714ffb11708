#include "spectrum/dense/pivots_kernel.h"

#include <cstring>

#include "linalg/octet.h"

namespace rezero::detail {
namespace {

using OctetCounts = std::int64_t __attribute__((vector_size(sizeof(std::int64_t) * octet_size)));
constexpr Index registers = pivot_group / octet_size;

/// One group. Infinities are intended: a pivot of exactly 0 makes the next s and pivot infinite, and the s
/// after that (0·∞) has the limit e − μ. (As in Marques, Riedy, Vömel, "Benefits of IEEE-754 features in
/// modern symmetric tridiagonal eigensolvers", 2006.)
void count_group(const Real* q_squares, const Real* e_squares, Index n, const Real* point,
                 std::int64_t* below, Real* slope) {
  Octet mu[registers], s[registers], ds[registers], sum[registers];
  OctetCounts negative[registers];
  std::memcpy(mu, point, sizeof mu);
  for (Index r = 0; r < registers; ++r) {
    s[r] = -mu[r];
    ds[r] = Octet{} - 1.0;
    sum[r] = Octet{};
    negative[r] = OctetCounts{};
  }
  for (Index i = 0; i < n; ++i) {
    const Real q = q_squares[i], e = e_squares[i];
    for (Index r = 0; r < registers; ++r) {
      const Octet pivot = s[r] + q, inverse = 1.0 / pivot, ratio = e * inverse, next = ratio * s[r];
      negative[r] -= pivot < 0.0;  // a true lane is −1
      sum[r] += ds[r] * inverse;
      ds[r] = ratio * (q * inverse) * ds[r] - 1.0;
      s[r] = (next == next ? next : Octet{} + e) - mu[r];
    }
  }
  std::memcpy(below, negative, sizeof negative);
  std::memcpy(slope, sum, sizeof sum);
}

}  // namespace

REZERO_KERNEL_TABLE(PivotKernel, pivot_kernel) = {count_group};

}  // namespace rezero::detail
