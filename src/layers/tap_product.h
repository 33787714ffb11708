#pragma once
/// Sums of small matrices times the positions around each output position.

#include <vector>

#include "layers/tap_kernel.h"
#include "rezero/core/types.h"

namespace rezero::detail {

/// Kernel tap `tap` brings input position `source` to an output position.
struct Tap {
  Index source;
  Index tap;
};

/// Y(:, q) = Σ_{(s, t) ∈ taps of q} M_t X(:, s) for columns x = vec(X), X: in × sources, M_t: out × in. It
/// builds neither an image of patches nor transposed panels of all columns. Eight columns at a time occupy
/// the lanes of vectors, and a tile of outputs the registers. For a single column, the lanes hold eight
/// output features and the tile several positions with equal taps. In both cases an entry is summed over taps
/// and features in the same order, independent of its neighbours.
class TapProduct {
 public:
  /// `taps[q]`: the taps of output position q. M: out × (taps · in), M_t = M.middleCols(t · in, in).
  TapProduct(const Matrix& M, Index in, Index sources, const std::vector<std::vector<Tap>>& taps);

  void apply(const ConstColumns& v, Columns& out) const;

  Index inputs() const { return in_ * sources_; }
  Index outputs() const { return out_ * static_cast<Index>(first_run_.size() - 1); }
  Real flops() const {
    return 2 * static_cast<Real>(out_) * static_cast<Real>(in_) * static_cast<Real>(taps_);
  }

 private:
  void add_runs(const std::vector<Tap>& taps);
  void make_groups();
  bool same_taps(Index p, Index q) const;
  void pack(const Matrix& M);

  Index in_, out_, sources_, kernel_ = 0, taps_ = 0;
  std::vector<TapRun> runs_;
  std::vector<std::size_t> first_run_;  ///< for each output position, and one past the last
  std::vector<Index> order_;
  std::vector<TapGroup> groups_;
  Vector packed_;  ///< blocks of eight output features: (block, tap, in, feature of the block)
};

}  // namespace rezero::detail
