#pragma once
/// The certificate of a full spectrum in its two halves: what is measured of the matrix, and the comparison.

#include "rezero/spectrum/spectrum.h"
#include "spectrum/certificate/determinant.h"

namespace rezero::detail {

/// What a certificate needs to know of a matrix; no singular value solver takes part in it, so it can be
/// measured beside one.
struct MatrixFacts {
  Index dimension = 0;  ///< min(rows, cols)
  Index longer = 0;     ///< max(rows, cols)
  Real largest = 0;     ///< modulus of an entry; what follows is 0 where it is 0 or not finite
  Real norm = 0;        ///< ‖A‖_F
  Real gram_norm = 0;   ///< ‖AᵀA‖_F
  LogDeterminant determinant;
};

/// A: entries at most about 1. Cost n² max + 2/3 n³, on up to `workers` threads; memory the larger of one
/// copy of A and 128 (rows + cols) a thread.
MatrixFacts measure(ConstColumns A, int workers);

/// certify_full of a matrix with those facts.
Certificate certify(const MatrixFacts& facts, const Vector& s, Real relative_resolution);

}  // namespace rezero::detail
