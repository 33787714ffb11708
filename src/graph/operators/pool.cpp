/// Pooling: the largest, or the mean, of the numbers below a window.

#include <cmath>
#include <limits>

#include "window.h"

namespace rezero::graph {
namespace {

using namespace operator_parts;  // NOLINT: the vocabulary of this folder

Dims pooled_dims(const Dims& x, const Dims& image) {
  Dims dims = {x[0], x[1]};
  dims.insert(dims.end(), image.begin(), image.end());
  return dims;
}

/// The first of the largest numbers below each window.
Outcome max_of(const Call& call, const Window& window) {
  const Vector& x = call.in(0).reals();
  const Indices below = window.below();
  const Index pixels = window.pixels(), taps = window.taps(), positions = window.positions();
  const Index images = pixels == 0 ? 0 : x.size() / pixels;
  Indices chosen;
  for (Index c = 0; c < images; ++c)
    for (Index p = 0; p < positions; ++p) {
      Index best = -1;
      for (Index t = 0; t < taps; ++t) {
        const Index pixel = below[at(p * taps + t)];
        if (pixel < 0) continue;
        const Real value = x(c * pixels + pixel);
        if (best < 0 || value > x(best) || std::isnan(value)) best = c * pixels + pixel;
      }
      chosen.push_back(best);
    }
  if (call.count_outputs() > 1 && call.integer("storage_order", 0) != 0)
    throw ShapeError("indices in column-major order are not supported");
  Outcome outcome = moved(call, chosen, pooled_dims(call.in(0).dims(), window.output));
  if (call.count_outputs() > 1)
    outcome.outputs.push_back(Tensor::of(outcome.outputs[0].dims(), Integers(chosen.begin(), chosen.end())));
  return outcome;
}

Outcome run_max_pool(const Call& call) {
  return max_of(call, window_of(call, call.in(0).dims()));
}

/// A window as large as the image.
Window whole(const Dims& dims) {
  if (dims.size() < 3) throw ShapeError("an image of " + text_of(dims) + " has no spatial axis");
  Window w;
  w.image.assign(dims.begin() + 2, dims.end());
  const std::size_t axes = w.image.size();
  w.kernel = w.image;
  w.strides = w.dilations = w.output = Dims(axes, 1);
  w.pads_begin = w.pads_end = Dims(axes, 0);
  return w;
}

Outcome run_global_max_pool(const Call& call) {
  return max_of(call, whole(call.in(0).dims()));
}

/// For each position the number of taps within the image and its declared padding.
Index taps_with_padding(const Window& window, Index position) {
  Index count = 1;
  for (std::size_t a = window.output.size(); a-- > 0;) {
    const Index i = position % window.output[a];
    position /= window.output[a];
    Index inside = 0;
    for (Index t = 0; t < window.kernel[a]; ++t) {
      const Index at = i * window.strides[a] + t * window.dilations[a];
      inside += at < window.image[a] + window.pads_begin[a] + window.pads_end[a] ? 1 : 0;
    }
    count *= inside;
  }
  return count;
}

enum class Divisor { numbers, with_padding };

Outcome mean_of(const Call& call, const Window& window, Divisor divisor) {
  const Indices below = window.below();
  const Index pixels = window.pixels(), taps = window.taps(), positions = window.positions();
  const Index images = pixels == 0 ? 0 : call.in(0).size() / pixels;
  SparseRows rows;
  rows.cols = call.in(0).size();
  for (Index c = 0; c < images; ++c)
    for (Index p = 0; p < positions; ++p) {
      Index count = 0;
      for (Index t = 0; t < taps; ++t) count += below[at(p * taps + t)] >= 0 ? 1 : 0;
      if (divisor == Divisor::with_padding) count = taps_with_padding(window, p);
      for (Index t = 0; t < taps; ++t)
        if (const Index pixel = below[at(p * taps + t)]; pixel >= 0)
          rows.add(c * pixels + pixel, 1 / static_cast<Real>(count));
      rows.end_row();
    }
  const LinearMapPtr map = sparse_map(std::move(rows));
  Matrix y(map->rows(), 1);
  map->apply(call.in(0).reals(), y);
  Outcome outcome = one(Tensor::of(pooled_dims(call.in(0).dims(), window.output), Vector(y.col(0))));
  if (call.wants(0)) add(outcome, 0, map);
  return outcome;
}

Outcome run_average_pool(const Call& call) {
  const bool padding = call.integer("count_include_pad", 0) != 0;
  return mean_of(call, window_of(call, call.in(0).dims()),
                 padding ? Divisor::with_padding : Divisor::numbers);
}

Outcome run_global_average_pool(const Call& call) {
  return mean_of(call, whole(call.in(0).dims()), Divisor::numbers);
}

}  // namespace

void operators_pool(OperatorTable& table) {
  table.push_back({"MaxPool", run_max_pool, Smoothness::pieces});
  table.push_back({"GlobalMaxPool", run_global_max_pool, Smoothness::pieces});
  table.push_back({"AveragePool", run_average_pool, Smoothness::linear});
  table.push_back({"GlobalAveragePool", run_global_average_pool, Smoothness::linear});
}

}  // namespace rezero::graph
