#include "rezero/random/sample.h"

#include "random/pairs_kernel.h"
#include "rezero/core/contract.h"

namespace rezero {
namespace {

using Pairs = void (*)(double*, std::size_t, const StreamKey&, std::uint64_t);

/// Whole pairs in place; the first number of a last half pair.
void fill(Pairs draw, Real* out, Index count, const StreamKey& key, std::uint64_t first) {
  REZERO_REQUIRE(count >= 0 && first % 2 == 0);
  const auto pairs = static_cast<std::size_t>(count / 2);
  draw(out, pairs, key, first / 2);
  if (count % 2 == 0) return;
  Real last[2];
  draw(last, 1, key, first / 2 + pairs);
  out[count - 1] = last[0];
}

}  // namespace

void fill_normal(Real* out, Index count, const StreamKey& key, std::uint64_t first) {
  fill(detail::pair_kernel().normal, out, count, key, first);
}

void fill_uniform(Real* out, Index count, const StreamKey& key, std::uint64_t first) {
  fill(detail::pair_kernel().uniform, out, count, key, first);
}

Vector normal_vector(Index size, const StreamKey& key) {
  Vector out(size);
  fill_normal(out.data(), size, key);
  return out;
}

Matrix normal_matrix(Index rows, Index cols, const StreamKey& key) {
  Matrix out(rows, cols);
  fill_normal(out.data(), out.size(), key);
  return out;
}

Matrix uniform_matrix(Index rows, Index cols, const StreamKey& key) {
  Matrix out(rows, cols);
  fill_uniform(out.data(), out.size(), key);
  return out;
}

}  // namespace rezero
