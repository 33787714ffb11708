#include "accuracy/reference.h"

namespace rezero::reference {
namespace {

/// Heads of one kind: entry i of head h at a position.
struct Heads {
  State values;
  Index width, count;
  const Dual& at(Index i, Index h, Index position) const {
    return values[static_cast<std::size_t>((position * count + h) * width + i)];
  }
  Dual& at(Index i, Index h, Index position) {
    return values[static_cast<std::size_t>((position * count + h) * width + i)];
  }
};

/// Pairs (i, i + width/2) turned by position · base^(−2i/width).
void rotate(Heads& heads, Index positions, Index length, Real base) {
  for (Index i = 0; i < heads.width / 2; ++i) {
    const Number exponent = Number(static_cast<double>(-2 * i)) / Number(static_cast<double>(heads.width));
    const Number frequency = pow(base, exponent);
    for (Index t = 0; t < positions; ++t) {
      const Number angle = Number(static_cast<double>(t % length)) * frequency, c = cos(angle),
                   s = sin(angle);
      for (Index h = 0; h < heads.count; ++h) {
        const Dual a = heads.at(i, h, t), b = heads.at(i + heads.width / 2, h, t);
        heads.at(i, h, t) = c * a - s * b;
        heads.at(i + heads.width / 2, h, t) = c * b + s * a;
      }
    }
  }
}

Heads projected(const BlockParts& parts, Role role, Index count, const State& X) {
  const AttentionSpec& spec = parts.attention;
  const WeightPair& pair = parts.weights.at(role);
  const Index positions = parts.shape.positions;
  Heads heads{affine(pair, positions, X), pair.weight->rows() / count, count};
  if (role == Role::value) return heads;
  if (spec.qk_norm) heads.values = normed(spec.qk_norm, {heads.width, count * positions}, heads.values);
  if (spec.rope) rotate(heads, positions, positions / spec.sequences, *spec.rope);
  return heads;
}

Dual dot(const Heads& Q, Index h, Index i, const Heads& K, Index g, Index j) {
  Dual sum;
  for (Index k = 0; k < Q.width; ++k) sum = sum + Q.at(k, h, i) * K.at(k, g, j);
  return sum;
}

/// exp of the scores over their sum. The largest score is subtracted with its derivative: the quotient
/// depends on neither, and scores beyond 1e100 would otherwise leave only rounding error.
std::vector<Dual> softmax(std::vector<Dual> scores) {
  Dual top = scores.front();
  for (const Dual& s : scores)
    if (s.value > top.value) top = s;
  Dual sum;
  for (Dual& s : scores) {
    s = exp(s - top);
    sum.add(1, s);
  }
  const Dual r = inverse(sum);
  for (Dual& s : scores) s = s * r;
  return scores;
}

}  // namespace

State attended(const BlockParts& parts, const State& X) {
  const AttentionSpec& spec = parts.attention;
  const Heads Q = projected(parts, Role::query, spec.heads, X),
              K = projected(parts, Role::key, spec.kv_heads, X),
              V = projected(parts, Role::value, spec.kv_heads, X);
  const Index positions = parts.shape.positions, length = positions / spec.sequences;
  const Number scale = spec.scale ? Number(*spec.scale) : 1 / sqrt(Number(static_cast<double>(Q.width)));
  State A;
  for (Index i = 0; i < positions; ++i)
    for (Index h = 0; h < spec.heads; ++h) {
      const Index first = i / length * length, last = spec.causal ? i : first + length - 1;
      const Index g = h * spec.kv_heads / spec.heads;
      std::vector<Dual> scores;
      for (Index j = first; j <= last; ++j) scores.push_back(scale * dot(Q, h, i, K, g, j));
      const std::vector<Dual> P = softmax(std::move(scores));
      for (Index k = 0; k < V.width; ++k) {
        A.emplace_back();
        for (Index j = first; j <= last; ++j)
          A.back() = A.back() + P[static_cast<std::size_t>(j - first)] * V.at(k, g, j);
      }
    }
  return A;
}

}  // namespace rezero::reference
