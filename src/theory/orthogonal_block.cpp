#include "theory/orthogonal_block.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rezero::theory::detail {
namespace {

/// I + e Q on a grid of angles. The density is infinite at both ends, as an inverse square root.
SpectralLaw circle_law(Real e, Real shift) {
  constexpr int steps = 2000, halvings = 40;
  const Real pi = std::acos(Real{-1});
  std::vector<Real> y, above, density;
  // at (π − θ)/π = `left`: 1 + e² + 2 e cos θ = (1 − e)² + 4 e sin²(π left/2)
  const auto add = [&](Real left) {
    const Real sine = std::sin(pi * left / 2), cosine = std::cos(pi * left / 2);
    const Real square = (1 - e) * (1 - e) + 4 * e * sine * sine;
    const Real at = shift + std::log(square), fall = 4 * e * sine * cosine;  // −dσ²/dθ
    if (!y.empty() && !(at < y.back())) return;
    y.push_back(at), above.push_back(1 - left);
    density.push_back(std::min(square / (pi * std::max(fall, 1e-300)), 1e6 * square / (4 * e)));
  };
  for (int k = 0; k < steps; ++k) add(1 - static_cast<Real>(k) / steps);
  for (int k = 1; k <= halvings; ++k) add(std::exp2(-k / Real{2}) / steps);  // a tail if e = 1
  above.back() = 1;
  const Index count = static_cast<Index>(y.size());
  SpectralLaw law;
  law.log_square = Eigen::Map<const Vector>(y.data(), count);
  law.above = Eigen::Map<const Vector>(above.data(), count);
  law.density = Eigen::Map<const Vector>(density.data(), count);
  law.mass = 1;
  law.method = "orthogonal";
  law.upper.log_square = law.log_square[0];
  if (e != 1) law.lower = SpectralEdge{law.log_square[count - 1], std::nullopt};
  return law;
}

/// Masses at points become a density: every point spreads over half of the way to its neighbours, or over a
/// relative width of 1e-9 if it is an atom of the law of slopes.
SpectralLaw slope_spectrum(const SlopeLaw& slopes, Real rank, Real shift) {
  struct Mass {
    Real y, weight;
  };
  std::vector<Mass> masses;
  Real positive = 0;
  for (Index k = 0; k < slopes.square.size(); ++k)
    if (slopes.square[k] > 0 && slopes.weight[k] > 0) {
      masses.push_back({shift + std::log(slopes.square[k]), slopes.weight[k]});
      positive += slopes.weight[k];
    }
  std::sort(masses.begin(), masses.end(), [](const Mass& a, const Mass& b) { return a.y > b.y; });
  std::vector<Mass> merged;
  for (const Mass& mass : masses)
    if (!merged.empty() && merged.back().y - mass.y < 1e-12)
      merged.back().weight += mass.weight;
    else
      merged.push_back(mass);
  rank *= positive / slopes.weight.sum();
  SpectralLaw law;
  law.method = "orthogonal";
  law.mass = 1, law.atom_at_zero = rank < 1 - 1e-9 ? 1 - rank : 0;
  law.upper.log_square = merged.front().y;
  const std::size_t count = merged.size();
  if (law.atom_at_zero <= 0) law.lower = SpectralEdge{merged.back().y, std::nullopt};
  if (count == 1) {
    law.atom_at_one = rank, law.one = merged.front().y;
    return law;
  }
  std::vector<Real> y, above;
  Real sum = 0;
  const auto mark = [&](Real at) {
    if (!y.empty() && at >= y.back()) return;
    y.push_back(at), above.push_back(sum);
  };
  rank = 1 - law.atom_at_zero;
  for (std::size_t k = 0; k < count; ++k) {
    const bool atom = merged[k].weight > 0.05 * positive;
    const Real wide = atom ? 1e-9 : std::numeric_limits<Real>::infinity();
    const Real up = k == 0 ? 0 : (merged[k - 1].y - merged[k].y) / 2;
    const Real down = k + 1 == count ? 0 : (merged[k].y - merged[k + 1].y) / 2;
    mark(merged[k].y + std::min(up, wide));
    sum += rank * merged[k].weight / positive;
    const Real end = merged[k].y - std::max(std::min(down, wide), 1e-12 * (1 + std::abs(merged[k].y)));
    if (end < y.back()) mark(end);
    above.back() = sum;
  }
  const Index size = static_cast<Index>(y.size());
  law.log_square = Eigen::Map<const Vector>(y.data(), size);
  law.above = Eigen::Map<const Vector>(above.data(), size);
  law.density = Vector::Zero(size);
  for (Index k = 1; k + 1 < size; ++k)  // the smaller slope of both sides keeps pieces without mass empty
    law.density[k] =
        std::min((law.above[k] - law.above[k - 1]) / (law.log_square[k - 1] - law.log_square[k]),
                 (law.above[k + 1] - law.above[k]) / (law.log_square[k] - law.log_square[k + 1]));
  return law;
}

}  // namespace

std::optional<SpectralLaw> orthogonal_block_law(const std::vector<TransformRun>& blocks) {
  Real shift = 0;
  const BlockTransform* only = nullptr;
  for (const TransformRun& run : blocks) {
    if (run.count <= 0) continue;
    const BlockTransform& block = run.block;
    shift -= static_cast<Real>(run.count) * block.log_divisor;
    if (!block.plain && block.strength == 0) continue;
    if (block.ensemble != Ensemble::haar) return std::nullopt;
    if (block.plain && block.form == BranchForm::linear) {
      shift += static_cast<Real>(run.count) * std::log(block.strength);
      continue;
    }
    if (only || run.count != 1 || block.gamma > 1) return std::nullopt;
    if (!block.plain && block.form != BranchForm::linear) return std::nullopt;
    only = &block;
  }
  if (!only) return std::nullopt;
  if (!only->plain) return circle_law(std::sqrt(only->strength), shift);
  return slope_spectrum(only->slopes, only->gamma, shift + std::log(only->strength / only->gamma));
}

}  // namespace rezero::theory::detail
