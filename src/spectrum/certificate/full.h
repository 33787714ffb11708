#pragma once
/// The two halves of the certificate of a full spectrum: measurements of the matrix, and the comparison.

#include <string>

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

/// Why s (descending, n = min(rows, cols) values) cannot be the values of the matrix A that was measured;
/// empty if it passes. Requirements: all finite, non-negative, descending; |‖s‖₂ − ‖A‖_F| and |‖s‖₄² −
/// ‖AᵀA‖_F| within 8 n eps relative; and the log-determinant between the bounds from Weyl's inequality,
///   Σ log(sᵢ − δσ₁) ≤ log|det A| ≤ Σ log(sᵢ + δσ₁),   δ = relative_resolution + n·eps·growth,
/// from an LU (square) or QR (rectangular, det R). The left side holds if every sᵢ > δσ₁, the right side
/// always, so small values lost to zero are noticed, too. Derivation: docs/accuracy.md.
std::string full_fault(const MatrixFacts& facts, const Vector& s, Real relative_resolution);

}  // namespace rezero::detail
