#pragma once
/// The two halves of the certificate of a full spectrum: measurements of the matrix, and the comparison.

#include "rezero/spectrum/spectrum.h"
#include "spectrum/certificate/determinant.h"

namespace rezero::detail {

/// The measurements of a matrix that a certificate needs. No singular value solver is involved, so they can
/// be computed concurrently with one.
struct MatrixFacts {
  Index dimension = 0;  ///< min(rows, cols)
  Index longer = 0;     ///< max(rows, cols)
  Real largest = 0;    ///< largest modulus of an entry; if it is 0 or not finite, the following members are 0
  Real norm = 0;       ///< ‖A‖_F
  Real gram_norm = 0;  ///< ‖AᵀA‖_F
  LogDeterminant determinant;
};

/// A: entries at most about 1. Cost n² max + 2/3 n³, on up to `workers` threads; memory the larger of one
/// copy of A and 128 (rows + cols) per thread.
MatrixFacts measure(ConstColumns A, int workers);

/// certify_full for a matrix with these measurements.
Certificate certify(const MatrixFacts& facts, const Vector& s, Real relative_resolution);

}  // namespace rezero::detail
