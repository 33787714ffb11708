// The library without the command: the Jacobian of one random stack at three depths, and its extreme singular
// values.

#include <cstdio>

#include "rezero/jacobian/forward.h"
#include "rezero/model/stack.h"
#include "rezero/spectrum/spectrum.h"

int main() {
  using namespace rezero;
  StackSpec spec("depth-power:p=0.5", "mlp");
  spec.width = 64;
  spec.activation = Activation("tanh");
  const StackPtr stack = build_stack(spec, /*seed=*/7, /*depth=*/32);
  const Index n = stack->shape().size();

  forward_jacobian(*stack, stack->input(), Matrix::Identity(n, n), {8, 16, 32}, [](const ForwardStep& step) {
    const Spectrum spectrum = compute_spectrum(step.jacobian, {});
    std::printf("after %2ld blocks: log10 sigma_max %6.3f, log10 sigma_min %6.3f (%s, %s)\n",
                static_cast<long>(step.blocks), spectrum.sigma.front().log10(), spectrum.sigma.back().log10(),
                spectrum.provenance.method.c_str(),
                spectrum.accuracy.certified ? "certified" : "not certified");
  });
}
