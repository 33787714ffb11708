#pragma once
/// The gated hidden layer of GLU feed-forward blocks.

#include "rezero/layers/activation.h"
#include "rezero/layers/linear.h"

namespace rezero {

/// X ↦ φ(G(X)) ⊙ U(X) for two layers of equal shapes. Derivative: diag(φ′(G) ⊙ U) ∂G + diag(φ(G)) ∂U.
/// Source: Dauphin et al. 2017; Shazeer 2020 (arXiv 2002.05202) for feed-forward blocks.
class GatedProduct final : public Layer {
 public:
  GatedProduct(LayerPtr gate, LayerPtr up, Activation activation);
  Shape input_shape() const override { return gate_->input_shape(); }
  Shape output_shape() const override { return gate_->output_shape(); }
  bool positively_homogeneous() const override { return false; }

 private:
  Vector do_evaluate(const Vector& x) const override;
  Linearization do_linearize(const Vector& x) const override;
  LayerPtr gate_, up_;
  Activation activation_;
};

}  // namespace rezero
