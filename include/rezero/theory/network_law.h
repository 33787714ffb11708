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
enum class Ensemble {
  independent,
  haar
};  ///< of the entries: i.i.d. (universality makes their law irrelevant), or
    ///< a multiple of a Haar orthogonal matrix
enum class NormPlacement { none, before_branch, after_sum };

/// x′ = N(λ x + α F(N(x))), N a layer norm (or RMS norm) at one of the places, or none.
struct BlockLaw {
  BranchForm form = BranchForm::linear;
  Real skip = 1, scale = 1;  ///< λ, α; λ = 0 is a plain net
  /// fan_in · variance of an entry of W (or W1), and of W2; gains included.
  Real weight = 1, weight2 = 1;
  Real bias = 0, bias2 = 0;  ///< variances
  Real gamma = 1;            ///< hidden width / width
  Ensemble ensemble = Ensemble::independent;
  NormPlacement norm = NormPlacement::none;
};

struct NetworkLaw {
  Index width = 0;
  Activation activation{"relu"};  ///< identity for linear branches
  std::vector<BlockLaw> blocks;
  Real input_square = 1;  ///< q_0 = |x_0|²/n
  Real input_mean = 0;    ///< mean of x_0's entries
  bool normal_input =
      true;  ///< entries of x_0 are normal; otherwise laws that need their distribution do not apply
};

/// The law of a stack, or the reason why no theory is known (`attention with a softmax`, `tied weights`, …).
struct Described {
  std::optional<NetworkLaw> law;
  std::string reason;  ///< set without a law
};

/// What `spec` with `depth` layers is to theory. Every part of a block's plan is looked at: a norm, an
/// activation, a per-feature scale or a weight normalization that the laws do not cover makes the answer "no
/// theory". Cost: O(depth), nothing is drawn.
Described describe(const StackSpec& spec, Index depth);

}  // namespace rezero::theory
