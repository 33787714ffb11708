#pragma once
/// A differentiable function of the state that can be linearized once and then applied to many directions.

#include <memory>

#include "rezero/linalg/linear_map.h"

namespace rezero {

/// f(x) and ∂f/∂x at x.
struct Linearization {
  Vector value;
  LinearMapPtr derivative;
};

/// Immutable; weights are shared. `evaluate` is written apart from `linearize`: they test each other.
class Layer {
 public:
  Layer() = default;
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;
  virtual ~Layer() = default;

  virtual Shape input_shape() const = 0;
  virtual Shape output_shape() const = 0;
  /// True if f(c x) = c f(x) for all c > 0, so that ∂f/∂x does not see the scale of x.
  virtual bool positively_homogeneous() const = 0;
  /// True if ∂f/∂x is the same everywhere but at kinks: rounding of x then does not reach it.
  virtual bool piecewise_linear() const { return false; }

  /// f(x). x: input_shape().size(); ShapeError otherwise.
  Vector evaluate(const Vector& x) const;
  Linearization linearize(const Vector& x) const;

 private:
  virtual Vector do_evaluate(const Vector& x) const = 0;
  virtual Linearization do_linearize(const Vector& x) const = 0;
};

using LayerPtr = std::shared_ptr<const Layer>;

}  // namespace rezero
