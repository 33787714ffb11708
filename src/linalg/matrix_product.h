#pragma once
/// Products of matrices of any size: small products over blocks that stay in the second-level cache.

#include "rezero/core/types.h"

namespace rezero {

/// C = A B, no aliasing. Cost 2·rows·depth·columns. From 8 columns on it reaches nine tenths of the
/// processor's multiply-add rate or more (docs/performance.md); Eigen's product, which packs its operands
/// every time, needs hundreds of columns for that. A single column is Eigen's matrix-vector product. With two
/// or more, an entry is one chain of multiply-adds in the order of A's columns: its bits depend only on A's
/// row and B's column.
void multiply(const ConstColumns& A, const ConstColumns& B, Columns C);
/// C += A B; the chains begin with the entries of C.
void add_product(const ConstColumns& A, const ConstColumns& B, Columns C);
/// C = Aᵀ B. The bits of an entry depend only on its columns of A and B.
void multiply_transposed(const ConstColumns& A, const ConstColumns& B, Columns C);

/// The same on up to `workers` threads, by rows of C, where there is work for them; the bits are the same.
void multiply(const ConstColumns& A, const ConstColumns& B, Columns C, int workers);
void add_product(const ConstColumns& A, const ConstColumns& B, Columns C, int workers);
void multiply_transposed(const ConstColumns& A, const ConstColumns& B, Columns C, int workers);

}  // namespace rezero
