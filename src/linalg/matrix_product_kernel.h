#pragma once
/// The loops behind matrix_product.h.

#include "core/kernel.h"

namespace rezero::detail {

/// Column-major operands with their strides between columns.
struct ProductOperands {
  Index rows, depth, columns;  ///< of the result, of the sums, of the result
  const Real* A;
  Index a_stride;
  const Real* B;
  Index b_stride;
  Real* C;
  Index c_stride;
  bool added;  ///< C is added to, not overwritten
};

/// The largest block of the left operand: half a megabyte, for the second-level cache.
constexpr Index block_rows = 192, block_depth = 320;

struct MatrixProductKernel {
  /// C = A B or C += A B. copy: room for block_rows × block_depth numbers, where blocks of A are copied as
  /// tiles read them, or null. An entry is one chain of multiply-adds in the order of A's columns, so its
  /// bits depend neither on the copy nor on its place.
  void (*multiply)(const ProductOperands& product, Real* copy);
  /// C = Aᵀ B or C += Aᵀ B; A: depth × rows. An entry sums the lanes of vectors along the depth.
  void (*multiply_transposed)(const ProductOperands& product);
  Index lanes;  ///< of a vector
};
REZERO_KERNEL(MatrixProductKernel, matrix_product_kernel)

}  // namespace rezero::detail
