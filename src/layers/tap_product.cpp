#include "tap_product.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace rezero::detail {
namespace {

constexpr Index lanes = 8;
#if defined(__AVX512F__)
constexpr Index pack_size = 8, tile_rows = 8;
#elif defined(__AVX__)
constexpr Index pack_size = 4, tile_rows = 4;  // 4 · 2 sums, 2 operands and a factor in 16 registers
#else
constexpr Index pack_size = 2, tile_rows = 2;
#endif
constexpr Index packs = lanes / pack_size;
static_assert(lanes % tile_rows == 0, "a tile lies within a block of weights");
typedef Real Pack __attribute__((vector_size(sizeof(Real) * pack_size)));

Pack load(const Real* from) {
  Pack pack;
  std::memcpy(&pack, from, sizeof pack);
  return pack;
}

/// tile_rows rows of eight sums.
struct Tile {
  Pack sums[tile_rows][packs] = {};

  /// row r += Σ_i factors[r][i · step] · (the eight numbers at vectors + 8 i).
  void add(const Real* vectors, std::array<const Real*, tile_rows> factors, Index step, Index length) {
    Pack now[tile_rows][packs];  // a copy in registers
    std::memcpy(now, sums, sizeof now);
    for (Index i = 0; i < length; ++i) {
      Pack operand[packs];
      for (Index k = 0; k < packs; ++k) operand[k] = load(vectors + i * lanes + k * pack_size);
      for (Index r = 0; r < tile_rows; ++r)
        for (Index k = 0; k < packs; ++k)
          now[r][k] += factors[static_cast<std::size_t>(r)][i * step] * operand[k];
    }
    std::memcpy(sums, now, sizeof now);
  }

  Real operator()(Index row, Index lane) const { return sums[row][lane / pack_size][lane % pack_size]; }
};

/// Lanes of `to` (8 × size) from eight columns.
void interleave(const Real* v, Index stride, Matrix& to) {
  for (Index i = 0; i < to.cols(); ++i)
    for (Index l = 0; l < lanes; ++l) to.data()[i * lanes + l] = v[i + l * stride];
}

}  // namespace

TapProduct::TapProduct(const Matrix& M, Index in, Index sources, const std::vector<std::vector<Tap>>& taps)
    : in_(in), out_(M.rows()), sources_(sources), kernel_(M.cols() / in) {
  for (const std::vector<Tap>& of_one : taps) add_runs(of_one);
  first_run_.push_back(runs_.size());
  make_groups();
  pack(M);
}

void TapProduct::add_runs(const std::vector<Tap>& taps) {
  first_run_.push_back(runs_.size());
  for (const Tap& tap : taps) {
    const bool first = runs_.size() == first_run_.back();
    if (!first && runs_.back().source + runs_.back().count == tap.source &&
        runs_.back().tap + runs_.back().count == tap.tap)
      ++runs_.back().count;
    else
      runs_.push_back({tap.source, tap.tap, 1});
  }
  taps_ += static_cast<Index>(taps.size());
}

bool TapProduct::same_taps(Index p, Index q) const {
  const auto at = [&](Index x) {
    return runs_.begin() + static_cast<std::ptrdiff_t>(first_run_[static_cast<std::size_t>(x)]);
  };
  return std::equal(at(p), at(p + 1), at(q), at(q + 1),
                    [](const Run& a, const Run& b) { return a.tap == b.tap && a.count == b.count; });
}

/// There are few kinds of positions: the interior, and those along borders.
void TapProduct::make_groups() {
  std::vector<std::vector<Index>> kinds;
  for (Index q = 0; q + 1 < static_cast<Index>(first_run_.size()); ++q) {
    const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                   [&](const std::vector<Index>& k) { return same_taps(k.front(), q); });
    if (kind == kinds.end())
      kinds.push_back({q});
    else
      kind->push_back(q);
  }
  for (const std::vector<Index>& kind : kinds)
    for (std::size_t i = 0; i < kind.size(); i += tile_rows) {
      const std::size_t end = std::min(kind.size(), i + tile_rows);
      const auto begin = static_cast<Index>(order_.size());
      order_.insert(order_.end(), kind.begin() + static_cast<std::ptrdiff_t>(i),
                    kind.begin() + static_cast<std::ptrdiff_t>(end));
      groups_.push_back({begin, static_cast<Index>(order_.size())});
    }
}

