/// Draws per second on one thread (items_per_second), in chunks that stay in cache, and whole weight
/// matrices.

#include <benchmark/benchmark.h>

#include "rezero/init/initializer.h"
#include "rezero/linalg/haar.h"
#include "rezero/random/sample.h"

namespace {

using namespace rezero;

void fill(benchmark::State& state, void (*draw)(Real*, Index, const StreamKey&, std::uint64_t)) {
  Vector out(state.range(0));
  std::uint64_t first = 0;
  for (auto _ : state) {
    draw(out.data(), out.size(), {1, 0x100, 0}, first);
    first += static_cast<std::uint64_t>(out.size());
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * out.size());
}

void normals(benchmark::State& state) {
  fill(state, fill_normal);
}
void uniforms(benchmark::State& state) {
  fill(state, fill_uniform);
}
BENCHMARK(normals)->Arg(64)->Arg(4096)->Arg(65536)->Arg(1 << 20);
BENCHMARK(uniforms)->Arg(65536);

void weights(benchmark::State& state, const char* spec) {
  const Initializer init(parse_named_spec(spec));
  const Index n = state.range(0);
  std::uint32_t block = 0;
  for (auto _ : state) benchmark::DoNotOptimize(init.weight({n, n}, {1, 0x100, block++}));
  state.SetItemsProcessed(state.iterations() * n * n);
}
BENCHMARK_CAPTURE(weights, he, "he")->Arg(64)->Arg(512);
BENCHMARK_CAPTURE(weights, trunc_normal_std_1, "trunc-normal:std=1")->Arg(512);
BENCHMARK_CAPTURE(weights, orthogonal, "orthogonal")
    ->Arg(64)
    ->Arg(256)
    ->Arg(512)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);

}  // namespace
