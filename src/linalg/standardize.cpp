#include "rezero/linalg/standardize.h"

namespace rezero {

void standardize_rows(Matrix& W) {
  W.colwise() -= Vector(W.rowwise().mean());
  for (Index i = 0; i < W.rows(); ++i) {
    const Real norm = W.row(i).norm();
    if (norm > 0) W.row(i) /= norm;
  }
}

}  // namespace rezero
