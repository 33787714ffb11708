#include "random/pairs_kernel.h"

#include <cstring>

#include "random/box_muller.h"
#include "random/philox_lanes.h"

namespace rezero::detail {
namespace {

constexpr std::size_t batch = 256;  // 4 KiB of words: they stay in the first-level cache
static_assert(batch % lane_count == 0);

/// The words of consecutive pairs, so that every loop below runs over lanes: low = w0 + 2^32 w1,
/// high = w2 + 2^32 w3.
struct WordBatch {
  alignas(64) std::uint64_t low[batch];
  alignas(64) std::uint64_t high[batch];

  /// Rounds up to whole vectors; words past the last pair are never read.
  void draw(std::size_t pairs, const StreamKey& key, std::uint64_t first_pair) {
    for (std::size_t i = 0; i < pairs; i += lane_count) {
      Lanes a, b;
      philox_lanes(key, first_pair + i, a, b);
      std::memcpy(low + i, &a, sizeof a);
      std::memcpy(high + i, &b, sizeof b);
    }
  }
};

/// 1 + the top 52 bits of the argument as a fraction: a double in [1, 2) without an integer conversion.
inline double one_to_two(std::uint64_t bits) {
  return as_double(0x3FF0000000000000 | bits >> 12);
}

void normal_batch(double* out, std::size_t pairs, const WordBatch& words) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63, odd = std::uint64_t{1} << 12;
  for (std::size_t i = 0; i < pairs; ++i) {
    const std::uint64_t a = words.low[i], b = words.high[i];
    const double radius = __builtin_sqrt(-2.0 * log_positive(2.0 - one_to_two(a | odd)));
    const double r = one_to_two(b << 2 | odd) - 1.5;
    const std::uint64_t cosine = as_bits(cos_quarter(r)), sine = as_bits(sin_quarter(r));
    const std::uint64_t exchange = (cosine ^ sine) & (0 - (b >> 62 & 1));
    const double signed_radius = as_double(as_bits(radius) | (b & sign));
    out[2 * i] = signed_radius * as_double(cosine ^ exchange);
    out[2 * i + 1] = signed_radius * as_double(sine ^ exchange);
  }
}

void uniform_batch(double* out, std::size_t pairs, const WordBatch& words) {
  constexpr double half_step = 1.0 / 4503599627370496.0;  // 2^-52: every operation below is exact
  for (std::size_t i = 0; i < pairs; ++i) {
    out[2 * i] = (2.0 * one_to_two(words.low[i]) - 3.0) + half_step;
    out[2 * i + 1] = (2.0 * one_to_two(words.high[i]) - 3.0) + half_step;
  }
}

/// make(out, count, words) for runs of at most `batch` pairs.
template <class Batch>
void in_batches(double* out, std::size_t pairs, const StreamKey& key, std::uint64_t first_pair, Batch make) {
  WordBatch words;
  for (std::size_t done = 0; done < pairs; done += batch) {
    const std::size_t count = pairs - done < batch ? pairs - done : batch;
    words.draw(count, key, first_pair + done);
    make(out + 2 * done, count, words);
  }
}

void normal_pairs(double* out, std::size_t pairs, const StreamKey& key, std::uint64_t first_pair) {
  in_batches(out, pairs, key, first_pair, normal_batch);
}

void uniform_pairs(double* out, std::size_t pairs, const StreamKey& key, std::uint64_t first_pair) {
  in_batches(out, pairs, key, first_pair, uniform_batch);
}

}  // namespace

REZERO_KERNEL_TABLE(PairKernel, pair_kernel) = {normal_pairs, uniform_pairs};

}  // namespace rezero::detail
