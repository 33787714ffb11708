/// Parallel loops while other threads keep processors busy: the cost of waiting for a late thread. Reducing a
/// 1024 × 1024 matrix to a band takes a few hundred loops of about 0.1 ms each.

#include <benchmark/benchmark.h>

#include <atomic>
#include <thread>
#include <vector>

#include "rezero/parallel/for_each.h"
#include "rezero/random/sample.h"
#include "spectrum/two_stage/bulge_chase.h"
#include "support.h"

namespace rezero {
namespace {

/// Threads that only keep a processor busy.
class BusyThreads {
 public:
  explicit BusyThreads(Index count) {
    for (Index i = 0; i < count; ++i)
      threads_.emplace_back([this] {
        while (!stop_.load(std::memory_order_relaxed)) benchmark::ClobberMemory();
      });
  }
  ~BusyThreads() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

Matrix random_matrix(Index n) {
  return Matrix::Map(normal_vector(n * n, stream_key(1, StreamRole::probe)).data(), n, n) / 8;
}

void band_reduction(benchmark::State& state) {
  const Matrix A = random_matrix(1024);
  const auto threads = static_cast<int>(state.range(0));
  const BusyThreads busy(state.range(1));
  bench::time_in_team(state, threads,
                      [&] { benchmark::DoNotOptimize(detail::reduce_to_band(A, 24, threads)); });
}

void bulge_chase(benchmark::State& state) {
  const detail::Band band = detail::reduce_to_band(random_matrix(1024), 24, 1);
  const auto threads = static_cast<int>(state.range(0));
  const BusyThreads busy(state.range(1));
  bench::time_in_team(state, threads, [&] { benchmark::DoNotOptimize(detail::chase_bulges(band, threads)); });
}

void empty_loop(benchmark::State& state) {
  const auto threads = static_cast<int>(state.range(0));
  const BusyThreads busy(state.range(1));
  bench::time_in_team(state, threads, [&] {
    for_each_index(threads, threads, [](Index i) { benchmark::DoNotOptimize(i); });
  });
}

void empty_loop_without_team(benchmark::State& state) {
  const auto threads = static_cast<int>(state.range(0));
  const BusyThreads busy(state.range(1));
  for (auto _ : state) for_each_index(threads, threads, [](Index i) { benchmark::DoNotOptimize(i); });
}

void threads_and_busy(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"threads", "busy"})->UseRealTime();
  bench->Args({1, 0})->Args({1, 1})->Args({available_processors(), 0})->Args({available_processors(), 1});
}

BENCHMARK(band_reduction)->Apply(threads_and_busy)->Unit(benchmark::kMillisecond);
BENCHMARK(bulge_chase)->Apply(threads_and_busy)->Unit(benchmark::kMillisecond);
BENCHMARK(empty_loop)->Apply(threads_and_busy)->Unit(benchmark::kMicrosecond);
BENCHMARK(empty_loop_without_team)->Apply(threads_and_busy)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace rezero
