#include "rezero/theory/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "rezero/core/error.h"

namespace rezero::theory {
namespace {

/// log(e^a + e^b).
Real log_sum(Real a, Real b) {
  const Real high = std::max(a, b), low = std::min(a, b);
  return low == -std::numeric_limits<Real>::infinity() ? high : high + std::log1p(std::exp(low - high));
}

}  // namespace

Real unit_share(const UniformAttention& stack) {
  const auto tokens = static_cast<Real>(stack.tokens);
  return (tokens - 1) / tokens;
}

std::vector<UniformAttentionState> uniform_attention(const UniformAttention& stack) {
  const Real square = stack.square, mean = stack.mean_square;
  if (stack.tokens < 1) throw UsageError("uniform attention over no tokens (it needs at least one)");
  if (!(square > 0) || !(mean >= 0) || !(mean <= square) || !std::isfinite(square))
    throw UsageError("the mean token is longer than the tokens (its square is at most their mean square)");
  const auto tokens = static_cast<Real>(stack.tokens);
  // |mean|² = (q + (T − 1) q ρ)/T: 1 − ρ = (1 − m/q) T/(T − 1); a single token has no other.
  const Real apart = stack.tokens == 1 ? 0 : (1 - mean / square) * tokens / (tokens - 1);
  std::vector<UniformAttentionState> states;
  Real growth = 0;  // log Π (1 + strength)
  for (std::size_t l = 0; l <= stack.strengths.size(); ++l) {
    UniformAttentionState state;
    state.log_m1 = log_sum(std::log(tokens - 1), growth) - std::log(tokens);
    state.log_mean_square = std::log(mean) + growth;
    state.log_square = log_sum(std::log(square - mean), state.log_mean_square);
    state.log_one_minus_cosine = std::log(apart) + std::log(square) - state.log_square;
    states.push_back(state);
    if (l == stack.strengths.size()) break;
    if (!(stack.strengths[l] >= 0) || !std::isfinite(stack.strengths[l]))
      throw UsageError("block " + std::to_string(l) + " of uniform attention has a strength of " +
                       std::to_string(stack.strengths[l]) + " (it is a variance)");
    growth += std::log1p(stack.strengths[l]);
  }
  return states;
}

}  // namespace rezero::theory
