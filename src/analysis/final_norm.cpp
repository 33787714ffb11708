#include "analysis/final_norm.h"

#include <cmath>

namespace rezero::detail {

FinalNorm final_norm_at(const Stack& stack, const ScaledVector& state, Index l, Rounding rounding) {
  const BlockPtr block = stack.block(l);
  const Shape shape = stack.shape_after(l + 1);
  NormSpec norm = block->parts().pre_norm ? block->parts().pre_norm : block->parts().post_norm;
  if (!norm) norm = NormSpec::of("layer_norm");
  norm.weight = norm.bias = nullptr;
  FinalNorm result;
  SimulatedRounding rounds(l + 1);
  Vector x = rounding == Rounding::other ? rounds(state.mantissa) : state.mantissa;
  if (norm.kind->has_eps && !norm.kind->has_running &&
      state.exponent > 0) {  // N(2^e x) is N(x) with ε / 4^e, its derivative 2^−e times that
    norm.eps *= std::exp2(-2 * static_cast<Real>(state.exponent));
    result.derivative.exponent = -state.exponent;
  } else {
    x *= std::exp2(static_cast<Real>(state.exponent));
  }
  Linearization at = norm.layer(shape)->linearize(x);
  result.derivative.map =
      rounding == Rounding::other ? in_other_rounding(at.derivative, rounds) : at.derivative;
  result.value = std::move(at.value);
  result.null_directions = norm.null_directions(shape);
  result.norm = norm;
  return result;
}

}  // namespace rezero::detail
