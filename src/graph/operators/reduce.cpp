/// Reductions along axes: y_j = f of the x_i with target j. The derivative sums into the targets with the
/// weights ∂f/∂x_i.

#include <algorithm>
#include <cmath>
#include <limits>

#include "parts.h"

namespace rezero::graph {
namespace {

using namespace operator_parts;  // NOLINT: the vocabulary of this folder

/// The output of each number, and the extents of the output.
struct Targets {
  Dims dims, kept_dims;
  Indices of;
  Index count = 1, each = 1;  ///< outputs, and numbers per output

  Targets(const Dims& from, std::optional<Dims> axes, bool keep, bool none_if_empty) {
    const auto rank = static_cast<Index>(from.size());
    std::vector<bool> reduced(from.size(), !axes || (axes->empty() && !none_if_empty));
    if (axes)
      for (const Index axis : *axes) reduced[at(axis_of(axis, rank))] = true;
    Dims outer;
    for (std::size_t a = 0; a < from.size(); ++a) {
      outer.push_back(reduced[a] ? 1 : from[a]);
      if (!reduced[a])
        kept_dims.push_back(from[a]);
      else {
        if (keep) kept_dims.push_back(1);
        each *= from[a];
      }
    }
    dims = kept_dims;
    count = count_of(outer);
    of = broadcast_indices(outer, from);
  }
};

Targets targets_of(const Call& call) {
  const bool moved = call.node->type == "ReduceSum" ? call.opset >= 13 : call.opset >= 18;
  std::optional<Dims> axes = moved ? call.integers_in(1) : call.integers("axes");
  return {call.in(0).dims(), std::move(axes), call.integer("keepdims", 1) != 0,
          call.integer("noop_with_empty_axes", 0) != 0};
}

Outcome of_integers(const Call& call, const Targets& t) {
  const std::string& type = call.node->type;
  const Integers& x = call.in(0).integers();
  const bool product = type == "ReduceProd", largest = type == "ReduceMax", smallest = type == "ReduceMin";
  constexpr auto low = std::numeric_limits<std::int64_t>::min(),
                 high = std::numeric_limits<std::int64_t>::max();
  Integers y(at(t.count), product ? 1 : largest ? low : smallest ? high : 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::int64_t& to = y[at(t.of[i])];
    if (product)
      to *= x[i];
    else if (largest)
      to = std::max(to, x[i]);
    else if (smallest)
      to = std::min(to, x[i]);
    else if (type == "ReduceSum" || type == "ReduceMean")
      to += x[i];
    else if (type == "ReduceL1")
      to += std::abs(x[i]);
    else if (type == "ReduceSumSquare")
      to += x[i] * x[i];
    else
      throw ShapeError("whole numbers are not supported");
  }
  if (type == "ReduceMean" && t.each > 0)
    for (std::int64_t& to : y) to /= t.each;
  return one(Tensor::of(t.dims, std::move(y), call.in(0).element()));
}

/// Σ g(x_i) over the numbers of each target.
template <class G>
Vector sums(const Vector& x, const Targets& t, G&& g) {
  Vector y = Vector::Zero(t.count);
  for (Index i = 0; i < x.size(); ++i) y(t.of[at(i)]) += g(x(i));
  return y;
}

/// w_i = h(x_i, y of its target).
template <class H>
Vector weights(const Vector& x, const Vector& y, const Targets& t, H&& h) {
  Vector w(x.size());
  for (Index i = 0; i < x.size(); ++i) w(i) = h(x(i), y(t.of[at(i)]));
  return w;
}

Real sign(Real x) {
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}

struct Reduced {
  Vector value, weights;  ///< no weights: 1
};

Reduced log_sum_exp(const Vector& x, const Targets& t) {
  Vector top = Vector::Constant(t.count, -std::numeric_limits<Real>::infinity());
  for (Index i = 0; i < x.size(); ++i) top(t.of[at(i)]) = std::max(top(t.of[at(i)]), x(i));
  Vector y = Vector::Zero(t.count);
  for (Index i = 0; i < x.size(); ++i) y(t.of[at(i)]) += std::exp(x(i) - top(t.of[at(i)]));
  y = (y.array().log() + top.array()).matrix();
  Vector w = weights(x, y, t, [](Real a, Real b) { return std::exp(a - b); });
  return {std::move(y), std::move(w)};
}

/// Products of the other factors, without dividing.
Reduced products(const Vector& x, const Targets& t) {
  Vector before = Vector::Ones(t.count), after = before, w(x.size());
  for (Index i = 0; i < x.size(); ++i) w(i) = before(t.of[at(i)]), before(t.of[at(i)]) *= x(i);
  for (Index i = x.size(); i-- > 0;) w(i) *= after(t.of[at(i)]), after(t.of[at(i)]) *= x(i);
  return {std::move(before), std::move(w)};
}

Reduced reduced(const std::string& type, const Vector& x, const Targets& t) {
  const auto itself = [](Real a) { return a; };
  const auto square = [](Real a) { return a * a; };
  const auto modulus = [](Real a) { return std::abs(a); };
  if (type == "ReduceSum") return {sums(x, t, itself), {}};
  if (type == "ReduceMean") {
    const auto n = static_cast<Real>(t.each);
    return {sums(x, t, itself) / n, Vector::Constant(x.size(), 1 / n)};
  }
  if (type == "ReduceL1") return {sums(x, t, modulus), x.unaryExpr([](Real a) { return sign(a); })};
  if (type == "ReduceSumSquare") return {sums(x, t, square), 2 * x};
  if (type == "ReduceL2") {
    Vector y = sums(x, t, square).cwiseSqrt();
    Vector w = weights(x, y, t, [](Real a, Real b) { return b == 0 ? 0 : a / b; });
    return {std::move(y), std::move(w)};
  }
  if (type == "ReduceLogSum") {
    const Vector y = sums(x, t, itself);
    return {y.array().log().matrix(), weights(x, y, t, [](Real, Real b) { return 1 / b; })};
  }
  if (type == "ReduceLogSumExp") return log_sum_exp(x, t);
  return products(x, t);
}

Outcome run(const Call& call) {
  const Targets t = targets_of(call);
  if (!call.in(0).is_real()) return of_integers(call, t);
  Reduced r = reduced(call.node->type, call.in(0).reals(), t);
  Outcome outcome = one(Tensor::of(t.dims, std::move(r.value)));
  if (call.wants(0)) add(outcome, 0, scatter_map(t.count, t.of, std::move(r.weights)));
  return outcome;
}

/// The first of the largest (or smallest) numbers.
Indices chosen(const Vector& x, const Targets& t, bool largest) {
  Indices best(at(t.count), -1);
  for (Index i = 0; i < x.size(); ++i) {
    Index& b = best[at(t.of[at(i)])];
    if (b < 0 || (largest ? x(i) > x(b) : x(i) < x(b)) || std::isnan(x(i))) b = i;
  }
  return best;
}

Outcome run_extreme(const Call& call) {
  const Targets t = targets_of(call);
  if (!call.in(0).is_real()) return of_integers(call, t);
  return moved(call, chosen(call.in(0).reals(), t, call.node->type == "ReduceMax"), t.dims);
}

Outcome run_arg(const Call& call) {
  const Index axis = axis_of(call.integer("axis", 0), call.in(0).rank());
  const Targets t(call.in(0).dims(), Dims{axis}, call.integer("keepdims", 1) != 0, false);
  const Index extent = call.in(0).dims()[at(axis)],
              inner = count_between(call.in(0).dims(), axis + 1, call.in(0).rank());
  const Vector x = reals_of(call.in(0));
  const bool last = call.integer("select_last_index", 0) != 0;
  Integers place;
  for (const Index best : chosen(x, t, call.node->type == "ArgMax")) {
    const Index p = best / inner % extent;
    Index found = p;
    for (Index q = p + 1; last && q < extent; ++q)
      if (x(best + (q - p) * inner) == x(best)) found = q;
    place.push_back(found);
  }
  return one(Tensor::of(t.dims, std::move(place)));
}

/// Sums of all numbers up to each one along an axis.
Outcome run_cum_sum(const Call& call) {
  const Dims& dims = call.in(0).dims();
  const Index axis = axis_of(call.in(1).integers().at(0), call.in(0).rank());
  const Index extent = dims[at(axis)], inner = count_between(dims, axis + 1, call.in(0).rank());
  const bool exclusive = call.integer("exclusive", 0) != 0, reverse = call.integer("reverse", 0) != 0;
  SparseRows rows;
  rows.cols = call.in(0).size();
  for (Index i = 0; i < rows.cols; ++i) {
    const Index p = i / inner % extent;
    for (Index q = 0; q < extent; ++q) {
      const bool before = reverse ? q > p : q < p;
      if (before || (q == p && !exclusive)) rows.add(i + (q - p) * inner, 1);
    }
    rows.end_row();
  }
  const LinearMapPtr map = sparse_map(std::move(rows));
  Matrix y(map->rows(), 1);
  map->apply(reals_of(call.in(0)), y);
  if (!call.in(0).is_real()) {
    Integers whole;
    for (Index i = 0; i < y.size(); ++i) whole.push_back(static_cast<std::int64_t>(y(i, 0)));
    return one(Tensor::of(dims, std::move(whole)));
  }
  Outcome outcome = one(Tensor::of(dims, Vector(y.col(0))));
  if (call.wants(0)) add(outcome, 0, map);
  return outcome;
}

}  // namespace

void operators_reduce(OperatorTable& table) {
  table.push_back({"ReduceSum", run, Smoothness::linear});
  table.push_back({"ReduceMean", run, Smoothness::linear});
  table.push_back({"ReduceL1", run, Smoothness::pieces});
  for (const char* name : {"ReduceL2", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp", "ReduceProd"})
    table.push_back({name, run});
  table.push_back({"ReduceMax", run_extreme, Smoothness::pieces});
  table.push_back({"ReduceMin", run_extreme, Smoothness::pieces});
  table.push_back({"ArgMax", run_arg, Smoothness::pieces});
  table.push_back({"ArgMin", run_arg, Smoothness::pieces});
  table.push_back({"CumSum", run_cum_sum, Smoothness::linear});
}

}  // namespace rezero::graph
