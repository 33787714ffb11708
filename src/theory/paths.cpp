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

}  // namespace

Matrix slope_paths(const std::vector<CavityBlock>& blocks, const GaussianIntegrals& activation, Index count) {
  Vector quantiles(count);
  for (Index k = 0; k < count; ++k)
    quantiles[k] = normal_quantile((static_cast<Real>(k) + 0.5) / static_cast<Real>(count));
  quantiles *= 1 / std::sqrt(quantiles.squaredNorm() / static_cast<Real>(count));
  Matrix slopes(count, static_cast<Index>(blocks.size()));
  Vector x = std::sqrt(blocks[0].variance) * quantiles;
  for (std::size_t l = 0; l < blocks.size(); ++l) {
    if (l > 0) {
      const Real lambda = blocks[l - 1].skip, added = blocks[l].variance - lambda * lambda * blocks[l - 1].variance;
      if (!(added >= -1e-9 * blocks[l].variance))
        throw UsageError("no spectral law (the variance of a stream cannot fall below that of its skip)");
      const std::vector<Index> order = shuffled(count, static_cast<std::uint32_t>(l));
      const Real scale = std::sqrt(std::max<Real>(0, added));
      for (Index k = 0; k < count; ++k) x[k] = lambda * x[k] + scale * quantiles[order[static_cast<std::size_t>(k)]];
    }
    const Index column = static_cast<Index>(l);
    slopes.col(column) = activation.activation().derivative(x).cwiseAbs2();
    const Real mean = slopes.col(column).mean(), exact = activation.at(blocks[l].variance).slope_square;
    if (mean > 0) slopes.col(column) *= exact / mean;
  }
  return slopes;
}

}  // namespace rezero::theory::detail
