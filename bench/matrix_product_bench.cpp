/// Products of an n × n matrix with `columns` columns on one thread: by the library and by Eigen.

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
  measure(state, [](const Matrix& A, const Matrix& B, Matrix& C) { multiply(A, B, C); });
}
void eigen(benchmark::State& state) {
  measure(state, bench::eigen_product);
}

/// columns 0: n columns.
void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"n", "columns"})->ArgsProduct({{32, 64, 100, 256, 512, 1024, 2048}, {2, 8, 32, 0}});
}
BENCHMARK(own)->Apply(sizes);
BENCHMARK(eigen)->Apply(sizes);

}  // namespace
}  // namespace rezero
