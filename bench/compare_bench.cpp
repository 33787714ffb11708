/// The tool's side of bench/compare.py, on every processor this process may use: products with given weights
/// (and the floating-point rate of registers alone), whole cells, and singular values of one matrix.

#include <benchmark/benchmark.h>

#include <atomic>

#include "rezero/analysis/sweep.h"
#include "rezero/jacobian/forward.h"
#include "rezero/linalg/scaled_matrix.h"
#include "rezero/model/stack_spec.h"
#include "rezero/parallel/for_each.h"
#include "rezero/random/sample.h"
#include "rezero/spectrum/method.h"
#include "support.h"

namespace rezero {
namespace {

void count_flops(benchmark::State& state, double flops) {
  state.counters["flop/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * flops, benchmark::Counter::kIsRate);
}

// ---- the limit

/// Multiply-adds in twelve chains, more than latency times units of any processor so far. The chains are
/// named variables, since array elements would be stored. The vectors must not be arguments, because passing
/// them depends on the instruction set.
template <class Vector>
[[gnu::always_inline]] inline double chains(long steps) {
  Vector factor{}, addend{};
  factor += 0.9999999, addend += 1e-9;
  Vector a = addend, b = a + a, c = b + a, d = c + a, e = d + a, f = e + a, g = f + a, h = g + a, i = h + a,
         j = i + a, k = j + a, l = k + a;
  for (long step = 0; step < steps; ++step) {
    a = a * factor + addend, b = b * factor + addend, c = c * factor + addend, d = d * factor + addend;
    e = e * factor + addend, f = f * factor + addend, g = g * factor + addend, h = h * factor + addend;
    i = i * factor + addend, j = j * factor + addend, k = k * factor + addend, l = l * factor + addend;
  }
  const Vector sum = a + b + c + d + e + f + g + h + i + j + k + l;
  return sum[0];
}

struct Chains {
  double (*run)(long steps);
  double flops_a_step;
};

#if defined(__x86_64__)
using Doubles2 = double __attribute__((vector_size(16)));
using Doubles4 = double __attribute__((vector_size(32)));
using Doubles8 = double __attribute__((vector_size(64)));

__attribute__((target("avx512f,fma"))) double chains_of_8(long steps) {
  return chains<Doubles8>(steps);
}
__attribute__((target("avx2,fma"))) double chains_of_4(long steps) {
  return chains<Doubles4>(steps);
}
#else
using Doubles2 = double __attribute__((vector_size(16)));
#endif
double chains_of_2(long steps) {
  return chains<Doubles2>(steps);
}

/// The widest that this processor has, whatever the library is compiled for.
Chains widest_chains() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return {chains_of_8, 2 * 12 * 8};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {chains_of_4, 2 * 12 * 4};
#endif
  return {chains_of_2, 2 * 12 * 2};
}

void fma_peak(benchmark::State& state) {
  constexpr long steps = 1000000;
  const int threads = static_cast<int>(state.range(0));
  const Chains widest = widest_chains();
  std::atomic<double> used{0};
  bench::time_in_team(state, threads,
                      [&] { for_each_index(threads, threads, [&](Index) { used = widest.run(steps); }); });
  benchmark::DoNotOptimize(used.load());
  count_flops(state, widest.flops_a_step * static_cast<double>(steps) * threads);
}

// ---- products

/// A stack whose blocks are built once, so that only the product is timed.
StackPtr held_stack(const StackSpec& spec, Index depth) {
  const StackPtr random = build_stack(spec, 1, depth);
  std::vector<BlockParts> parts;
  for (Index l = 0; l < random->blocks(); ++l) parts.push_back(random->block(l)->parts());
  return make_stack(std::move(parts), random->input());
}

StackPtr held_mlp(Index width, Index depth) {
  StackSpec spec("fixed:alpha=0.1", "mlp");
  spec.width = width;
  spec.activation = Activation("tanh");
  spec.initializer = Initializer("lecun");
  return held_stack(spec, depth);
}

void take_jacobian(const Stack& stack, int workers) {
  const Index n = stack.shape().size();
  ForwardOptions options;
  options.workers = workers;
  forward_jacobian(
      stack, stack.input(), Matrix::Identity(n, n), {stack.blocks()}, [](const ForwardStep&) {}, options);
}

/// One Jacobian, its columns on all threads: 4 n³ a block as two products.
void product(benchmark::State& state) {
  constexpr Index depth = 8;
  const Index n = state.range(0);
  const int threads = static_cast<int>(state.range(1));
  const StackPtr stack = held_mlp(n, depth);
  bench::time_in_team(state, threads, [&] { take_jacobian(*stack, threads); });
  count_flops(state, 4.0 * depth * static_cast<double>(n * n * n));
}

/// A hundred Jacobians, each on one thread. All use the same stack, so that its weights come from a cache,
/// like those of a block that has just been drawn.
void product_of_seeds(benchmark::State& state) {
  constexpr Index depth = 32, seeds = 100;
  const Index n = state.range(0);
  const int threads = static_cast<int>(state.range(1));
  const StackPtr stack = held_mlp(n, depth);
  bench::time_in_team(state, threads,
                      [&] { for_each_index(seeds, threads, [&](Index) { take_jacobian(*stack, 1); }); });
  count_flops(state, 4.0 * depth * seeds * static_cast<double>(n * n * n));
}

void transformer(benchmark::State& state) {
  StackSpec spec("pre-ln", "transformer");
  spec.width = state.range(0);
  spec.activation = Activation("tanh");
  spec.initializer = Initializer("lecun");
  spec.tokens.tokens = state.range(1);
  spec.tokens.attention.heads = spec.tokens.attention.kv_heads = 4;
  const StackPtr stack = held_stack(spec, state.range(2));
  const auto threads = static_cast<int>(state.range(3));
  bench::time_in_team(state, threads, [&] { take_jacobian(*stack, threads); });
}

// ---- everything

/// Weights, Jacobian and certified spectrum of one stack, as the command computes them.
void cell(benchmark::State& state) {
  SweepPlan plan;
  plan.schemes = {SchemeSpec("fixed:alpha=0.1")};
  plan.family = &families().at("mlp");
  plan.depths = {32};
  plan.widths = {state.range(0)};
  plan.activations = {Activation("tanh")};
  plan.initializers = {Initializer(parse_named_spec("lecun"))};
  plan.seeds = {0};
  const CellList cells = expand_cells(plan);
  RunOptions run;
  run.threads = static_cast<int>(state.range(1));
  bench::time_in_team(state, run.threads, [&] { run_sweep(plan, cells, run, [](const CellResult&) {}); });
}

// ---- singular values

ScaledMatrix normal_jacobian(Index n) {
  ScaledMatrix J{normal_matrix(n, n, {1, 0x100, 0}), 0};
  if (!renormalize(J)) J.mantissa.setIdentity();
  return J;
}

/// As in a report: with their certificate.
void certified_values(benchmark::State& state) {
  const ScaledMatrix J = normal_jacobian(state.range(0));
  SpectrumRequest request;
  request.method = "dense";
  request.workers = static_cast<int>(state.range(1));
  bench::time_in_team(state, request.workers,
                      [&] { benchmark::DoNotOptimize(compute_spectrum(J, request)); });
}

/// The values alone.
void values(benchmark::State& state) {
  const ScaledMatrix J = normal_jacobian(state.range(0));
  const SpectrumMethod& dense = spectrum_methods().at("dense");
  const auto threads = static_cast<int>(state.range(1));
  bench::time_in_team(state, threads, [&] { benchmark::DoNotOptimize(dense.full(J.mantissa, threads)); });
}

void as_measured(benchmark::internal::Benchmark* bench) {
  bench->UseRealTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK(fma_peak)->Apply(as_measured)->ArgName("threads")->Arg(available_processors());
BENCHMARK(product)
    ->Apply(as_measured)
    ->ArgNames({"n", "threads"})
    ->ArgsProduct({{64, 256, 512, 1024}, {available_processors()}});
BENCHMARK(product_of_seeds)
    ->Apply(as_measured)
    ->ArgNames({"n", "threads"})
    ->Args({64, available_processors()});
BENCHMARK(transformer)
    ->Apply(as_measured)
    ->ArgNames({"d", "T", "L", "threads"})
    ->Args({64, 16, 12, available_processors()});
BENCHMARK(cell)
    ->Apply(as_measured)
    ->ArgNames({"n", "threads"})
    ->ArgsProduct({{64, 256, 512}, {available_processors()}});
BENCHMARK(certified_values)
    ->Apply(as_measured)
    ->ArgNames({"n", "threads"})
    ->ArgsProduct({{256, 512, 1024, 2048, 4096}, {available_processors()}});
BENCHMARK(values)
    ->Apply(as_measured)
    ->ArgNames({"n", "threads"})
    ->ArgsProduct({{256, 512, 1024, 2048, 4096}, {available_processors()}});

}  // namespace
}  // namespace rezero
