#pragma once
/// The loops behind sample.h, in pairs: one Philox block makes one pair of numbers. Only operations that
/// every processor rounds alike, so the bits do not depend on the level.
///
/// Pair j of a stream takes the words (w0, w1, w2, w3) = Philox4x32-10(counter = (j low, j high, role,
/// block), key = (seed low, seed high)) and forms A = w0 + 2^32 w1, B = w2 + 2^32 w3.

#include "core/kernel.h"
#include "rezero/random/key.h"

namespace rezero::detail {

struct PairKernel {
  /// out[2i], out[2i+1] = ρ cos θ, ρ sin θ for pairs first_pair + i, 0 ≤ i < pairs.
  /// ρ = √(−2 log u), u = 1 − 2^-52 (2 ⌊A/2^13⌋ + 1): an odd multiple of 2^-52 in (0, 1), so 0 < ρ < 8.5.
  /// θ = π r/2 with r = 2^-52 (2 ⌊(B mod 2^62)/2^11⌋ + 1) − ½ in (−½, ½); bit 62 of B exchanges cosine and
  /// sine (θ → π/2 − θ), bit 63 negates both (θ → θ + π): uniform on the circle, never on an axis.
  void (*normal)(double* out, std::size_t pairs, const StreamKey& key, std::uint64_t first_pair);
  /// out[2i], out[2i+1] = 2^-52 (2 ⌊A/2^12⌋ + 1) − 1 and the same of B: odd multiples of 2^-52 in (−1, 1).
  void (*uniform)(double* out, std::size_t pairs, const StreamKey& key, std::uint64_t first_pair);
};
REZERO_KERNEL(PairKernel, pair_kernel)

}  // namespace rezero::detail
