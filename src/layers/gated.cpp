#include "rezero/layers/gated.h"

#include "rezero/core/error.h"
#include "rezero/linalg/maps.h"

namespace rezero {

GatedProduct::GatedProduct(LayerPtr gate, LayerPtr up, Activation activation)
    : gate_(std::move(gate)), up_(std::move(up)), activation_(std::move(activation)) {
  if (gate_->input_shape() != up_->input_shape() || gate_->output_shape() != up_->output_shape())
    throw ShapeError("gate and up of a gated product differ in shape (" +
                     std::to_string(gate_->output_shape().size()) + " and " +
                     std::to_string(up_->output_shape().size()) + " outputs)");
}

Vector GatedProduct::do_evaluate(const Vector& x) const {
  return activation_.value(gate_->evaluate(x)).cwiseProduct(up_->evaluate(x));
}

Linearization GatedProduct::do_linearize(const Vector& x) const {
  const Linearization gate = gate_->linearize(x), up = up_->linearize(x);
  const Vector opened = activation_.value(gate.value);
  Vector gate_slope = activation_.derivative(gate.value).cwiseProduct(up.value);
  LinearMapPtr through_gate =
      product_map({gate.derivative, diagonal_map(std::move(gate_slope), output_shape().positions)});
  LinearMapPtr through_up = product_map({up.derivative, diagonal_map(opened, output_shape().positions)});
  return {opened.cwiseProduct(up.value), sum_map(std::move(through_gate), std::move(through_up))};
}

}  // namespace rezero
