#include "layers/softmax_kernel.h"

#include "linalg/octet.h"

namespace rezero::detail {
namespace {

/// Partial sums in a fixed order; a single running sum would cost as much as the matrix products.
void through(const Real* p, Real scale, Index rows, Index columns, Real* s, Index stride) {
  for (Index i = 0; i < columns; ++i, p += stride, s += stride) {
    Octet products = {};
    for (Index j = 0; j < rows; j += octet_size) products += octet(p + j) * octet(s + j);
    const Real mean = sum(products);
    for (Index j = 0; j < rows; j += octet_size) octet(s + j) = octet(p + j) * (octet(s + j) - mean) * scale;
  }
}

}  // namespace

REZERO_KERNEL_TABLE(SoftmaxKernel, softmax_kernel) = {through};

}  // namespace rezero::detail
