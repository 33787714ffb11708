#pragma once
/// Activations with their derivatives, eight arguments at a time.
///
/// Exponentials, tanh and erf are polynomials and quotients of our own, so that results are the same bits in
/// every position of a vector, for vectors of any length, on every level of kernels and with every C library:
/// the source is compiled without fused multiply-adds. Errors against extended precision over the whole range
/// of double, measured and tested by tests/accuracy/activation_ulps_test.cpp: at most 1.6 ulps for tanh and
/// erf, 5 for other values and 6.5 for slopes (near the zeros of slopes, of 1/4).

#include "core/kernel.h"

namespace rezero::detail {

struct ActivationKernel {
  /// value[i] = φ(x[i]), slope[i] = φ′(x[i]); NaN where x[i] is not finite. Parameter a for the kinds that
  /// have one. Returns 1 if a value other than φ(0) is below the normal numbers, plus 2 if a slope is.
  /// May raise the processor's underflow flag without reason.
  using Function = unsigned (*)(const Real* x, Index n, Real a, Real* value, Real* slope);

  Function identity, relu, leaky_relu, hard_tanh, relu_squared, abs;
  Function tanh, erf, scaled_erf, sigmoid, gelu, gelu_tanh, silu, softplus, elu, selu;
};
REZERO_KERNEL(ActivationKernel, activation_kernel)

}  // namespace rezero::detail
