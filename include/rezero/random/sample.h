#pragma once
/// Entries of vectors and matrices drawn from an addressed stream. Entry i (column-major) depends only on the
/// key and i, so any part can be drawn at any time. The bits are the same on every x86-64 instruction set.

#include "rezero/core/types.h"
#include "rezero/random/key.h"

namespace rezero {

/// `count` standard normal numbers, elements first … first+count−1 of the stream. `first` must be even.
/// Box–Muller (Box & Muller 1958): elements 2j and 2j+1 are ρ cos θ and ρ sin θ of one Philox block, whose
/// counter is (j low, j high, role, block). Of its words (w0 … w3), 51 bits of w0 + 2^32 w1 make ρ and 53 of
/// w2 + 2^32 w3 make θ; src/random/pairs_kernel.h has the exact map. log, sine and cosine are our own: within
/// 7 ulp of the exact values by the sum of all bounds, below 3 in every test. 0 < |number| < 8.5, symmetric.
/// Cost: half a Philox block per number; 1.3 ns with AVX-512, 2.7 ns with AVX2, 8 ns with SSE2
/// (bench/random_bench.cpp).
void fill_normal(Real* out, Index count, const StreamKey& key, std::uint64_t first = 0);

/// `count` numbers uniform on (−1, 1): odd multiples of 2^-52, symmetric about zero, never ±1 or 0, 52 random
/// bits. Element 2j uses w0 + 2^32 w1, element 2j+1 uses w2 + 2^32 w3. `first` must be even.
void fill_uniform(Real* out, Index count, const StreamKey& key, std::uint64_t first = 0);

/// Elements 0 … size−1 as a vector, or column by column as a matrix.
Vector normal_vector(Index size, const StreamKey& key);
Matrix normal_matrix(Index rows, Index cols, const StreamKey& key);
Matrix uniform_matrix(Index rows, Index cols, const StreamKey& key);

}  // namespace rezero
