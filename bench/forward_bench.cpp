/// The exact Jacobian of mlp stacks: floating-point rate of the products without drawing weights, and whole
/// cells.

#include <benchmark/benchmark.h>

#include "rezero/analysis/sweep.h"
#include "rezero/jacobian/forward.h"
#include "support.h"

namespace rezero {
namespace {

StackSpec spec_of(Index width, Real ratio) {
  StackSpec spec("depth-power", "mlp");
  spec.width = width;
  spec.hidden_ratio = ratio;
  return spec;
}

/// A stack whose blocks are built once, so that only the product is timed.
StackPtr held_stack(Index width, Real ratio, Index depth) {
  const StackPtr random = build_stack(spec_of(width, ratio), 1, depth);
  std::vector<BlockParts> parts;
  for (Index l = 0; l < depth; ++l) parts.push_back(random->block(l)->parts());
  return make_stack(std::move(parts), random->input());
}

void BM_product(benchmark::State& state) {
  const Index n = state.range(0), ratio = state.range(1), depth = 8;
  const StackPtr stack = held_stack(n, static_cast<Real>(ratio), depth);
  ForwardOptions options;
  options.workers = static_cast<int>(state.range(2));
  for (auto _ : state)
    forward_jacobian(
        *stack, stack->input(), Matrix::Identity(n, n), {depth}, [](const ForwardStep&) {}, options);
  // 4 n² h per column and block as two products; the wide form does fewer.
  state.counters["flop/s"] = benchmark::Counter(
      static_cast<double>(state.iterations() * depth * 4 * n * n * n * ratio), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_product)
    ->ArgNames({"n", "ratio", "threads"})
    ->ArgsProduct({{64, 256, 512}, {1, 4}, {1}})
    ->ArgsProduct({{512}, {1}, {2}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

/// The full Jacobian of pre-norm transformer layers with given weights. Flops per column and layer: attention
/// 8 d² T + 8 d T², the feed-forward branch (one d × d matrix per token) 2 d² T.
void BM_transformer(benchmark::State& state) {
  const Index d = state.range(0), T = state.range(1), depth = 2;
  StackSpec spec("pre-ln", "transformer");
  spec.width = d;
  spec.initializer = Initializer("xavier");
  spec.tokens.tokens = T;
  spec.tokens.attention.heads = spec.tokens.attention.kv_heads = 4;
  const StackPtr random = build_stack(spec, 1, depth);
  std::vector<BlockParts> parts;
  for (Index l = 0; l < random->blocks(); ++l) parts.push_back(random->block(l)->parts());
  const StackPtr stack = make_stack(std::move(parts), random->input());
  const Index n = stack->shape().size();
  ForwardOptions options;
  options.workers = static_cast<int>(state.range(2));
  for (auto _ : state)
    forward_jacobian(
        *stack, stack->input(), Matrix::Identity(n, n), {stack->blocks()}, [](const ForwardStep&) {},
        options);
  const double flops = static_cast<double>(depth * n) * static_cast<double>(10 * d * d * T + 8 * d * T * T);
  state.counters["flop/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * flops, benchmark::Counter::kIsRate);
}
BENCHMARK(BM_transformer)
    ->ArgNames({"d", "T", "threads"})
    ->ArgsProduct({{64, 128}, {16, 32}, {1}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

BENCHMARK(bench::square_product)
    ->Name("BM_gemm")
    ->ArgName("n")
    ->Arg(64)
    ->Arg(256)
    ->Arg(512)
    ->Unit(benchmark::kMillisecond);

void BM_sweep(benchmark::State& state) {  // weights, Jacobian and spectrum of 64 cells
  SweepPlan plan;
  plan.schemes = {SchemeSpec("depth-power")};
  plan.family = &families().at("mlp");
  plan.depths = {32};
  plan.widths = {128};
  plan.activations = {Activation("relu")};
  plan.initializers = {Initializer(parse_named_spec("he"))};
  for (std::uint64_t seed = 0; seed < 64; ++seed) plan.seeds.push_back(seed);
  const CellList cells = expand_cells(plan);
  RunOptions run;
  run.threads = static_cast<int>(state.range(0));
  for (auto _ : state) run_sweep(plan, cells, run, [](const CellResult&) {});
}
BENCHMARK(BM_sweep)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace rezero
