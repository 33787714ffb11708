#pragma once
/// Entries of vectors and matrices drawn from an addressed stream. Entry i (column-major) depends on the key
/// and i alone, so any part can be drawn at any time. Bits are the same on every x86-64 instruction set.

#include "rezero/core/types.h"
#include "rezero/random/key.h"

namespace rezero {

/// count standard normal numbers, elements first … first+count−1 of the stream. first must be even.
/// Box–Muller (Box & Muller 1958) on pairs (2j, 2j+1) of one Philox block, own log and sine polynomials.
void fill_normal(Real* out, Index count, const StreamKey& key, std::uint64_t first = 0);

/// count numbers uniform on (−1, 1), symmetric about zero, never ±1 or 0, 52 random bits. first must be even.
void fill_uniform(Real* out, Index count, const StreamKey& key, std::uint64_t first = 0);

Vector normal_vector(Index size, const StreamKey& key);
Matrix normal_matrix(Index rows, Index cols, const StreamKey& key);
Matrix uniform_matrix(Index rows, Index cols, const StreamKey& key);

}  // namespace rezero
