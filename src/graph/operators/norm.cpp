/// Norms with statistics of their input (layer, instance, batch in training form) or with fixed ones (batch).
///
/// Statistics are taken over sets of numbers. The numbers are rearranged so that each set is a run, pass
/// through the library's norm map, and are put back; weight and bias follow.

#include <cmath>

#include "layers/norm_map.h"
#include "parts.h"

namespace rezero::graph {
namespace {

using namespace operator_parts;  // NOLINT: the vocabulary of this folder

/// (x − mean)/√(variance + ε) over runs of `count` numbers, with its derivative.
struct Standardized {
  Vector value, mean, inverse;
  LinearMapPtr map;
};

Standardized standardized(const Vector& x, Index count, Real eps, bool wants_map) {
  const Index sets = count == 0 ? 0 : x.size() / count;
  Standardized out{x, Vector(sets), Vector(sets), nullptr};
  for (Index s = 0; s < sets; ++s) {
    auto run = out.value.segment(s * count, count);
    out.mean(s) = run.mean();
    run.array() -= out.mean(s);
    out.inverse(s) = 1 / std::sqrt(run.squaredNorm() / static_cast<Real>(count) + eps);
    run *= out.inverse(s);
  }
  if (!wants_map) return out;
  NormMapParts parts;
  parts.shape = {count, sets};
  parts.center = true;
  parts.scale = out.inverse;
  parts.coefficient = Vector::Constant(sets, 1 / static_cast<Real>(count));
  parts.direction = out.value;
  out.map = norm_map(std::move(parts));
  return out;
}

/// y = weight ⊙ z + bias, where entry i has the weight `of`[i]; `to_z` is ∂z/∂x.
Outcome affine(const Call& call, Dims dims, const Vector& z, const Indices& of, const LinearMapPtr& to_z) {
  Vector y = z, slope;
  if (call.has(1)) {
    slope.resize(z.size());
    for (Index i = 0; i < z.size(); ++i) slope(i) = call.in(1).reals()(of[at(i)]);
    y.array() *= slope.array();
  }
  if (call.has(2))
    for (Index i = 0; i < z.size(); ++i) y(i) += call.in(2).reals()(of[at(i)]);
  Outcome outcome = one(Tensor::of(std::move(dims), std::move(y)));
  if (to_z) add(outcome, 0, slope.size() > 0 ? product_map({to_z, diagonal_map(std::move(slope))}) : to_z);
  if (call.wants(1)) add(outcome, 1, gather_map(call.in(1).size(), of, z));
  if (call.wants(2)) add(outcome, 2, gather_map(call.in(2).size(), of));
  return outcome;
}

void require_numbers(const Call& call, Index input, Index count) {
  if (call.has(input) && call.in(input).size() != count)
    throw ShapeError("input " + std::to_string(input) + " has " + std::to_string(call.in(input).size()) +
                     " numbers, expected " + std::to_string(count));
}

/// Over the axes from `axis` to the last.
Outcome run_layer_norm(const Call& call) {
  const Dims& dims = call.in(0).dims();
  const Index rank = call.in(0).rank(), axis = axis_of(call.integer("axis", -1), rank);
  const Index count = count_between(dims, axis, rank);
  require_numbers(call, 1, count), require_numbers(call, 2, count);
  const Standardized s =
      standardized(call.in(0).reals(), count, call.real("epsilon", single(1e-5F)), call.wants(0));
  Indices of;
  for (Index i = 0; i < call.in(0).size(); ++i) of.push_back(i % count);
  Outcome outcome = affine(call, dims, s.value, of, s.map);
  Dims statistics = dims;
  for (Index a = axis; a < rank; ++a) statistics[at(a)] = 1;
  if (call.count_outputs() > 1) outcome.outputs.push_back(Tensor::of(statistics, s.mean));
  if (call.count_outputs() > 2) outcome.outputs.push_back(Tensor::of(statistics, s.inverse));
  return outcome;
}

/// The channel of every number of an image.
Indices channels_of(const Dims& dims) {
  if (dims.size() < 2) throw ShapeError("an image of " + text_of(dims) + " has no channels");
  const Index pixels = count_between(dims, 2, static_cast<Index>(dims.size())), count = count_of(dims);
  Indices of;
  for (Index i = 0; i < count; ++i) of.push_back(i / pixels % dims[1]);
  return of;
}

/// Over the pixels of one channel of one image.
Outcome run_instance_norm(const Call& call) {
  const Dims& dims = call.in(0).dims();
  const Indices of = channels_of(dims);
  require_numbers(call, 1, dims[1]), require_numbers(call, 2, dims[1]);
  const Index pixels = count_between(dims, 2, call.in(0).rank());
  const Standardized s =
      standardized(call.in(0).reals(), pixels, call.real("epsilon", single(1e-5F)), call.wants(0));
  return affine(call, dims, s.value, of, s.map);
}

/// With the statistics of the batch: over all pixels of one channel.
Outcome batch_norm_in_training(const Call& call, const Indices& of, Real eps) {
  const Dims& dims = call.in(0).dims();
  const Index pixels = count_between(dims, 2, call.in(0).rank());
  const Indices order = strided_indices(0, {dims[1], dims[0], pixels}, {pixels, dims[1] * pixels, 1});
  Indices back(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) back[at(order[i])] = static_cast<Index>(i);
  const Tensor sets = gathered(call.in(0), order, {call.in(0).size()});
  const Standardized s = standardized(sets.reals(), dims[0] * pixels, eps, call.wants(0));
  const Tensor z = gathered(Tensor::of({s.value.size()}, s.value), back, dims);
  LinearMapPtr map;
  if (s.map) map = product_map({gather_map(sets.size(), order), s.map, gather_map(sets.size(), back)});
  Outcome outcome = affine(call, dims, z.reals(), of, map);
  const Real momentum = call.real("momentum", single(0.9F));
  const Vector variance = (s.inverse.array().square().inverse() - eps).matrix();
  if (call.count_outputs() > 1)
    outcome.outputs.push_back(
        Tensor::of({dims[1]}, Vector(momentum * call.in(3).reals() + (1 - momentum) * s.mean)));
  if (call.count_outputs() > 2)
    outcome.outputs.push_back(
        Tensor::of({dims[1]}, Vector(momentum * call.in(4).reals() + (1 - momentum) * variance)));
  return outcome;
}

Outcome run_batch_norm(const Call& call) {
  const Dims& dims = call.in(0).dims();
  const Indices of = channels_of(dims);
  for (Index i = 1; i < 5; ++i) require_numbers(call, i, dims[1]);
  const Real eps = call.real("epsilon", single(1e-5F));
  const bool training = call.opset >= 14 ? call.integer("training_mode", 0) != 0 : call.count_outputs() > 1;
  if (training) return batch_norm_in_training(call, of, eps);
  const Vector &x = call.in(0).reals(), &mean = call.in(3).reals(), &variance = call.in(4).reals();
  Vector z(x.size()), slope(x.size());
  for (Index i = 0; i < x.size(); ++i) {
    const Index c = of[at(i)];
    slope(i) = 1 / std::sqrt(variance(c) + eps);
    z(i) = (x(i) - mean(c)) * slope(i);
  }
  Outcome outcome = affine(call, dims, z, of, call.wants(0) ? diagonal_map(slope) : nullptr);
  Vector by_mean(x.size()), by_variance(x.size());
  for (Index i = 0; i < x.size(); ++i) {
    by_mean(i) = -slope(i) * call.in(1).reals()(of[at(i)]);
    by_variance(i) = by_mean(i) * z(i) * slope(i) / 2;
  }
  if (call.wants(3)) add(outcome, 3, gather_map(dims[1], of, std::move(by_mean)));
  if (call.wants(4)) add(outcome, 4, gather_map(dims[1], of, std::move(by_variance)));
  return outcome;
}

/// x / ‖x‖_p along an axis.
Outcome run_lp_norm(const Call& call) {
  const Dims& dims = call.in(0).dims();
  const Index rank = call.in(0).rank(), axis = axis_of(call.integer("axis", -1), rank),
              p = call.integer("p", 2);
  const Index count = dims[at(axis)], inner = count_between(dims, axis + 1, rank);
  const Vector& x = call.in(0).reals();
  Indices line;
  for (Index i = 0; i < x.size(); ++i) line.push_back(i / (count * inner) * inner + i % inner);
  const Index lines = count == 0 ? 0 : x.size() / count;
  Vector norm = Vector::Zero(lines), direction(x.size());
  for (Index i = 0; i < x.size(); ++i) norm(line[at(i)]) += p == 1 ? std::abs(x(i)) : x(i) * x(i);
  if (p != 1) norm = norm.cwiseSqrt();
  Vector y(x.size()), inverse(x.size());
  for (Index i = 0; i < x.size(); ++i) {
    inverse(i) = 1 / norm(line[at(i)]);
    y(i) = x(i) * inverse(i);
    direction(i) = p == 1 ? (x(i) > 0 ? 1 : x(i) < 0 ? -1 : 0) : y(i);
  }
  Outcome outcome = one(Tensor::of(dims, y));
  if (!call.wants(0)) return outcome;
  // dy = (dx − y ⟨direction, dx⟩) / norm
  const LinearMapPtr sum = scatter_map(lines, line, std::move(direction)),
                     back = gather_map(lines, line, Vector(-y.cwiseProduct(inverse)));
  add(outcome, 0, sum_map(diagonal_map(std::move(inverse)), product_map({sum, back})));
  return outcome;
}

}  // namespace

void operators_norm(OperatorTable& table) {
  table.push_back({"LayerNormalization", run_layer_norm, Smoothness::smooth, false, 17});
  table.push_back({"InstanceNormalization", run_instance_norm});
  table.push_back({"BatchNormalization", run_batch_norm});
  table.push_back({"LpNormalization", run_lp_norm});
}

}  // namespace rezero::graph
