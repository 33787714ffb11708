#pragma once
/// Multi-head self-attention up to the concatenated heads; the output projection is a Linear layer after it.

#include <optional>

#include "rezero/layers/linear.h"
#include "rezero/layers/norm.h"

namespace rezero {

struct AttentionSpec {
  Index heads = 1;
  Index kv_heads =
      1;  ///< heads of keys and values; divides heads: query head i uses key head i·kv_heads/heads
  Index sequences = 1;        ///< positions are that many runs of equal length, each attending within itself
  bool causal = false;        ///< position i sees j ≤ i
  std::optional<Real> scale;  ///< of q·k; absent: head width^(−1/2)
  std::optional<Real> rope;   ///< base of rotary positions; absent: none
  NormSpec qk_norm;           ///< of each head's queries and keys, before rotation; none by default
};

/// Weights and biases (may be null) of queries, keys and values, each (heads · head width) × features.
struct AttentionWeights {
  MatrixPtr query, key, value;
  VectorPtr query_bias, key_bias, value_bias;
};

/// X (features × positions) ↦ concatenated heads A: A_h = V_h P_hᵀ, P_h = softmax_rows(Q_hᵀ K_h · scale).
/// JVP: dS = (dQᵀK + QᵀdK)·scale, dP = P ⊙ (dS − rowsum(P ⊙ dS)), dA = dV Pᵀ + V dPᵀ, all as matrix products
/// over blocks of tangents; the T²·d² derivative of the softmax is never formed. Cost per column 6 d² T + 8 d
/// T² flops, memory T² a column of a panel. With causal masks the derivative's upper blocks are exactly zero.
/// Sources: Vaswani et al. 2017 (arXiv 1706.03762); Su et al. 2021 (arXiv 2104.09864) for rotary positions.
class Attention final : public Layer {
 public:
  Attention(AttentionWeights weights, AttentionSpec spec, Index positions);
  Shape input_shape() const override { return {weights_.query->cols(), positions_}; }
  Shape output_shape() const override { return {weights_.query->rows(), positions_}; }
  /// Alone in its sequence a position sees itself with weight 1: only the values are left.
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
  LayerPtr query_, key_, value_;  ///< X ↦ Q, K (normed and rotated), V
  Real scale_ = 1;
};

}  // namespace rezero
