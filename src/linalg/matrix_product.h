#pragma once
/// Products of matrices of any size on one thread: small products over blocks that stay in the second-level
/// cache, their operands read where they lie.

#include "rezero/core/types.h"

namespace rezero {

/// C = A B, no aliasing. Cost 2·rows·depth·columns, at nine tenths of the processor's multiply-add rate and
/// more from 8 columns up (docs/performance.md), where Eigen's product, which packs its operands anew, needs
/// hundreds; one column is Eigen's matrix-vector product. An entry is summed in the order of A's columns:
/// with two columns or more its bits depend on A, its row and its column of B alone.
void multiply(const ConstColumns& A, const ConstColumns& B, Columns C);
/// C += A B.
void add_product(const ConstColumns& A, const ConstColumns& B, Columns C);

}  // namespace rezero
