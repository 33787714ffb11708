#pragma once
/// What the benchmarks share.

#include <benchmark/benchmark.h>
#include <malloc.h>

#include "rezero/core/types.h"

namespace rezero::bench {

/// As the command does: packing buffers are kept; memory that was given back would be faulted in at every
/// product.
inline const bool memory_is_kept =
    mallopt(M_TRIM_THRESHOLD, 256 << 20) != 0 && mallopt(M_MMAP_THRESHOLD, 64 << 20) != 0;

/// One square product of that order by Eigen on one thread, with its floating-point rate: what others are put
/// beside.
inline void square_product(benchmark::State& state) {
  const Index n = state.range(0);
  const Matrix A = Matrix::Random(n, n), B = Matrix::Random(n, n);
  Matrix C(n, n);
  for (auto _ : state) {
    C.noalias() = A * B;
    benchmark::DoNotOptimize(C.data());
  }
  state.counters["flop/s"] = benchmark::Counter(static_cast<double>(state.iterations() * 2 * n * n * n),
                                                benchmark::Counter::kIsRate);
}

}  // namespace rezero::bench
