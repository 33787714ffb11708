/// Products of an n × n matrix with `columns` columns: by the library on some threads, and by Eigen on one.

#include "linalg/matrix_product.h"
#include "support.h"

namespace rezero {
namespace {

template <class Multiply>
void measure(benchmark::State& state, const Multiply& multiply_into) {
  const Index n = state.range(0), columns = state.range(1);
  bench::measure_product(state, n, columns == 0 ? n : columns, multiply_into);
}

void own(benchmark::State& state) {
  const auto threads = static_cast<int>(state.range(2));
  with_team(threads, [&] {
    measure(state, [&](const Matrix& A, const Matrix& B, Matrix& C) { multiply(A, B, C, threads); });
  });
}
void own_transposed(benchmark::State& state) {
  const auto threads = static_cast<int>(state.range(2));
  with_team(threads, [&] {
    measure(state,
            [&](const Matrix& A, const Matrix& B, Matrix& C) { multiply_transposed(A, B, C, threads); });
  });
}
void eigen(benchmark::State& state) {
  measure(state, bench::eigen_product);
}
void eigen_transposed(benchmark::State& state) {
  measure(state, [](const Matrix& A, const Matrix& B, Matrix& C) { C.noalias() = A.transpose() * B; });
}

/// columns 0: n columns. One thread is measured in processor time, which other programs change least.
void on_one(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"n", "columns", "threads"})
      ->ArgsProduct({{32, 64, 100, 256, 512, 1024, 2048, 4096}, {2, 8, 32, 64, 0}, {1}});
}
void on_two(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"n", "columns", "threads"})
      ->ArgsProduct({{256, 512, 1024, 2048, 4096}, {8, 64, 0}, {2}})
      ->UseRealTime();
}
BENCHMARK(own)->Apply(on_one);
BENCHMARK(own)->Apply(on_two);
BENCHMARK(eigen)->Apply(on_one);
BENCHMARK(own_transposed)->Apply(on_one);
BENCHMARK(own_transposed)->Apply(on_two);
BENCHMARK(eigen_transposed)->Apply(on_one);

}  // namespace
}  // namespace rezero
