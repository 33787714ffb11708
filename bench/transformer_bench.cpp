/// Cost of a transformer layer's Jacobian product relative to its matrix products: ratio = time / (counted
/// flops / rate of one product of order 512). Both are CPU times measured in turns, so that a busy machine
/// slows both.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <limits>

#include "rezero/jacobian/forward.h"
#include "rezero/linalg/maps.h"
#include "rezero/model/stack_spec.h"
#include "support.h"

namespace rezero {
namespace {

template <class F>
double cpu_seconds(F&& work) {
  timespec before{}, after{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
  work();
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
  return static_cast<double>(after.tv_sec - before.tv_sec) +
         1e-9 * static_cast<double>(after.tv_nsec - before.tv_nsec);
}

/// Seconds per flop in one square product.
class GemmRate {
 public:
  double seconds_per_flop() {
    return cpu_seconds([&] { C_.noalias() = A_ * B_; }) / (2.0 * order * order * order);
  }

 private:
  static constexpr Index order = 512;
  Matrix A_ = Matrix::Random(order, order), B_ = Matrix::Random(order, order), C_{order, order};
};

struct LayerMaps {
  LinearMapPtr attention, feed_forward;
};

/// One pre-norm layer, with its maps in the form used for the full Jacobian.
LayerMaps layer_maps(Index d, Index T, Index heads, bool causal) {
  StackSpec spec("pre-ln", "transformer");
  spec.width = d;
  spec.initializer = Initializer("xavier");
  spec.tokens.tokens = T;
  spec.tokens.attention.heads = spec.tokens.attention.kv_heads = heads;
  spec.tokens.attention.causal = causal;
  const StackPtr stack = build_stack(spec, 1, 1);
  const BlockLinearization first = stack->block(0)->linearize_block(stack->input()),
                           second = stack->block(1)->linearize_block(first.value);
  return {condense(first.derivative, d * T), condense(second.derivative, d * T)};
}

/// Tangents in panels as wide as those of the full Jacobian.
class Panel {
 public:
  Panel(Index n, Real flops_per_column)
      : tangents_(Matrix::Random(n, column_panels(n, n, flops_per_column, 1)[1])),
        images_(n, tangents_.cols()) {}
  double seconds(const LinearMap& map) {
    return cpu_seconds([&] { map.apply(tangents_, images_); });
  }
  double transposed_seconds(const LinearMap& map) {
    return cpu_seconds([&] { map.apply_transpose(tangents_, images_); });
  }
  Index columns() const { return tangents_.cols(); }

 private:
  Matrix tangents_, images_;
};

/// The minimum of the measurements: the time without disturbance.
class Least {
 public:
  void add(double seconds) { value_ = std::min(value_, seconds); }
  double value() const { return value_; }

 private:
  double value_ = std::numeric_limits<double>::infinity();
};

/// Flops per column: attention 8 d² T + 8 d T², causal or not; the feed-forward branch, as one d × d matrix
/// per token, 2 d² T.
void BM_layer(benchmark::State& state) {
  const Index d = state.range(0), T = state.range(1);
  const LayerMaps layer = layer_maps(d, T, state.range(2), state.range(3) != 0);
  const auto attention_flops = static_cast<double>(8 * d * d * T + 8 * d * T * T),
             feed_forward_flops = static_cast<double>(2 * d * d * T);
  Panel panel(d * T, attention_flops);
  GemmRate gemm;
  Least unit, attention, feed_forward, attention_back, feed_forward_back;
  for (auto _ : state) {
    unit.add(gemm.seconds_per_flop());
    attention.add(panel.seconds(*layer.attention));
    feed_forward.add(panel.seconds(*layer.feed_forward));
    attention_back.add(panel.transposed_seconds(*layer.attention));
    feed_forward_back.add(panel.transposed_seconds(*layer.feed_forward));
  }
  const double flop = unit.value() * static_cast<double>(panel.columns());
  const auto ratio = [&](double seconds, double flops) { return seconds / (flop * flops); };
  state.counters["jvp"] =
      ratio(attention.value() + feed_forward.value(), attention_flops + feed_forward_flops);
  state.counters["vjp"] =
      ratio(attention_back.value() + feed_forward_back.value(), attention_flops + feed_forward_flops);
  state.counters["attention"] = ratio(attention.value(), attention_flops);
  state.counters["feed_forward"] = ratio(feed_forward.value(), feed_forward_flops);
  state.counters["gemm_flop/s"] = 1 / unit.value();
}
BENCHMARK(BM_layer)
    ->ArgNames({"d", "T", "heads", "causal"})
    ->ArgsProduct({{64}, {16, 32}, {4}, {0, 1}})
    ->ArgsProduct({{128}, {16}, {4}, {0, 1}})
    ->ArgsProduct({{128}, {64}, {8}, {0, 1}})
    ->ArgsProduct({{64}, {64}, {1}, {0, 1}})
    ->ArgsProduct({{64}, {16}, {64}, {0, 1}})
    ->Iterations(40)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace rezero
