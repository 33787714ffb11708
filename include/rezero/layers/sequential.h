#pragma once
/// Composition of layers.

#include <vector>

#include "rezero/layers/layer.h"

namespace rezero {

/// x ↦ f_m(… f_1(x)). Sizes of neighbours must agree (one layer may see heads where its neighbour sees
/// features); at least one layer. Derivative: the product of their derivatives.
class Sequential final : public Layer {
 public:
  explicit Sequential(std::vector<LayerPtr> layers);
  Shape input_shape() const override { return layers_.front()->input_shape(); }
  Shape output_shape() const override { return layers_.back()->output_shape(); }
  bool positively_homogeneous() const override;
  bool piecewise_linear() const override;

 private:
  Vector do_evaluate(const Vector& x) const override;
  Linearization do_linearize(const Vector& x) const override;
  std::vector<LayerPtr> layers_;
};

}  // namespace rezero
