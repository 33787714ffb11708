/// Full spectra (values only) and the cost of their parts. For LAPACK, in the same minute (numpy's default
/// build, its core detection left alone):
///   env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE OPENBLAS_NUM_THREADS=1 python3 bench/spectrum_numpy.py

#include <benchmark/benchmark.h>

#include <utility>

#include "rezero/random/philox.h"
#include "rezero/spectrum/method.h"
#include "spectrum/certificate/full.h"
#include "spectrum/dense/bidiagonal.h"
#include "spectrum/two_stage/bulge_chase.h"
#include "support.h"

namespace rezero {
namespace {

/// Uniform entries, normalized.
ScaledMatrix random_jacobian(Index n) {
  ScaledMatrix J{Matrix(n, n), 0};
  for (Index i = 0; i < n * n; ++i)
    J.mantissa.data()[i] =
        philox4x32_10({static_cast<std::uint32_t>(i), 0, 0, 0}, {1, 2})[0] / 2147483648.0 - 1;
  if (!renormalize(J)) J.mantissa.setIdentity();
  return J;
}

void full_spectrum(benchmark::State& state) {
  const ScaledMatrix J = random_jacobian(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(compute_spectrum(J, {}));
}

void uncertified_values(benchmark::State& state) {
  const ScaledMatrix J = random_jacobian(state.range(0));
  const SpectrumMethod& dense = spectrum_methods().at("dense");
  for (auto _ : state) benchmark::DoNotOptimize(dense.full(J.mantissa, 1));
}

void certificate(benchmark::State& state) {
  const ScaledMatrix J = random_jacobian(state.range(0));
  const FullValues values = spectrum_methods().at("dense").full(J.mantissa, 1);
  for (auto _ : state)
    benchmark::DoNotOptimize(
        detail::full_fault(detail::measure(J.mantissa, 1), values.sigma, values.relative_resolution));
}

void bidiagonalization(benchmark::State& state) {
  const ScaledMatrix J = random_jacobian(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(detail::bidiagonalize(J.mantissa));
}

/// The stages used from 96 columns up: size, width of the band, threads. Compare with the floating-point rate
/// of one square product (Eigen's, one thread).
void band_reduction(benchmark::State& state) {
  const Matrix A = random_jacobian(state.range(0)).mantissa;
  const auto workers = static_cast<int>(state.range(2));
  bench::time_in_team(state, workers,
                      [&] { benchmark::DoNotOptimize(detail::reduce_to_band(A, state.range(1), workers)); });
  const auto n = static_cast<double>(state.range(0));
  state.counters["flop/s"] =
      benchmark::Counter(8.0 / 3 * n * n * n, benchmark::Counter::kIsIterationInvariantRate);
}

void bulge_chase(benchmark::State& state) {
  const detail::Band band =
      detail::reduce_to_band(random_jacobian(state.range(0)).mantissa, state.range(1), 1);
  const auto workers = static_cast<int>(state.range(2));
  bench::time_in_team(state, workers, [&] { benchmark::DoNotOptimize(detail::chase_bulges(band, workers)); });
  const auto n = static_cast<double>(state.range(0)), width = static_cast<double>(state.range(1));
  state.counters["flop/s"] =
      benchmark::Counter(8 * n * n * width, benchmark::Counter::kIsIterationInvariantRate);
}

void bisection(benchmark::State& state) {
  const detail::Bidiagonal B = detail::bidiagonalize(random_jacobian(state.range(0)).mantissa);
  const auto workers = static_cast<int>(state.range(1));
  bench::time_in_team(state, workers,
                      [&] { benchmark::DoNotOptimize(detail::bidiagonal_singular_values(B, workers)); });
}

void spectra_top_4(benchmark::State& state) {
  const ScaledMatrix J = random_jacobian(state.range(0));
  SpectrumRequest request;
  request.top = 4, request.method = "spectra";
  for (auto _ : state) benchmark::DoNotOptimize(compute_spectrum(J, request));
}

void spectra_bottom_4(benchmark::State& state) {
  const ScaledMatrix J = random_jacobian(state.range(0));
  SpectrumRequest request;
  request.bottom = 4, request.method = "spectra";
  for (auto _ : state) benchmark::DoNotOptimize(compute_spectrum(J, request));
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->RangeMultiplier(2)->Range(64, 1024)->Unit(benchmark::kMillisecond)->UseRealTime();
}

void stages(benchmark::internal::Benchmark* bench) {
  for (const auto& [n, width] : {std::pair<int, int>{256, 16}, {512, 24}, {1024, 24}, {2048, 48}, {4096, 48}})
    for (const int workers : {1, 2}) bench->Args({n, width, workers});
  bench->Unit(benchmark::kMillisecond)->UseRealTime();
}

void sizes_and_threads(benchmark::internal::Benchmark* bench) {
  bench->ArgsProduct({{256, 512, 1024, 2048, 4096}, {1, 2}})->Unit(benchmark::kMillisecond)->UseRealTime();
}

BENCHMARK(band_reduction)->Apply(stages);
BENCHMARK(bulge_chase)->Apply(stages);
BENCHMARK(bench::square_product)
    ->Name("square_product")
    ->Arg(512)
    ->Arg(2048)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(bisection)->Apply(sizes_and_threads);
BENCHMARK(full_spectrum)->Apply(sizes);
BENCHMARK(uncertified_values)->Apply(sizes);
BENCHMARK(certificate)->Apply(sizes);
BENCHMARK(bidiagonalization)->Apply(sizes);
BENCHMARK(spectra_top_4)->Apply(sizes);
BENCHMARK(spectra_bottom_4)->Apply(sizes);

}  // namespace
}  // namespace rezero
