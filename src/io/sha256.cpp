#include "rezero/io/sha256.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace rezero {
namespace {

constexpr std::size_t block_bytes = 64;

/// FIPS 180-4, 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> round_constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<std::uint32_t, 8>;

/// FIPS 180-4, 5.3.3: likewise from the square roots of the first eight primes.
constexpr State initial_state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

std::uint32_t rotate(std::uint32_t x, int bits) {
  return (x >> bits) | (x << (32 - bits));
}

std::array<std::uint32_t, 64> message_schedule(const char* block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t t = 0; t < 64; ++t) {
    if (t < 16) {
      for (std::size_t byte = 0; byte < 4; ++byte)
        w[t] = (w[t] << 8) | static_cast<unsigned char>(block[4 * t + byte]);
      continue;
    }
    const std::uint32_t a = w[t - 15], b = w[t - 2];
    w[t] = w[t - 16] + w[t - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ (a >> 3)) +
           (rotate(b, 17) ^ rotate(b, 19) ^ (b >> 10));
  }
  return w;
}

/// One block into the state: FIPS 180-4, 6.2.2.
void compress(State& state, const char* block) {
  const auto w = message_schedule(block);
  auto [a, b, c, d, e, f, g, h] = state;
#pragma GCC unroll 8  // after eight rounds the letters are back in place, so nothing is moved
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t choice = (e & f) ^ (~e & g), majority = (a & b) ^ (a & c) ^ (b & c);
    const std::uint32_t t1 =
        h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + round_constants[t] + w[t];
    const std::uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const State step = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += step[i];
}

/// The remainder after the whole blocks, a one bit, zeros, and the length in bits: one block or two.
void compress_tail(State& state, std::string_view tail, std::uint64_t total_bytes) {
  std::array<char, 2 * block_bytes> padded{};
  std::memcpy(padded.data(), tail.data(), tail.size());
  padded[tail.size()] = static_cast<char>(0x80);
  const std::size_t size = tail.size() + 9 <= block_bytes ? block_bytes : 2 * block_bytes;
  for (std::size_t i = 0; i < 8; ++i) padded[size - 1 - i] = static_cast<char>((total_bytes * 8) >> (8 * i));
  for (std::size_t at = 0; at < size; at += block_bytes) compress(state, padded.data() + at);
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  State state = initial_state;
  std::size_t at = 0;
  for (; bytes.size() - at >= block_bytes; at += block_bytes) compress(state, bytes.data() + at);
  compress_tail(state, bytes.substr(at), bytes.size());
  std::string hex;
  for (std::uint32_t word : state)
    for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[(word >> shift) & 15];
  return hex;
}

}  // namespace rezero
