#include "spectrum/dense/bidiagonal_kernel.h"

#include <math.h>

#include "linalg/octet.h"

namespace rezero::detail {
namespace {

constexpr Real negligible = 0x1p-1022;  // a square this small is no part of a norm near 1

/// H = 1 − τ v vᵀ with v = (1, tail / scale) takes (alpha, tail) to (beta, 0).
struct Reflector {
  Real beta, tau, inverse_scale;
};

Reflector reflector(Real alpha, Real tail_square) {
  if (tail_square <= negligible) return {alpha, 0, 0};
  const Real norm = sqrt(alpha * alpha + tail_square), beta = alpha >= 0 ? -norm : norm;
  return {beta, (beta - alpha) / beta, 1 / (alpha - beta)};
}

struct Panel {
  Real *A, *v, *x, *next_v, *y, *u;
  Index rows, columns, stride;

  Real* column(Index j) const { return A + j * stride; }
};

/// v of column k, zero above k from the rows of the step before on; returns τ.
Real reflect_column(const Panel& p, Index k, Real* v, Real& beta) {
  const Real* a = p.column(k);
  const Index first = (k > 0 ? k - 1 : 0) / octet_size * octet_size;
  for (Index i = first; i < p.stride; i += octet_size) octet(v + i) = octet(a + i);
  for (Index i = first; i <= k; ++i) v[i] = 0;
  Octet squares = {};
  for (Index i = first; i < p.stride; i += octet_size) squares += octet(v + i) * octet(v + i);
  const Reflector h = reflector(a[k], sum(squares));
  for (Index i = first; i < p.stride; i += octet_size) octet(v + i) *= h.inverse_scale;
  v[k] = 1;
  beta = h.beta;
  return h.tau;
}

/// For `count` columns from j on: a ← a − v y − x u, y ← τ aᵀ w. Rows before `first` are final.
template <int count>
void update_and_dot(const Panel& p, Index j, Index first, const Real* w, Real tau) {
  Real* a[count];
  Octet y[count], u[count], dot[count];
  for (int c = 0; c < count; ++c) {
    a[c] = p.column(j + c);
    y[c] = Octet{} + p.y[j + c], u[c] = Octet{} + p.u[j + c], dot[c] = Octet{};
  }
  for (Index i = first; i < p.stride; i += octet_size) {
    const Octet v = octet(p.v + i), x = octet(p.x + i), next = octet(w + i);
#pragma GCC unroll 4
    for (int c = 0; c < count; ++c) {
      const Octet updated = octet(a[c] + i) - v * y[c] - x * u[c];
      octet(a[c] + i) = updated;
      dot[c] += updated * next;
    }
  }
  for (int c = 0; c < count; ++c) p.y[j + c] = tau * sum(dot[c]);
}

void update_and_dot_from(const Panel& p, Index j, Index first, const Real* w, Real tau) {
  for (; j + 4 <= p.columns; j += 4) update_and_dot<4>(p, j, first, w, tau);
  for (; j < p.columns; ++j) update_and_dot<1>(p, j, first, w, tau);
}

/// x = A u over the columns after k, from row `first` on.
void times_row(const Panel& p, Index k, Index first) {
  Index i = first;
  for (; i + 4 * octet_size <= p.stride; i += 4 * octet_size) {
    Octet sums[4] = {};
    for (Index j = k + 1; j < p.columns; ++j) {
      const Real* a = p.column(j) + i;
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r) sums[r] += octet(a + r * octet_size) * p.u[j];
    }
    for (int r = 0; r < 4; ++r) octet(p.x + i + r * octet_size) = sums[r];
  }
  for (; i < p.stride; i += octet_size) {
    Octet sums = {};
    for (Index j = k + 1; j < p.columns; ++j) sums += octet(p.column(j) + i) * p.u[j];
    octet(p.x + i) = sums;
  }
}

/// u and x of row k, given v and y; returns the entry beside the diagonal.
Real reflect_row(const Panel& p, Index k) {
  Real tail = 0;
  for (Index j = k + 1; j < p.columns; ++j) {
    p.u[j] = p.column(j)[k] - p.y[j];
    if (j > k + 1) tail += p.u[j] * p.u[j];
  }
  const Reflector h = reflector(p.u[k + 1], tail);
  for (Index j = k + 2; j < p.columns; ++j) p.u[j] *= h.inverse_scale;
  p.u[k + 1] = 1;
  const Index first = k / octet_size * octet_size;
  times_row(p, k, first);
  Real shared = 0;
  for (Index j = k + 1; j < p.columns; ++j) shared += p.y[j] * p.u[j];
  for (Index i = first; i < p.stride; i += octet_size)
    octet(p.x + i) = h.tau * (octet(p.x + i) - shared * octet(p.v + i));
  return h.beta;
}

void reduce(Real* A, Index rows, Index columns, Index stride, Real* work, Real* diagonal,
            Real* superdiagonal) {
  Panel p{A,    work,    work + stride, work + 2 * stride, work + 3 * stride, work + 3 * stride + columns,
          rows, columns, stride};
  for (Index i = 0; i < 3 * stride + 2 * columns; ++i) work[i] = 0;
  Real tau = reflect_column(p, 0, p.v, diagonal[0]);
  Real* const first_v = p.v;
  // v, y, x and u are zero: the pass computes the first y only.
  p.v = p.x;
  update_and_dot_from(p, 1, 0, first_v, tau);
  p.v = first_v;
  for (Index k = 0; k + 1 < columns; ++k) {
    superdiagonal[k] = reflect_row(p, k);
    const Index first = k / octet_size * octet_size;
    Real* const next = p.column(k + 1);
    for (Index i = first; i < stride; i += octet_size)
      octet(next + i) -= octet(p.v + i) * p.y[k + 1] + octet(p.x + i) * p.u[k + 1];
    tau = reflect_column(p, k + 1, p.next_v, diagonal[k + 1]);
    update_and_dot_from(p, k + 2, first, p.next_v, tau);
    Real* const before = p.v;
    p.v = p.next_v, p.next_v = before;
  }
}

}  // namespace

REZERO_KERNEL_TABLE(BidiagonalKernel, bidiagonal_kernel) = {reduce};

}  // namespace rezero::detail
