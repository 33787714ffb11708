#pragma once
/// Layers: differentiable functions of the state, linearized once and then applied to many directions.
///
/// `linearize(x)` returns f(x) and the derivative at x as a LinearMap. Everything that the derivative needs
/// from x (slopes, attention weights, norms) is computed in this one call. Dense Jacobians, matrix-free
/// spectra and product SVDs then all use the same map. For f(x) = relu(W x) with W = [1 0; 1 −1] at x = (2,
/// 3), where W x = (2, −1):
///
///     const Linearization at = layer->linearize(x);
///     at.value;                              // (2, 0)
///     at.derivative->apply(V, out);          // diag(1, 0) W V:  [1 0; 0 0] for V = I
///
/// Laws, which the tests check for every layer (tests/support/layer_cases.cpp lists them; one line adds a
/// layer):
///
///     linearize(x).value = evaluate(x)
///     derivative · v = lim (evaluate(x + h v) − evaluate(x − h v)) / 2h
///     derivative satisfies the laws of linear_map.h
///
/// `evaluate` is implemented independently of `linearize`, so that each tests the other. Weights are passed
/// in and never drawn here. Sequential, a residual block and a whole branch are layers, too.

#include <memory>

#include "rezero/linalg/linear_map.h"

namespace rezero {

/// f(x) and ∂f/∂x at x.
struct Linearization {
  Vector value;
  LinearMapPtr derivative;
};

/// Immutable, with shared weights. The public functions check sizes and call the private ones.
class Layer {
 public:
  Layer() = default;
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;
  virtual ~Layer() = default;

  virtual Shape input_shape() const = 0;
  virtual Shape output_shape() const = 0;
  /// True if f(c x) = c f(x) for all c > 0, so that ∂f/∂x does not depend on the scale of x.
  virtual bool positively_homogeneous() const = 0;
  /// True if ∂f/∂x is constant except at kinks, so that rounding of x does not affect it.
  virtual bool piecewise_linear() const { return false; }

  /// True if the layer may ignore some entries of x.
  virtual bool drops_inputs() const { return false; }
  /// The operand of the layer's weight at each position, one column after another; x itself for a matrix.
  virtual Vector multiplied(const Vector& x) const { return x; }

  /// f(x). x: input_shape().size(); ShapeError otherwise.
  Vector evaluate(const Vector& x) const;
  Linearization linearize(const Vector& x) const;

 private:
  virtual Vector do_evaluate(const Vector& x) const = 0;
  virtual Linearization do_linearize(const Vector& x) const = 0;
};

using LayerPtr = std::shared_ptr<const Layer>;

}  // namespace rezero
