#include "spectrum/two_stage/bulge_kernel.h"

#include <cstring>

#include "linalg/octet.h"
#include "spectrum/two_stage/reflection.h"

namespace rezero::detail {
namespace {

/// M ← M H on 8 · strips rows: one pass for M v, one to subtract.
template <int strips>
void right_strip(Real* M, Index stride, const Real* v, Index length) {
  Octet w[strips] = {};
  for (Index c = 0; c < length; ++c)
#pragma GCC unroll 8
    for (int i = 0; i < strips; ++i) w[i] += octet(M + c * stride + i * octet_size) * v[c];
  for (Index c = 0; c < length; ++c)
#pragma GCC unroll 8
    for (int i = 0; i < strips; ++i) {
      Real* const to = M + c * stride + i * octet_size;
      octet(to) -= w[i] * v[c];
    }
}

/// The same on fewer than eight rows.
void right_rows(Real* M, Index stride, const Real* v, Index length, Index rows) {
  Real w[octet_size] = {};
  for (Index c = 0; c < length; ++c)
    for (Index i = 0; i < rows; ++i) w[i] += M[c * stride + i] * v[c];
  for (Index c = 0; c < length; ++c)
    for (Index i = 0; i < rows; ++i) M[c * stride + i] -= w[i] * v[c];
}

/// M ← H M, 8 · strips rows, on `count` columns. Computes all dot products first, so that they are
/// independent.
template <int strips, int count>
void left_columns(Real* M, Index stride, const Octet* v) {
  Octet products[count];
#pragma GCC unroll 8
  for (int c = 0; c < count; ++c) {
    products[c] = octet(M + c * stride) * v[0];
#pragma GCC unroll 8
    for (int i = 1; i < strips; ++i) products[c] += octet(M + c * stride + i * octet_size) * v[i];
  }
#pragma GCC unroll 8
  for (int c = 0; c < count; ++c) {
    const Real w = sum(products[c]);
#pragma GCC unroll 8
    for (int i = 0; i < strips; ++i) {
      Real* const to = M + c * stride + i * octet_size;
      octet(to) -= v[i] * w;
    }
  }
}

template <int strips>
void left_strips(Real* M, Index stride, const Real* v, Index columns) {
  Octet held[strips];
  std::memcpy(held, v, sizeof held);
  Index c = 0;
  for (; c + 4 <= columns; c += 4) left_columns<strips, 4>(M + c * stride, stride, held);
  for (; c < columns; ++c) left_columns<strips, 1>(M + c * stride, stride, held);
}

/// H = I − v vᵀ, ‖v‖² = 2 or 0.
class Reflector {
 public:
  /// Sets H so that it maps the `length` numbers at `from`, `step` apart, to (β, 0, …), and returns β.
  /// Entries at most about 1.
  Real set(const Real* from, Index step, Index length);

  /// M ← M H: rows × length, columns `stride` apart.
  void apply_right(Real* M, Index stride, Index rows) const;
  /// M ← H M: length × columns.
  void apply_left(Real* M, Index stride, Index columns) const;

 private:
  Index length_ = 0;
  alignas(64) Real v_[longest_reflection];  ///< padded with zeros to whole octets
};

Real Reflector::set(const Real* from, Index step, Index length) {
  length_ = length;
  const Index whole = whole_octets(length);
  for (Index i = 0; i < length; ++i) v_[i] = from[i * step];
  for (Index i = length; i < whole; ++i) v_[i] = 0;
  Octet squares = {};
  for (Index i = 0; i < whole; i += octet_size) squares += octet(v_ + i) * octet(v_ + i);
  const Reflection h = reflection(sum(squares), v_[0]);
  v_[0] -= h.beta;
  for (Index i = 0; i < whole; i += octet_size) octet(v_ + i) *= h.scale;
  return h.beta;
}

void Reflector::apply_right(Real* M, Index stride, Index rows) const {
  for (; rows >= 4 * octet_size; rows -= 4 * octet_size, M += 4 * octet_size)
    right_strip<4>(M, stride, v_, length_);
  for (; rows >= octet_size; rows -= octet_size, M += octet_size) right_strip<1>(M, stride, v_, length_);
  if (rows > 0) right_rows(M, stride, v_, length_, rows);
}

void Reflector::apply_left(Real* M, Index stride, Index columns) const {
  if (length_ == 16) return left_strips<2>(M, stride, v_, columns);
  if (length_ == 24) return left_strips<3>(M, stride, v_, columns);
  if (length_ == 32) return left_strips<4>(M, stride, v_, columns);
  if (length_ == 48) return left_strips<6>(M, stride, v_, columns);
  for (Index c = 0; c < columns; ++c) {
    Real* const column = M + c * stride;
    Real w = 0;
    for (Index i = 0; i < length_; ++i) w += column[i] * v_[i];
    for (Index i = 0; i < length_; ++i) column[i] -= v_[i] * w;
  }
}

void step(Real* bulge, Index rows, Real* block, Index columns, Index stride, Index length) {
  Reflector v;
  const Real beta = v.set(bulge, stride, length);
  v.apply_right(bulge, stride, rows);
  *bulge = beta;
  for (Index i = 1; i < length; ++i) bulge[i * stride] = 0;

  const Real diagonal = v.set(block, 1, length);
  v.apply_left(block, stride, columns);
  *block = diagonal;
  for (Index i = 1; i < length; ++i) block[i] = 0;
}

}  // namespace

REZERO_KERNEL_TABLE(BulgeKernel, bulge_kernel) = {step};

}  // namespace rezero::detail
