#pragma once
/// Small dense problems, solved by Eigen. Private to the library; other modules use it, too.

#include "rezero/core/types.h"

namespace rezero::detail {

/// Eigenvalues of a symmetric tridiagonal matrix, ascending, and the first components of its normalized
/// eigenvectors. NumericalError if the iteration does not converge. Cost: O(n³).
struct TridiagonalSpectrum {
  Vector values, first;
};
TridiagonalSpectrum tridiagonal_spectrum(const Vector& diagonal, const Vector& off_diagonal);

/// x of least ‖A x − b‖; directions below 1e-10 of the largest are left out. Householder QR with pivoting.
Vector least_squares(const Matrix& A, const Vector& b);

/// A⁻¹ b by LU with partial pivoting.
Eigen::VectorXcd solve_complex(const Eigen::MatrixXcd& A, const Eigen::VectorXcd& b);

}  // namespace rezero::detail
