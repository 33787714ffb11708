#include "theory/paths.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rezero/core/error.h"
#include "rezero/random/sample.h"
#include "theory/normal_quantile.h"

namespace rezero::theory::detail {
namespace {

/// 0 … count − 1 in the order of random keys.
std::vector<Index> shuffled(Index count, std::uint32_t stream) {
  constexpr std::uint64_t seed = 0;
  Vector keys(count);
  fill_uniform(keys.data(), count, stream_key(seed, StreamRole::probe, 0, stream));
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return keys[a] < keys[b]; });
  return order;
}

/// Entries of `input` at the quantiles (k + ½)/count.
Vector quantiles_of(Vector input, Index count) {
  std::sort(input.data(), input.data() + input.size());
  Vector x(count);
  for (Index k = 0; k < count; ++k) x[k] = input[(2 * k + 1) * input.size() / (2 * count)];
  return x;
}

/// q′ − λ² q of a block from its neighbours, which are those of a normal stream.
Real added_variance(const CavityBlock& block, const CavityBlock& next) {
  const Real added = next.variance - block.skip * block.skip * block.variance;
  if (!(added >= -1e-9 * next.variance))
    throw UsageError("no spectral law (the variance of a stream cannot fall below that of its skip)");
  return std::max<Real>(0, added);
}

}  // namespace

Matrix slope_paths(const std::vector<CavityBlock>& blocks, const GaussianIntegrals& activation,
                   const Vector& input, Index count) {
  const bool given = input.size() > 0;
  Vector quantiles(count);
  for (Index k = 0; k < count; ++k)
    quantiles[k] = normal_quantile((static_cast<Real>(k) + 0.5) / static_cast<Real>(count));
  quantiles *= 1 / std::sqrt(quantiles.squaredNorm() / static_cast<Real>(count));
  Matrix slopes(count, static_cast<Index>(blocks.size()));
  Vector x = given ? quantiles_of(input, count) : Vector(std::sqrt(blocks[0].variance) * quantiles);
  for (std::size_t l = 0; l < blocks.size(); ++l) {
    const CavityBlock& block = blocks[l];
    const Expectations normal = activation.at(block.variance);
    auto column = slopes.col(static_cast<Index>(l));
    column = activation.activation().derivative(x).cwiseAbs2();
    const Real mean = column.mean();
    if (!given && mean > 0) column *= normal.slope_square / mean;
    if (l + 1 == blocks.size()) break;
    Real added = added_variance(block, blocks[l + 1]);
    if (given) {  // the weights' share is that of this input; the biases' stays
      const Real share = block.strength * block.skip * block.skip;
      const Real square = activation.activation().value(x).squaredNorm() / static_cast<Real>(count);
      added = std::max<Real>(0, added + share * (square - normal.square));
    }
    const std::vector<Index> order = shuffled(count, static_cast<std::uint32_t>(l + 1));
    for (Index k = 0; k < count; ++k)
      x[k] = block.skip * x[k] + std::sqrt(added) * quantiles[order[static_cast<std::size_t>(k)]];
  }
  return slopes;
}

}  // namespace rezero::theory::detail
