#pragma once
/// Rotary positions: a fixed orthogonal map on queries and keys.

#include "rezero/layers/layer.h"

namespace rezero {

/// Rotates entries (i, i + w/2) of each head of width w at position t of its sequence by the angle t ·
/// base^(−2i/w). Linear. Source: Su et al. 2021 (arXiv 2104.09864), in the half-split pairing of GPT-NeoX and
/// LLaMA.
LayerPtr rotary_layer(Index head_width, Index heads, Index positions, Index sequences, Real base);

}  // namespace rezero
