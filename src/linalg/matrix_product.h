#pragma once
/// Products of matrices of any size on one thread: small products over blocks that stay in the second-level
/// cache, with operands read in place.

#include "rezero/core/types.h"

namespace rezero {

/// C = A B, no aliasing. Cost 2·rows·depth·columns. From 8 columns on it reaches nine tenths of the
/// processor's multiply-add rate or more (docs/performance.md); Eigen's product, which packs its operands
/// every time, needs hundreds of columns for that. A single column is Eigen's matrix-vector product. An entry
/// is summed in the order of A's columns: with two or more columns its bits depend only on A, its row and its
/// column of B.
void multiply(const ConstColumns& A, const ConstColumns& B, Columns C);
/// C += A B.
void add_product(const ConstColumns& A, const ConstColumns& B, Columns C);

/// The same on up to `workers` threads, by rows of A, where there is work for them; the bits are the same.
void multiply(const ConstColumns& A, const ConstColumns& B, Columns C, int workers);
void add_product(const ConstColumns& A, const ConstColumns& B, Columns C, int workers);

}  // namespace rezero