void TapProduct::pack(const Matrix& M) {
  const Index blocks = (out_ + lanes - 1) / lanes;
  packed_ = Vector::Zero(blocks * M.cols() * lanes);
  for (Index j = 0; j < M.cols(); ++j)
    for (Index i = 0; i < out_; ++i) packed_((i / lanes * M.cols() + j) * lanes + i % lanes) = M(i, j);
}

const Real* TapProduct::weights(Index block, Index tap) const {
  return packed_.data() + (block * kernel_ + tap) * in_ * lanes;
}

void TapProduct::apply(const ConstColumns& v, Columns& out) const {
  Matrix scratch;
  Index j = 0;
  for (; j + lanes <= v.cols(); j += lanes)
    apply_lanes(v.data() + j * v.outerStride(), v.outerStride(), out.data() + j * out.outerStride(),
                out.outerStride(), scratch);
  for (; j < v.cols(); ++j) apply_one(v.data() + j * v.outerStride(), out.data() + j * out.outerStride());
}

/// Eight columns: vectors are inputs, factors are weights.
void TapProduct::apply_lanes(const Real* v, Index v_stride, Real* out, Index out_stride,
                             Matrix& scratch) const {
  scratch.resize(lanes, inputs());
  interleave(v, v_stride, scratch);
  for (Index row = 0; row < out_; row += tile_rows)
    for (std::size_t q = 0; q + 1 < first_run_.size(); ++q) {
      Tile tile;
      for (std::size_t k = first_run_[q]; k < first_run_[q + 1]; ++k) {
        const Real* w = weights(row / lanes, runs_[k].tap) + row % lanes;
        std::array<const Real*, tile_rows> factors;
        for (Index r = 0; r < tile_rows; ++r) factors[static_cast<std::size_t>(r)] = w + r;
        tile.add(scratch.data() + runs_[k].source * in_ * lanes, factors, lanes, runs_[k].count * in_);
      }
      Real* to = out + static_cast<Index>(q) * out_ + row;
      const Index rows = std::min(tile_rows, out_ - row);
      for (Index l = 0; l < lanes; ++l)
        for (Index r = 0; r < rows; ++r) to[l * out_stride + r] = tile(r, l);
    }
}

/// One column: vectors are weights, factors are inputs around the positions of a group. A group that is not
/// full repeats its last position.
void TapProduct::apply_one(const Real* v, Real* out) const {
  for (Index row = 0; row < out_; row += lanes)
    for (const Group& group : groups_) {
      std::array<std::size_t, tile_rows> run;
      const auto position = [&](Index r) {
        return order_[static_cast<std::size_t>(std::min(group.begin + r, group.end - 1))];
      };
      for (Index r = 0; r < tile_rows; ++r)
        run[static_cast<std::size_t>(r)] = first_run_[static_cast<std::size_t>(position(r))];
      const std::size_t first = run[0], count = first_run_[static_cast<std::size_t>(position(0)) + 1] - first;
      Tile tile;
      for (std::size_t k = 0; k < count; ++k) {
        std::array<const Real*, tile_rows> factors;
        for (std::size_t r = 0; r < run.size(); ++r) factors[r] = v + runs_[run[r] + k].source * in_;
        tile.add(weights(row / lanes, runs_[first + k].tap), factors, 1, runs_[first + k].count * in_);
      }
      const Index rows = std::min(lanes, out_ - row);
      for (Index r = 0; r < group.end - group.begin; ++r)
        for (Index l = 0; l < rows; ++l) out[position(r) * out_ + row + l] = tile(r, l);
    }
}

}  // namespace rezero::detail
