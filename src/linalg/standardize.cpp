#include "rezero/linalg/standardize.h"

namespace rezero {

void standardize_rows(Matrix& W) {
  W.colwise() -= Vector(W.rowwise().mean());
  W.rowwise().normalize();
}

}  // namespace rezero
