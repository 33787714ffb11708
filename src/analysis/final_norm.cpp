#include "analysis/final_norm.h"

#include <cmath>

namespace rezero::detail {
namespace {

/// The state in the unit 2^e seen by the norm, and ε in the square of that unit: N(2^e x; ε) is N(x; ε /
/// 4^e). Only states of homogeneous stacks have a separate exponent.
ScaledVector in_unit(ScaledVector x, NormSpec& norm) {
  ScaledVector unit = x;
  if (norm.kind->divides_by_size && renormalize(unit) && (unit.exponent > 0 || norm.undefined_at_zero())) {
    if (norm.eps() != 0) norm.set("eps", norm.eps() * std::exp2(-2 * static_cast<Real>(unit.exponent)));
    return unit;
  }
  x.mantissa *= std::exp2(static_cast<Real>(x.exponent));
  x.exponent = 0;
  return x;
}

}  // namespace

EndNorms::EndNorms(const Block& block) {
  if (const BlockParts* parts = block.residual_parts()) pre = parts->pre_norm, post = parts->post_norm;
}

NormSpec EndNorms::final_norm() const {
  NormSpec norm = pre ? pre : post;
  if (!norm) norm = NormSpec::of("layer_norm");
  norm.weight = nullptr;
  norm.bias = nullptr;
  return norm;
}

FinalNorm final_norm_at(NormSpec norm, Shape shape, const ScaledVector& state, Index blocks,
                        Rounding rounding) {
  FinalNorm result;
  const bool linear = norm.positively_homogeneous();  // N(2^e x) = 2^e N(x); otherwise of degree 0
  SimulatedRounding rounds(blocks, rounding.sample);
  ScaledVector x = linear ? state : in_unit(state, norm);
  if (rounding.simulated) x.mantissa = rounds(x.mantissa);
  Linearization at = norm.layer(shape)->linearize(x.mantissa);
  if (rounding.simulated) at.derivative = in_other_rounding(at.derivative, rounds);
  result.value = {std::move(at.value), linear ? x.exponent : 0};
  result.derivative = {std::move(at.derivative), linear ? 0 : -x.exponent};
  return result;
}

}  // namespace rezero::detail
