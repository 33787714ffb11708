#pragma once
/// Philox4x32-10 on vectors of counters. A vector has 64-bit lanes with one 32-bit word in the low half of
/// each; the high halves may hold anything. Same words as philox.h, which tests compare.

#include <cstddef>
#include <cstdint>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "rezero/random/key.h"

namespace rezero::detail {

#if defined(__AVX512F__)
constexpr std::size_t lane_count = 8;
#elif defined(__AVX2__)
constexpr std::size_t lane_count = 4;
#else
constexpr std::size_t lane_count = 2;
#endif
typedef std::uint64_t Lanes __attribute__((vector_size(8 * lane_count)));

constexpr std::uint64_t low_half = 0xFFFFFFFF;

/// The 64-bit products of the low halves. A single instruction that gcc 12 does not find; with it, AVX2 draws
/// twice as many words.
static inline Lanes multiply_low_halves(Lanes a, Lanes b) {
#if defined(__AVX512F__)
  // The zero-masked form, because the plain one makes gcc warn about its own undefined operand.
  return reinterpret_cast<Lanes>(
      _mm512_maskz_mul_epu32(0xFF, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  return reinterpret_cast<Lanes>(
      _mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__SSE2__)
  return reinterpret_cast<Lanes>(_mm_mul_epu32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return (a & low_half) * (b & low_half);
#endif
}

/// The words of lane_count consecutive pairs: a = w0 + 2^32 w1, b = w2 + 2^32 w3.
static inline void philox_lanes(const StreamKey& key, std::uint64_t first_pair, Lanes& a, Lanes& b) {
  constexpr Lanes zero = {};
  Lanes pair;
  for (std::size_t i = 0; i < lane_count; ++i) pair[i] = first_pair + i;
  Lanes c0 = pair, c1 = pair >> 32, c2 = zero + key.role, c3 = zero + key.block;
  auto key0 = static_cast<std::uint32_t>(key.seed), key1 = static_cast<std::uint32_t>(key.seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const Lanes product0 = multiply_low_halves(c0, zero + std::uint64_t{0xD2511F53});
    const Lanes product1 = multiply_low_halves(c2, zero + std::uint64_t{0xCD9E8D57});
    c0 = (product1 >> 32) ^ c1 ^ key0;
    c2 = (product0 >> 32) ^ c3 ^ key1;
    c1 = product1;
    c3 = product0;
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  a = (c0 & low_half) | c1 << 32;
  b = (c2 & low_half) | c3 << 32;
}

}  // namespace rezero::detail
