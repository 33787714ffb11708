#pragma once
/// Shared by the benchmarks.

#include <benchmark/benchmark.h>
#include <malloc.h>

#include "rezero/core/types.h"
#include "rezero/parallel/for_each.h"

namespace rezero::bench {

/// As in the command: keep packing buffers. Memory returned to the system would cause page faults in every
/// product.
inline const bool memory_is_kept =
    mallopt(M_TRIM_THRESHOLD, 256 << 20) != 0 && mallopt(M_MMAP_THRESHOLD, 64 << 20) != 0;

/// Times f() inside a team of threads, like the command, which forms one for the whole run.
template <class F>
void time_in_team(benchmark::State& state, int threads, const F& f) {
  with_team(threads, [&] {
    for (auto _ : state) f();
  });
}

/// C = A B for a random n × n matrix A and `columns` columns, with its floating-point rate.
template <class Multiply>
void measure_product(benchmark::State& state, Index n, Index columns, const Multiply& multiply_into) {
  const Matrix A = Matrix::Random(n, n), B = Matrix::Random(n, columns);
  Matrix C(n, columns);
  for (auto _ : state) {
    multiply_into(A, B, C);
    benchmark::DoNotOptimize(C.data());
  }
  state.counters["flop/s"] = benchmark::Counter(static_cast<double>(state.iterations() * 2 * n * n * columns),
                                                benchmark::Counter::kIsRate);
}

inline void eigen_product(const Matrix& A, const Matrix& B, Matrix& C) {
  C.noalias() = A * B;
}

/// One square product of that order by Eigen on one thread, with its floating-point rate: the reference for
/// other rates.
inline void square_product(benchmark::State& state) {
  measure_product(state, state.range(0), state.range(0), eigen_product);
}

}  // namespace rezero::bench
