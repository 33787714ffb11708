#include "rezero/linalg/haar.h"

#include <Eigen/QR>

#include "rezero/random/sample.h"

namespace rezero {

Matrix haar_orthogonal(Index rows, Index cols, const StreamKey& key) {
  Matrix gaussian = normal_matrix(rows, cols, key);
  if (rows < cols) gaussian.transposeInPlace();
  const Eigen::HouseholderQR<Matrix> qr(std::move(gaussian));
  Matrix q = qr.householderQ() * Matrix::Identity(qr.rows(), qr.cols());
  // Householder QR chooses the signs of R's diagonal from the data; Q is uniform only with a fixed sign.
  for (Index j = 0; j < q.cols(); ++j)
    if (qr.matrixQR()(j, j) < 0) q.col(j) = -q.col(j);
  if (rows < cols) q.transposeInPlace();
  return q;
}

}  // namespace rezero
