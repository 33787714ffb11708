/// Resize and Upsample: each number of the output is a weighted sum of numbers of the input, separable by
/// axis.

#include <cmath>

#include "parts.h"

namespace rezero::graph {
namespace {

using namespace operator_parts;  // NOLINT: the vocabulary of this folder

/// Settings as the ONNX specification names them.
struct Form {
  std::string mode = "nearest", coordinates = "half_pixel", rounding = "round_prefer_floor";
  Real cubic = single(-0.75F);
  bool exclude_outside = false;
};

struct Weighted {
  Index index;
  Real weight;
};

/// The place on an axis of `n` numbers that place `i` of `m` comes from.
Real source(const Form& form, Index i, Index n, Index m, Real scale) {
  const auto x = static_cast<Real>(i);
  if (form.coordinates == "asymmetric") return x / scale;
  if (form.coordinates == "align_corners") {
    // With scales, the extent counts before it is rounded down.
    const Real exact = scale * static_cast<Real>(n), whole = std::round(exact);
    const Real resized = std::abs(exact - whole) < 1e-9 * whole ? whole : exact;
    return m == 1 ? 0 : x * static_cast<Real>(n - 1) / (resized - 1);
  }
  if (form.coordinates == "pytorch_half_pixel" && m == 1) return 0;
  if (form.coordinates == "half_pixel" || form.coordinates == "pytorch_half_pixel")
    return (x + 0.5) / scale - 0.5;
  if (form.coordinates == "tf_half_pixel_for_nn") return (x + 0.5) / scale;
  throw ShapeError("coordinates '" + form.coordinates + "' are not supported");
}

Index nearest(const Form& form, Real x) {
  if (form.rounding == "floor") return static_cast<Index>(std::floor(x));
  if (form.rounding == "ceil") return static_cast<Index>(std::ceil(x));
  if (form.rounding == "round_prefer_ceil") return static_cast<Index>(std::floor(x + 0.5));
  return static_cast<Index>(std::ceil(x - 0.5));
}

/// Keys' kernel at the four neighbours, for a fraction t (Keys 1981, IEEE TASSP 29).
std::vector<Weighted> cubic(const Form& form, Real x, Index n) {
  const Real base = std::floor(x), t = x - base, a = form.cubic;
  const auto near = [a](Real d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
  const auto far = [a](Real d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
  const Real weights[] = {far(1 + t), near(t), near(1 - t), far(2 - t)};
  std::vector<Weighted> all;
  Real sum = 0;
  for (int k = 0; k < 4; ++k) {
    const Index at = static_cast<Index>(base) - 1 + k;
    if (form.exclude_outside && (at < 0 || at >= n)) continue;
    all.push_back({std::clamp<Index>(at, 0, n - 1), weights[k]});
    sum += weights[k];
  }
  if (form.exclude_outside)
    for (Weighted& w : all) w.weight /= sum;
  return all;
}

std::vector<Weighted> weights_at(const Form& form, Index i, Index n, Index m, Real scale) {
  if (n == m && scale == 1) return {{i, 1}};
  const Real x = source(form, i, n, m, scale);
  if (form.mode == "nearest") return {{std::clamp<Index>(nearest(form, x), 0, n - 1), 1}};
  if (form.mode == "cubic") return cubic(form, x, n);
  if (form.mode != "linear") throw ShapeError("mode '" + form.mode + "' is not supported");
  const Real inside = std::clamp<Real>(x, 0, static_cast<Real>(n - 1)), base = std::floor(inside),
             t = inside - base;
  const auto low = static_cast<Index>(base);
  if (t == 0) return {{low, 1}};
  return {{low, 1 - t}, {low + 1, t}};
}

Outcome resized(const Call& call, const Form& form, const std::vector<Real>& scales, const Dims& to) {
  const Dims& from = call.in(0).dims();
  const std::size_t rank = from.size();
  const Dims strides = strides_of(from);
  SparseRows rows;
  rows.cols = call.in(0).size();
  std::vector<std::vector<std::vector<Weighted>>> by_axis(rank);
  for (std::size_t a = 0; a < rank; ++a)
    for (Index i = 0; i < to[a]; ++i) by_axis[a].push_back(weights_at(form, i, from[a], to[a], scales[a]));
  const Dims steps = strides_of(to);
  const Index count = count_of(to);
  for (Index o = 0; o < count; ++o) {
    std::vector<Weighted> sum = {{0, 1}};
    for (std::size_t a = 0; a < rank; ++a) {
      std::vector<Weighted> next;
      for (const Weighted& before : sum)
        for (const Weighted& w : by_axis[a][at(o / steps[a] % to[a])])
          next.push_back({before.index + w.index * strides[a], before.weight * w.weight});
      sum = std::move(next);
    }
    for (const Weighted& w : sum) rows.add(w.index, w.weight);
    rows.end_row();
  }
  const LinearMapPtr map = sparse_map(std::move(rows));
  Matrix y(map->rows(), 1);
  map->apply(call.in(0).reals(), y);
  Outcome outcome = one(Tensor::of(to, Vector(y.col(0))));
  if (call.wants(0)) add(outcome, 0, map);
  return outcome;
}

Outcome by_scales(const Call& call, const Form& form, std::vector<Real> scales) {
  const Dims& from = call.in(0).dims();
  if (scales.size() != from.size()) throw ShapeError("the scales do not have one number per axis");
  Dims to;
  for (std::size_t a = 0; a < from.size(); ++a) {
    const Real extent = std::floor(static_cast<Real>(from[a]) * scales[a]);
    if (!(scales[a] > 0) || !(extent >= 1 && extent < 0x1p31)) throw ShapeError("a scale is out of range");
    to.push_back(static_cast<Index>(extent));
  }
  return resized(call, form, scales, to);
}

std::vector<Real> numbers(const Tensor& tensor) {
  std::vector<Real> all;
  for (Index i = 0; i < tensor.size(); ++i) all.push_back(tensor.real_at(i));
  return all;
}

/// The form of the old operators: every place is divided by the scale and rounded down.
Form old_form(const Call& call) {
  Form form;
  form.mode = call.text("mode", "nearest"), form.coordinates = "asymmetric", form.rounding = "floor";
  return form;
}

Outcome run_upsample(const Call& call) {
  if (call.has(1)) return by_scales(call, old_form(call), numbers(call.in(1)));
  return by_scales(call, old_form(call), call.reals("scales").value_or(std::vector<Real>{}));
}

Outcome run_resize(const Call& call) {
  if (call.opset < 11) return by_scales(call, old_form(call), numbers(call.in(1)));
  Form form;
  form.mode = call.text("mode", "nearest");
  form.coordinates = call.text("coordinate_transformation_mode", "half_pixel");
  form.rounding = call.text("nearest_mode", "round_prefer_floor");
  form.cubic = call.real("cubic_coeff_a", form.cubic);
  form.exclude_outside = call.integer("exclude_outside", 0) != 0;
  if (call.has(3) && call.in(3).size() > 0) {
    const Dims to = *call.integers_in(3);
    const Dims& from = call.in(0).dims();
    if (to.size() != from.size()) throw ShapeError("the sizes do not have one number per axis");
    std::vector<Real> scales;
    for (std::size_t a = 0; a < to.size(); ++a) {
      if (to[a] < 1 || from[a] < 1) throw ShapeError("a size is not positive");
      scales.push_back(static_cast<Real>(to[a]) / static_cast<Real>(from[a]));
    }
    return resized(call, form, scales, to);
  }
  return by_scales(call, form, numbers(call.in(2)));
}

}  // namespace

void operators_resize(OperatorTable& table) {
  table.push_back({"Upsample", run_upsample, Smoothness::linear});
  table.push_back({"Resize", run_resize, Smoothness::linear, false, 10});
}

}  // namespace rezero::graph
