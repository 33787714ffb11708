#include "layers/tap_kernel.h"

#include <cstring>

namespace rezero::detail {
namespace {

constexpr Index lanes = tap_lanes;
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

/// One factor for each row of a tile.
struct Factors {
  const Real* row[tile_rows];
};

/// tile_rows rows of eight sums.
struct Tile {
  Pack sums[tile_rows][packs] = {};

  /// row r += Σ_i factors[r][i · step] · (the eight numbers at vectors + 8 i).
  void add(const Real* vectors, const Factors& factors, Index step, Index length) {
    Pack now[tile_rows][packs];  // a copy in registers
    std::memcpy(now, sums, sizeof now);
    for (Index i = 0; i < length; ++i) {
      Pack operand[packs];
      for (Index k = 0; k < packs; ++k)
        std::memcpy(&operand[k], vectors + i * lanes + k * pack_size, sizeof operand[k]);
      for (Index r = 0; r < tile_rows; ++r)
        for (Index k = 0; k < packs; ++k) now[r][k] += factors.row[r][i * step] * operand[k];
    }
    std::memcpy(sums, now, sizeof now);
  }

  Real at(Index row, Index lane) const { return sums[row][lane / pack_size][lane % pack_size]; }
};

Index least(Index a, Index b) {
  return a < b ? a : b;
}

const Real* weights(const TapOperands& taps, Index block, Index tap) {
  return taps.packed + (block * taps.kernel + tap) * taps.in * lanes;
}

void eight_columns(const TapOperands& taps, const Real* v, Index v_stride, Real* out, Index out_stride,
                   Real* scratch) {
  for (Index i = 0; i < taps.in * taps.sources; ++i)
    for (Index l = 0; l < lanes; ++l) scratch[i * lanes + l] = v[i + l * v_stride];
  for (Index row = 0; row < taps.out; row += tile_rows)
    for (Index q = 0; q < taps.positions; ++q) {
      Tile tile;
      for (std::size_t k = taps.first_run[q]; k < taps.first_run[q + 1]; ++k) {
        const TapRun& run = taps.runs[k];
        const Real* w = weights(taps, row / lanes, run.tap) + row % lanes;
        Factors factors;
        for (Index r = 0; r < tile_rows; ++r) factors.row[r] = w + r;
        tile.add(scratch + run.source * taps.in * lanes, factors, lanes, run.count * taps.in);
      }
      Real* to = out + q * taps.out + row;
      const Index rows = least(tile_rows, taps.out - row);
      for (Index l = 0; l < lanes; ++l)
        for (Index r = 0; r < rows; ++r) to[l * out_stride + r] = tile.at(r, l);
    }
}

/// Positions begin … end − 1 of a group, at most tile_rows; a tile that is not full repeats the last.
void take_positions(const TapOperands& taps, const Real* v, Real* out, Index row, const Index* begin,
                    const Index* end) {
  std::size_t first[tile_rows];
  for (Index r = 0; r < tile_rows; ++r) first[r] = taps.first_run[begin[least(r, end - begin - 1)]];
  const std::size_t count = taps.first_run[*begin + 1] - first[0];
  Tile tile;
  for (std::size_t k = 0; k < count; ++k) {
    const TapRun& run = taps.runs[first[0] + k];
    Factors factors;
    for (Index r = 0; r < tile_rows; ++r) factors.row[r] = v + taps.runs[first[r] + k].source * taps.in;
    tile.add(weights(taps, row / lanes, run.tap), factors, 1, run.count * taps.in);
  }
  const Index rows = least(lanes, taps.out - row);
  for (Index r = 0; begin + r < end; ++r)
    for (Index l = 0; l < rows; ++l) out[begin[r] * taps.out + row + l] = tile.at(r, l);
}

void one_column(const TapOperands& taps, const Real* v, Real* out) {
  for (Index row = 0; row < taps.out; row += lanes)
    for (Index g = 0; g < taps.group_count; ++g)
      for (Index i = taps.groups[g].begin; i < taps.groups[g].end; i += tile_rows)
        take_positions(taps, v, out, row, taps.order + i,
                       taps.order + least(i + tile_rows, taps.groups[g].end));
}

}  // namespace

REZERO_KERNEL_TABLE(TapKernel, tap_kernel) = {eight_columns, one_column};

}  // namespace rezero::detail
