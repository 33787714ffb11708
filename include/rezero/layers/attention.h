#pragma once
/// Multi-head self-attention up to the concatenated heads; the output projection is a Linear layer after it.

#include <optional>

#include "rezero/layers/linear.h"
#include "rezero/layers/norm.h"

namespace rezero {

struct AttentionSpec {
  Index heads = 1;
  /// key and value heads, a divisor of `heads`: query head i uses key head i·kv_heads/heads
  Index kv_heads = 1;
  Index sequences = 1;  ///< the positions are this many runs of equal length; each attends within itself
  bool causal = false;  ///< position i attends to positions j ≤ i
  std::optional<Real> scale;  ///< factor of q·k; default: head width^(−1/2)
  std::optional<Real> rope;   ///< base of the rotary positions; default: none
  NormSpec qk_norm;           ///< norm of each head's queries and keys, before the rotation; default: none
};

/// Weights and biases (may be null) of queries, keys and values, each (heads · head width) × features.
struct AttentionWeights {
  MatrixPtr query, key, value;
  VectorPtr query_bias, key_bias, value_bias;
};

/// X (features × positions) ↦ concatenated heads A: A_h = V_h P_hᵀ, P_h = softmax_rows(Q_hᵀ K_h · scale).
/// JVP: dS = (dQᵀK + QᵀdK)·scale, dP = P ⊙ (dS − rowsum(P ⊙ dS)), dA = dV Pᵀ + V dPᵀ, all as matrix products
/// over blocks of tangents; the T²·d² derivative of the softmax is never formed. Cost: 6 d² T + 8 d T² flops
/// per column; memory: T² per column of a panel. With causal masks the derivative's upper blocks are exactly
/// zero. Sources: Vaswani et al. 2017 (arXiv 1706.03762); Su et al. 2021 (arXiv 2104.09864) for rotary
/// positions.
class Attention final : public Layer {
 public:
  Attention(AttentionWeights weights, AttentionSpec spec, Index positions);
  Shape input_shape() const override { return {weights_.query->cols(), positions_}; }
  Shape output_shape() const override { return {weights_.query->rows(), positions_}; }
  /// With one position per sequence the attention weight is 1, so only the value path remains.
  bool positively_homogeneous() const override {
    return positions_ == spec_.sequences && value_->positively_homogeneous();
  }

 private:
  Vector do_evaluate(const Vector& x) const override;
  Linearization do_linearize(const Vector& x) const override;
  LayerPtr projection(const MatrixPtr& W, const VectorPtr& b, Index heads, bool is_value) const;

  AttentionWeights weights_;
  AttentionSpec spec_;
  Index positions_;
  LayerPtr query_, key_, value_;  ///< X ↦ Q, K (normalized and rotated), V
  Real scale_ = 1;
};

}  // namespace rezero
