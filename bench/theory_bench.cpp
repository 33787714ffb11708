/// Spectral laws on one thread: stacks of equal and of different blocks, and the cavity equations.

#include <benchmark/benchmark.h>

#include <cmath>
#include <string_view>

#include "rezero/theory/density.h"

namespace {

using namespace rezero;
using namespace rezero::theory;

/// tanh blocks with α = L^−1/2, or relu.
NetworkLaw network(BranchForm form, const char* activation, Index depth, Real power) {
  NetworkLaw law;
  law.activation = Activation(std::string_view(activation));
  BlockLaw block;
  block.form = form;
  block.scale = std::pow(static_cast<Real>(depth), -power);
  law.blocks.assign(static_cast<std::size_t>(depth), block);
  return law;
}

void march_equal(benchmark::State& state, BranchForm form, const char* activation) {
  const NetworkLaw law = network(form, activation, state.range(0), 0.5);
  const std::vector<TransformRun> blocks = {
      {free_blocks(law, mean_field(law)).front().block, state.range(0)}};
  for (auto _ : state) benchmark::DoNotOptimize(march(blocks).mass);
}

/// The variance of the stream grows, so that every block has slopes of its own.
void march_different(benchmark::State& state, BranchForm form, const char* activation) {
  const NetworkLaw law = network(form, activation, state.range(0), 0.5);
  const std::vector<TransformRun> blocks = free_blocks(law, mean_field(law));
  for (auto _ : state) benchmark::DoNotOptimize(march(blocks).mass);
}

void cavity_law(benchmark::State& state, const char* activation, Real power) {
  const NetworkLaw law = network(BranchForm::preactivation, activation, state.range(0), power);
  const std::vector<CavityBlock> blocks = cavity_blocks(law, mean_field(law)).value();
  const GaussianIntegrals integrals(law.activation);
  for (auto _ : state) benchmark::DoNotOptimize(cavity(blocks, integrals).mass);
}

BENCHMARK_CAPTURE(march_equal, linear, BranchForm::linear, "identity")->Arg(1)->Arg(128);
BENCHMARK_CAPTURE(march_equal, mlp_relu, BranchForm::mlp, "relu")->Arg(1)->Arg(128);
BENCHMARK_CAPTURE(march_equal, mlp_tanh, BranchForm::mlp, "tanh")->Arg(1)->Arg(128);
BENCHMARK_CAPTURE(march_different, mlp_tanh, BranchForm::mlp, "tanh")->Arg(16)->Arg(128)->Arg(500);
BENCHMARK_CAPTURE(march_different, dense_tanh, BranchForm::dense, "tanh")->Arg(128);
BENCHMARK_CAPTURE(cavity_law, relu, "relu", 0.5)->Arg(4)->Arg(16)->Arg(64)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cavity_law, relu_critical, "relu", 0.0)->Arg(16)->Unit(benchmark::kMillisecond);

}  // namespace
