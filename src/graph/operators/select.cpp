/// Choices between numbers: Where, Clip, TopK.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "parts.h"

namespace rezero::graph {
namespace {

using namespace operator_parts;  // NOLINT: the vocabulary of this folder

Outcome run_where(const Call& call) {
  const Tensor &choice = call.in(0), &x = call.in(1), &y = call.in(2);
  const Dims dims = broadcast(broadcast(choice.dims(), x.dims()), y.dims());
  const Indices of_choice = broadcast_indices(choice.dims(), dims);
  Indices from_x = broadcast_indices(x.dims(), dims), from_y = broadcast_indices(y.dims(), dims);
  for (std::size_t i = 0; i < of_choice.size(); ++i)
    (choice.integers()[at(of_choice[i])] != 0 ? from_y : from_x)[i] = -1;
  if (!x.is_real()) {
    Integers out = gathered(x, from_x, dims).integers();
    for (std::size_t i = 0; i < out.size(); ++i)
      if (from_y[i] >= 0) out[i] = y.integers()[at(from_y[i])];
    return one(Tensor::of(dims, std::move(out), x.element()));
  }
  Vector out = gathered(x, from_x, dims).reals();  // chosen, not added: ∞ · 0 must not enter
  for (Index i = 0; i < out.size(); ++i)
    if (from_y[at(i)] >= 0) out(i) = y.reals()(from_y[at(i)]);
  Outcome outcome = one(Tensor::of(dims, std::move(out)));
  if (call.wants(1)) add(outcome, 1, gather_map(x.size(), std::move(from_x)));
  if (call.wants(2)) add(outcome, 2, gather_map(y.size(), std::move(from_y)));
  return outcome;
}

Outcome run_clip(const Call& call) {
  constexpr Real open = std::numeric_limits<Real>::infinity();
  const bool inputs = call.opset >= 11;
  const auto bound = [&](Index i, std::string_view name, Real otherwise) {
    if (!inputs) return call.real(name, otherwise);
    return call.has(i) && call.in(i).size() > 0 ? call.in(i).real_at(0) : otherwise;
  };
  const Real low = bound(1, "min", -open), high = bound(2, "max", open);
  if (!call.in(0).is_real()) {
    Integers out = call.in(0).integers();
    for (std::int64_t& x : out) {
      if (static_cast<Real>(x) < low) x = static_cast<std::int64_t>(low);
      if (static_cast<Real>(x) > high) x = static_cast<std::int64_t>(high);
    }
    return one(Tensor::of(call.in(0).dims(), std::move(out)));
  }
  const Vector& x = call.in(0).reals();
  Outcome outcome = one(Tensor::of(call.in(0).dims(), Vector(x.unaryExpr([&](Real v) {
                                     return v > high ? high : v < low ? low : v;
                                   }))));
  if (call.wants(0))
    add(outcome, 0, diagonal_map(x.unaryExpr([&](Real v) { return v > low && v < high ? 1.0 : 0.0; })));
  const auto saturated = [&](Index input, auto beyond) {
    Indices from;
    for (const Real v : x) from.push_back(beyond(v) ? 0 : -1);
    add(outcome, input, gather_map(1, std::move(from)));
  };
  if (call.wants(1)) saturated(1, [&](Real v) { return v < low; });
  if (call.wants(2)) saturated(2, [&](Real v) { return v > high; });
  return outcome;
}

Outcome run_top_k(const Call& call) {
  const Dims& dims = call.in(0).dims();
  const Index rank = call.in(0).rank(), axis = axis_of(call.integer("axis", -1), rank);
  const Index k = call.opset >= 10 ? call.in(1).integers().at(0) : call.integer("k", 1);
  const Index n = dims[at(axis)], inner = count_between(dims, axis + 1, rank),
              outer = count_between(dims, 0, axis);
  if (k < 0 || k > n)
    throw ShapeError("an axis of " + std::to_string(n) + " does not have " + std::to_string(k) + " numbers");
  const bool largest = call.integer("largest", 1) != 0;
  const Vector x = reals_of(call.in(0));
  Dims to = dims;
  to[at(axis)] = k;
  Indices from(at(count_of(to)));
  Integers places(from.size());
  for (Index o = 0; o < outer; ++o)
    for (Index i = 0; i < inner; ++i) {
      Indices order(at(n));
      std::iota(order.begin(), order.end(), 0);
      const auto value = [&](Index p) { return x((o * n + p) * inner + i); };
      std::stable_sort(order.begin(), order.end(),
                       [&](Index a, Index b) { return largest ? value(a) > value(b) : value(a) < value(b); });
      for (Index p = 0; p < k; ++p) {
        const std::size_t target = at((o * k + p) * inner + i);
        from[target] = (o * n + order[at(p)]) * inner + i;
        places[target] = order[at(p)];
      }
    }
  Outcome outcome = moved(call, from, to);
  outcome.outputs.push_back(Tensor::of(to, std::move(places)));
  return outcome;
}

}  // namespace

void operators_select(OperatorTable& table) {
  table.push_back({"Where", run_where, Smoothness::pieces, false, 9});
  table.push_back({"Clip", run_clip, Smoothness::pieces});
  table.push_back({"TopK", run_top_k, Smoothness::pieces});
}

}  // namespace rezero::graph
