/// Full spectra, values only, and what their parts cost. Against LAPACK, in the same minute (numpy's default
/// build, its core detection left alone):
///   env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE OPENBLAS_NUM_THREADS=1 python3 bench/spectrum_numpy.py

#include <benchmark/benchmark.h>

#include "rezero/random/philox.h"
#include "rezero/spectrum/method.h"
#include "spectrum/bidiagonal.h"

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
    benchmark::DoNotOptimize(certify_full(J.mantissa, values.sigma, values.relative_resolution));
}

void bidiagonalization(benchmark::State& state) {
  const ScaledMatrix J = random_jacobian(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(detail::bidiagonalize(J.mantissa));
}

void bisection(benchmark::State& state) {
  const detail::Bidiagonal B = detail::bidiagonalize(random_jacobian(state.range(0)).mantissa);
  for (auto _ : state) benchmark::DoNotOptimize(detail::bidiagonal_singular_values(B));
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

BENCHMARK(full_spectrum)->Apply(sizes);
BENCHMARK(uncertified_values)->Apply(sizes);
BENCHMARK(certificate)->Apply(sizes);
BENCHMARK(bidiagonalization)->Apply(sizes);
BENCHMARK(bisection)->Apply(sizes);
BENCHMARK(spectra_top_4)->Apply(sizes);
BENCHMARK(spectra_bottom_4)->Apply(sizes);

}  // namespace
}  // namespace rezero
