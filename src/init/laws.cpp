#include "init/laws.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rezero/core/contract.h"
#include "rezero/parallel/parts.h"
#include "rezero/random/sample.h"

namespace rezero::detail {
namespace {

/// The replacement of entry e. Called only if |normal e| > cut/std, and no normal exceeds 8.5: an attempt is
/// then accepted with probability √(2π) erf(c/√2)/(2c) ≥ 0.147, c = cut/std, and 4096 fail with probability
/// below 1e-280.
Real redraw_truncated(std::uint64_t entry, Real std, Real cut, const StreamKey& key) {
  for (std::uint64_t attempt = 1; attempt <= 4096; ++attempt) {
    Real pair[2];
    fill_uniform(pair, 2, key, 2 * ((attempt << 40) + entry));
    const Real value = cut * pair[0], z = value / std;
    if (0.5 + 0.5 * pair[1] < std::exp(-0.5 * z * z)) return value;
  }
  return 0;
}

using Fill = void (*)(Real*, Index, const StreamKey&, std::uint64_t);

/// Numbers of the stream times a factor, in parts.
Matrix filled(Index rows, Index cols, Fill fill, Real factor, const StreamKey& key) {
  constexpr Index least = 32768;  // numbers worth starting a thread for
  Matrix W(rows, cols);
  const Index pairs = (W.size() + 1) / 2, parts = part_count(pairs, least / 2);
  for_each_part(parts, [&](Index i) {
    const Index first = 2 * part_start(pairs, parts, i),
                count = std::min(2 * part_start(pairs, parts, i + 1), W.size()) - first;
    fill(W.data() + first, count, key, static_cast<std::uint64_t>(first));
    Eigen::Map<Vector>(W.data() + first, count) *= factor;
  });
  return W;
}

Matrix truncated_normal(Matrix w, Real std, Real cut, const StreamKey& key) {
  REZERO_REQUIRE(w.size() < Index{1} << 40);
  for (Index e = 0; e < w.size(); ++e)
    if (std::abs(w.data()[e]) > cut)
      w.data()[e] = redraw_truncated(static_cast<std::uint64_t>(e), std, cut, key);
  return w;
}

}  // namespace

Matrix drawn(const EntryLaw& law, Index rows, Index cols, const StreamKey& key) {
  REZERO_REQUIRE(law.shape() != EntryShape::fixed_square);
  if (law.is_zero()) return Matrix::Zero(rows, cols);
  const Fill fill = law.shape() == EntryShape::uniform ? fill_uniform : fill_normal;
  Matrix w = filled(rows, cols, fill, law.scale(), key);
  if (law.shape() != EntryShape::truncated_normal) return w;
  return truncated_normal(std::move(w), law.scale(), law.cut(), key);
}

EntryLaw law_of(const Params& params, Real std) {
  return params.text("law") == "uniform" ? EntryLaw::uniform(std::sqrt(3.0) * std) : EntryLaw::normal(std);
}

Real gain_of(const WeightContext& context, const Params& params) {
  return params.text("gain") == "auto" ? context.activation_gain : params.real("gain");
}

}  // namespace rezero::detail
