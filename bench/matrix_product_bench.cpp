/// Products of an n × n matrix with `columns` columns on one thread: the library's own and Eigen's.

#include "linalg/matrix_product.h"
#include "support.h"

namespace rezero {
namespace {

template <class Multiply>
void measure(benchmark::State& state, const Multiply& multiply_into) {
  const Index n = state.range(0), columns = state.range(1) == 0 ? n : state.range(1);
  const Matrix A = Matrix::Random(n, n), B = Matrix::Random(n, columns);
  Matrix C(n, columns);
  for (auto _ : state) {
    multiply_into(A, B, C);
    benchmark::DoNotOptimize(C.data());
  }
  state.counters["flop/s"] = benchmark::Counter(static_cast<double>(state.iterations() * 2 * n * n * columns),
                                                benchmark::Counter::kIsRate);
}

void own(benchmark::State& state) {
  measure(state, [](const Matrix& A, const Matrix& B, Matrix& C) { multiply(A, B, C); });
}
void eigen(benchmark::State& state) {
  measure(state, [](const Matrix& A, const Matrix& B, Matrix& C) { C.noalias() = A * B; });
}

/// No columns stand for n.
void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"n", "columns"})->ArgsProduct({{32, 64, 100, 256, 512, 1024, 2048}, {2, 8, 32, 0}});
}
BENCHMARK(own)->Apply(sizes);
BENCHMARK(eigen)->Apply(sizes);

}  // namespace
}  // namespace rezero
