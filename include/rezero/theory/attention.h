#pragma once
/// Uniform attention: what is known exactly where the softmax gives every token the same weight.

#include <vector>

#include "rezero/core/types.h"

namespace rezero::theory {

/// x ← x + α (P ⊗ W_o W_v) x, P = 11ᵀ/T: attention whose queries or keys are zero, without a mask. P is the
/// same projector in all blocks, so J = (I − P) ⊗ I + P ⊗ Π (I + α W_o W_v): of all singular values exactly
/// (T − 1)/T are 1, and the rest are those of a stack of `mlp` branches with the identity as activation and
/// γ = d_v/n. Noci et al. 2022 (arXiv 2206.03126) study this case; without a skip see Dong et al. 2021 (arXiv
/// 2103.03404).
struct UniformAttention {
  Index tokens = 1;
  std::vector<Real> strengths;  ///< α² σ_v² σ_o² of each block: fan_in · variance of W_v and of W_o
  Real square = 1;              ///< q_0: mean |token|²/n
  Real mean_square = 0;         ///< |mean token|²/n at the start; q_0/T for independent tokens
};

/// After l blocks, l = 0..L.
struct UniformAttentionState {
  Real log_m1 = 0;           ///< of ((T − 1) + Π (1 + strength))/T, exact at every width
  Real log_square = 0;       ///< log q_l, q_l = q_0 + m_l − m_0 with m_l = m_0 Π (1 + strength)
  Real log_mean_square = 0;  ///< log m_l
  Real log_one_minus_cosine =
      0;  ///< log(1 − ρ_l), 1 − ρ_l = (1 − ρ_0) q_0/q_l, ρ the mean cosine of two tokens
};

/// UsageError unless tokens ≥ 1, 0 ≤ mean_square ≤ square and strengths are not negative.
std::vector<UniformAttentionState> uniform_attention(const UniformAttention& stack);

/// (T − 1)/T.
Real unit_share(const UniformAttention& stack);

}  // namespace rezero::theory
