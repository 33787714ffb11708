#pragma once
/// Elementwise nonlinearities with their derivatives and the convention at kinks.

#include <string>
#include <string_view>
#include <vector>

#include "rezero/core/named_spec.h"
#include "rezero/core/registry.h"
#include "rezero/layers/layer.h"

namespace rezero {

/// One row of the table: φ (`summary`), φ′ (at kinks as stated by `kink`) and the gain that preserves a
/// stack's variance. At most one parameter, passed to the functions as `a`.
struct ActivationKind : Entry {
  std::string_view derivative_formula;
  std::string_view kink;  ///< φ′ where φ is not differentiable; empty if smooth
  Real (*value)(Real x, Real a) = nullptr;
  Real (*derivative)(Real x, Real a) = nullptr;
  /// The two for n arguments at once, as layers compute them. Returns which of them, 1
  /// for a value and 2 for a slope, have entries that may have underflowed.
  unsigned (*both)(const Real* x, Index n, Real a, Real* value, Real* slope) = nullptr;
  int degree = 0;  ///< k such that φ(c x) = c^k φ(x) for c > 0; 0: not homogeneous
  Real (*gain)(Real a) = [](Real) { return Real{1}; };  ///< the usual gain for `gain=auto` initializers
  /// φ′ is exactly 0 somewhere; otherwise φ′ = 0, or φ = 0 for a non-zero argument, is an underflow
  bool flat = false;
};

const Registry<ActivationKind>& activations();

/// A resolved activation: a value type.
class Activation {
 public:
  explicit Activation(const NamedSpec& spec);
  explicit Activation(std::string_view text) : Activation(parse_named_spec(text)) {}

  struct Values {
    Vector value, slope;
  };
  /// φ and φ′, elementwise. A result that underflows raises the processor's underflow flag.
  Values both(const Vector& x) const { return results(x, 3); }
  Vector value(const Vector& x) const;
  Vector derivative(const Vector& x) const;
  Real gain() const { return kind_->gain(parameter_); }
  bool homogeneous() const { return kind_->degree == 1; }
  bool is_identity() const;
  std::string canonical() const { return canonical_spec(kind_->name, params_); }
  const ActivationKind& kind() const { return *kind_; }
  const Params& params() const { return params_; }

 private:
  bool flat() const;
  /// Only those asked for, 1 and 2 as above, are watched for underflow.
  Values results(const Vector& x, unsigned watched) const;
  const ActivationKind* kind_;
  Params params_;
  Real parameter_ = 0;
};

/// X ↦ φ(X). Derivative: diag(φ′(X)).
class ActivationLayer final : public Layer {
 public:
  ActivationLayer(Activation activation, Shape shape) : activation_(std::move(activation)), shape_(shape) {}
  Shape input_shape() const override { return shape_; }
  Shape output_shape() const override { return shape_; }
  bool positively_homogeneous() const override { return activation_.homogeneous(); }
  bool piecewise_linear() const override { return activation_.homogeneous(); }

 private:
  Vector do_evaluate(const Vector& x) const override { return activation_.value(x); }
  Linearization do_linearize(const Vector& x) const override;
  Activation activation_;
  Shape shape_;
};

}  // namespace rezero
