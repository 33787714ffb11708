#pragma once
/// A block by its formulas in extended precision: value and derivative, implemented independently of the
/// library's layers. They share only plain data (BlockParts and its members).

#include "accuracy/dual.h"
#include "rezero/model/block.h"

namespace rezero::reference {

/// φ and φ′, at kinks as docs/schemes.md says.
Dual activated(const Activation& activation, const Dual& x);
State activated(const Activation& activation, const State& X);

State normed(const NormSpec& norm, Shape shape, const State& X);

/// W x + b at every position; no bias: null.
State affine(const WeightPair& pair, Index positions, const State& X);

/// Concatenated heads, before the output matrix.
State attended(const BlockParts& parts, const State& X);

/// A convolution with its bias.
State convolved(const WeightPair& pair, const ImageSpec& image, const ConvSpec& spec, const State& X);
State conv_branch(const BlockParts& parts, const State& X);
/// The skip path.
State shortcut(const BlockParts& parts, const State& X);

/// x′ of a block.
State passed(const BlockParts& parts, const State& X);

}  // namespace rezero::reference
