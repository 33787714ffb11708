#include "rezero/jacobian/backward.h"

#include <algorithm>
#include <string>

#include "jacobian/pass.h"
#include "rezero/core/contract.h"
#include "rezero/core/error.h"
#include "rezero/linalg/maps.h"
#include "rezero/parallel/parts.h"

namespace rezero {
namespace {

void require_finite(bool finite, Index block) {
  if (!finite)
    throw NumericalError("block " + std::to_string(block) +
                         ": the gradient is not finite (the block's derivative overflowed)");
}

/// vᵀ t. If t is close to the limit of double it is scaled first, so that the sum cannot overflow.
ScaledReal inner_product(const ScaledVector& v, ScaledVector t, Index block) {
  require_finite(renormalize(t), block);
  return ScaledReal::make(v.mantissa.dot(t.mantissa), v.exponent + t.exponent);
}

/// ‖∂/∂W‖_F of a matrix used at every position, Σ_t δ_t y_tᵀ for δ (out × positions) and y (in × positions);
/// or ‖∂/∂γ‖ of a norm's weight, Σ_t δ_t ⊙ y_t.
ScaledReal parameter_gradient_norm(const Vector& delta, const LastParameter& last, Index positions,
                                   Index block) {
  if (positions == 1 && last.kind == LastParameter::Kind::matrix)
    return frobenius_norm(delta) * frobenius_norm(last.input);
  ScaledMatrix D{delta.reshaped(delta.size() / positions, positions)};
  ScaledMatrix Y{last.input.reshaped(last.input.size() / positions, positions)};
  require_finite(renormalize(D) && renormalize(Y), block);
  const ScaledReal norm = last.kind == LastParameter::Kind::matrix
                              ? frobenius_norm(D.mantissa * Y.mantissa.transpose())
                              : frobenius_norm(D.mantissa.cwiseProduct(Y.mantissa).rowwise().sum());
  return norm.shifted(D.exponent + Y.exponent);
}

ScaledReal last_parameter_gradient(const Vector& cotangent, const LastParameter& last, Shape out,
                                   Index block) {
  Vector delta(last.to_output->cols());
  last.to_output->apply_transpose(cotangent, delta);
  return parameter_gradient_norm(delta, last, out.positions, block);
}

/// S ← Aᵀ S for the suffix S = (∂x_L/∂x_{l+1})ᵀ.
void pull_back(const LinearMap& block, ScaledMatrix& suffix, Index l, int workers) {
  Matrix next(block.cols(), suffix.mantissa.cols());
  detail::over_column_panels(block, next.cols(), next.rows(), workers, [&](Index start, Index width) {
    block.apply_transpose(suffix.mantissa.middleCols(start, width), next.middleCols(start, width));
  });
  suffix.mantissa.swap(next);
  require_finite(renormalize(suffix), l);
}

ScaledReal square_norm(const ScaledMatrix& a) {
  return frobenius_square(a.mantissa).shifted(2 * a.exponent);
}

}  // namespace

BackwardResult backward_pass(const Stack& stack, const std::vector<ScaledVector>& states,
                             const BackwardRequest& request) {
  const auto depth = static_cast<Index>(states.size()) - 1;
  REZERO_REQUIRE(depth >= 1 && depth <= stack.blocks());
  const Index n = stack.shape_after(depth).size();
  ScaledVector v{request.cotangent};
  require_finite(renormalize(v), depth);
  ScaledMatrix suffix;
  BackwardResult result;
  if (request.suffix_norms) {
    suffix.mantissa = Matrix::Identity(n, n);
    result.suffix_square.push_back(square_norm(suffix));
  }
  const PartWorkers workers(request.workers);  // for redrawing the weights
  for (Index l = depth; l-- > 0;) {
    if (request.checkpoint) request.checkpoint();
    const ScaledVector& x = states[static_cast<std::size_t>(l)];
    const BlockLinearization at = stack.block(l)->linearize_block(x.mantissa);
    // Derivatives of a homogeneous block do not depend on the state's exponent; its tangents and inputs carry
    // it.
    result.gate_gradient.push_back(inner_product(v, {at.scale_tangent, x.exponent}, l));
    const ScaledReal norm = at.parameter_gradient
                                ? at.parameter_gradient(v.mantissa)
                                : last_parameter_gradient(v.mantissa, at.last, stack.shape_after(l + 1), l);
    result.last_weight_gradient.push_back(norm.shifted(v.exponent + x.exponent));

    Vector pulled(x.mantissa.size());
    at.derivative->apply_transpose(v.mantissa, pulled);
    v.mantissa = std::move(pulled);
    require_finite(renormalize(v), l);
    if (!request.suffix_norms) continue;
    pull_back(*condense(at.derivative, n), suffix, l, request.workers);
    result.suffix_square.push_back(square_norm(suffix));
  }
  std::reverse(result.suffix_square.begin(), result.suffix_square.end());
  std::reverse(result.gate_gradient.begin(), result.gate_gradient.end());
  std::reverse(result.last_weight_gradient.begin(), result.last_weight_gradient.end());
  return result;
}

}  // namespace rezero
