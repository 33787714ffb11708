#include "spectrum/product/turn_kernel.h"

#include "linalg/octet.h"

namespace rezero::detail {
namespace {

Turned turn(Real* x, Real* y, Index count, Real c, Real s, Real t) {
  Octet x_squares = {}, y_squares = {};
  Index k = 0;
  for (; k + octet_size <= count; k += octet_size) {
    const Octet a = octet(x + k), b = octet(y + k);
    const Octet turned_a = c * a - s * b, turned_b = c * b + t * a;
    octet(x + k) = turned_a;
    octet(y + k) = turned_b;
    x_squares += turned_a * turned_a;
    y_squares += turned_b * turned_b;
  }
  Turned result{0, 0};
  for (Index i = 0; i < octet_size; ++i) result.x_square += x_squares[i], result.y_square += y_squares[i];
  for (; k < count; ++k) {
    const Real a = x[k], b = y[k];
    x[k] = c * a - s * b;
    y[k] = c * b + t * a;
    result.x_square += x[k] * x[k];
    result.y_square += y[k] * y[k];
  }
  return result;
}

}  // namespace

REZERO_KERNEL_TABLE(TurnKernel, turn_kernel) = {turn};

}  // namespace rezero::detail
