#include "linalg/small_systems.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>

#include "rezero/core/error.h"

namespace rezero::detail {

TridiagonalSpectrum tridiagonal_spectrum(const Vector& diagonal, const Vector& off_diagonal) {
  Eigen::SelfAdjointEigenSolver<Matrix> solver;
  solver.computeFromTridiagonal(diagonal, off_diagonal);
  if (solver.info() != Eigen::Success)
    throw NumericalError(
        "the eigenvalues of a tridiagonal matrix did not converge (its entries are not usable)");
  return {solver.eigenvalues(), solver.eigenvectors().row(0)};
}

Vector least_squares(const Matrix& A, const Vector& b) {
  Eigen::ColPivHouseholderQR<Matrix> qr(A);
  qr.setThreshold(1e-10);
  return qr.solve(b);
}

Eigen::VectorXcd solve_complex(const Eigen::MatrixXcd& A, const Eigen::VectorXcd& b) {
  return A.partialPivLu().solve(b);
}

}  // namespace rezero::detail
