/// The derivative of a convolution applied to panels of tangents: the library's product over taps against two
/// ways to use a matrix product, patches (im2col) and transposed panels.

#include <benchmark/benchmark.h>

#include <algorithm>

#include "rezero/layers/conv.h"
#include "rezero/random/sample.h"

namespace rezero {
namespace {

/// Images of C channels, size × size, 3 × 3 kernels, zero padding: C → C.
struct Case {
  explicit Case(const benchmark::State& state)
      : channels(state.range(0)), size(state.range(1)), columns(state.range(2)), positions(size * size) {
    W = normal_matrix(channels, channels * 9, {1, 0, 0});
    taps.resize(channels, channels * 9);
    for (Index t = 0; t < 9; ++t)
      for (Index c = 0; c < channels; ++c) taps.col(t * channels + c) = W.col(c * 9 + t);
    v = normal_matrix(channels * positions, columns, {1, 0, 1});
    out.resize(v.rows(), columns);
    // Taps that exist: in each direction 3 size − 2 pairs of an output and an input.
    const Index exist = (3 * size - 2) * (3 * size - 2);
    flops = 2 * static_cast<Real>(exist * channels * channels * columns);
  }
  void count(benchmark::State& state) const {
    state.counters["flop/s"] =
        benchmark::Counter(static_cast<double>(state.iterations()) * flops, benchmark::Counter::kIsRate);
  }
  Index channels, size, columns, positions;
  Matrix W, taps, v, out;
  Real flops;
};

void BM_taps(benchmark::State& state) {
  Case c(state);
  const Conv conv(std::make_shared<Matrix>(c.W), nullptr, {c.size, c.size, 1}, {});
  const LinearMapPtr map = conv.linearize(c.v.col(0)).derivative;
  for (auto _ : state) map->apply(c.v, c.out), benchmark::DoNotOptimize(c.out.data());
  c.count(state);
}

/// Patches of a few columns as one matrix, (9C × positions), then one product.
void BM_patches(benchmark::State& state) {
  Case c(state);
  const Index C = c.channels, at_once = std::clamp<Index>(32768 / (9 * C * c.positions), 1, c.columns);
  Matrix patches = Matrix::Zero(9 * C, c.positions * at_once);
  for (auto _ : state)
    for (Index j = 0; j < c.columns; j += at_once) {
      const Index k = std::min(at_once, c.columns - j);
      for (Index l = 0; l < k; ++l)
        for (Index p = 0; p < c.positions; ++p)
          for (Index a = -1; a <= 1; ++a) {
            const Index row = p / c.size + a, column = p % c.size;
            if (row < 0 || row >= c.size) continue;
            const Index left = column > 0 ? -1 : 0, right = column + 1 < c.size ? 1 : 0;
            std::copy_n(c.v.data() + (j + l) * c.v.rows() + (row * c.size + column + left) * C,
                        (right - left + 1) * C,
                        patches.data() + (l * c.positions + p) * 9 * C + ((a + 1) * 3 + left + 1) * C);
          }
      Eigen::Map<Matrix>(c.out.data() + j * c.out.rows(), C, c.positions * k).noalias() =
          c.taps * patches.leftCols(c.positions * k);
      benchmark::DoNotOptimize(c.out.data());
    }
  c.count(state);
}

/// The panel transposed: at every position and kernel row a product (columns × 3C)(3C × C).
void BM_transposed(benchmark::State& state) {
  Case c(state);
  const Index C = c.channels, at_once = std::min<Index>(c.columns, 64);
  const Matrix factors = c.taps.transpose();
  Matrix in(at_once, c.v.rows()), sum(at_once, c.v.rows());
  for (auto _ : state)
    for (Index j = 0; j < c.columns; j += at_once) {
      in = c.v.middleCols(j, at_once).transpose();
      for (Index p = 0; p < c.positions; ++p) {
        auto target = sum.middleCols(p * C, C);
        target.setZero();
        for (Index a = -1; a <= 1; ++a) {
          const Index row = p / c.size + a, column = p % c.size;
          if (row < 0 || row >= c.size) continue;
          const Index left = column > 0 ? -1 : 0, right = column + 1 < c.size ? 1 : 0;
          target.noalias() += in.middleCols((row * c.size + column + left) * C, (right - left + 1) * C) *
                              factors.middleRows(((a + 1) * 3 + left + 1) * C, (right - left + 1) * C);
        }
      }
      c.out.middleCols(j, at_once) = sum.transpose();
      benchmark::DoNotOptimize(c.out.data());
    }
  c.count(state);
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"channels", "size", "columns"})
      ->ArgsProduct({{16, 32, 64}, {8}, {1, 64, 256}})
      ->ArgsProduct({{16}, {32}, {1, 64}})
      ->Unit(benchmark::kMicrosecond);
}
BENCHMARK(BM_taps)->Apply(sizes);
BENCHMARK(BM_patches)->Apply(sizes);
BENCHMARK(BM_transposed)->Apply(sizes);

}  // namespace
}  // namespace rezero
