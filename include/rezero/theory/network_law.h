#pragma once
/// The law of a random stack as theory sees it: forms, scales and variances of its blocks, with nothing
/// drawn.

#include <optional>
#include <string>
#include <vector>

#include "rezero/model/stack_spec.h"

namespace rezero::theory {

/// F and ∂F/∂x. D is the diagonal matrix of φ′.
///
///     linear         W x + b                  W
///     dense          φ(W x + b)               D W
///     preactivation  W φ(x) + b               W D
///     mlp            W2 φ(W1 x + b1) + b2     W2 D W1
enum class BranchForm { linear, dense, preactivation, mlp };
/// The weights' entries: independent, of any law with those variances (the limits are universal), or those of
/// a multiple of a Haar orthogonal matrix.
enum class Ensemble { independent, haar };
enum class NormPlacement { none, before_branch, after_sum };

/// x′ = N(λ x + α F(N(x))), N a layer norm (or RMS norm) at one of the places, or none. To leading order in n
/// the two norms have the same law unless entries have a mean. After the sum, of n directions a layer norm
/// loses two (the mean and x itself) and an RMS norm one, up to ε.
struct BlockLaw {
  BranchForm form = BranchForm::linear;
  Real skip = 1, scale = 1;  ///< λ, α; λ = 0 is a plain net
  /// fan_in · variance of an entry of W (or W1), and of W2; gains included.
  Real weight = 1, weight2 = 1;
  Real bias = 0, bias2 = 0;  ///< variances
  Real gamma = 1;            ///< hidden width / width
  Ensemble ensemble = Ensemble::independent;
  NormPlacement norm = NormPlacement::none;
  bool centered = false;  ///< a layer norm, which subtracts the mean of the entries first
  Real epsilon = 0;       ///< N divides by √(mean square + ε)
  /// The branch is off (α = 0, or its last weight is zero), and it is one whose law is not known: `form` is
  /// linear, `weight` 0. The block's derivative is right; that of the loss by α is not known.
  bool unknown_branch = false;

  /// α F has derivative 0.
  bool off() const;
};

/// Positions (tokens) do not act on each other, so J is block-diagonal, with one n × n block per token. Each
/// block has the law described here, and so has the mixture of their singular values and the mean square of
/// J's entries. They share their weights, so that an average over tokens fluctuates between draws less than
/// the value of one token, but by more than independent ones would: spreads predicted for one are upper
/// bounds.
struct NetworkLaw {
  Index width = 0;                    ///< n: features of one position
  Activation activation{"identity"};  ///< of the branches; identity if no block has one
  std::vector<BlockLaw> blocks;
  Real input_square = 1;  ///< q_0 = |x_0|²/n
  Real input_mean = 0;    ///< mean of x_0's entries
  /// Entries of x_0 are normal (or uniform on the sphere); otherwise laws that need their distribution, those
  /// of preactivation branches, do not apply.
  bool normal_input = true;
  bool fixed_input_square = false;  ///< |x_0|² is the same in every draw; otherwise its variance is 2n q_0²
};

/// The law of a stack, or the reason why no theory is known (`attention with a softmax`, `tied weights`, …).
struct Described {
  std::optional<NetworkLaw> law;
  std::string reason;  ///< set without a law
};

/// What `spec` with `depth` layers is to theory. A final norm is not part of it. Every part of a block's plan
/// is looked at: a norm, an activation, a per-feature scale or a weight normalization that the laws do not
/// cover makes the answer "no theory", unless the branch is off. UsageError if the scheme does not fit.
/// Cost: O(depth), nothing is drawn.
Described describe(const StackSpec& spec, Index depth);

}  // namespace rezero::theory
