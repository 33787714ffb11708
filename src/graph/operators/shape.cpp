/// Constants and arithmetic of shapes: tensors that depend on the extents of others, not on their numbers.

#include <cmath>

#include "parts.h"

namespace rezero::graph {
namespace {

using namespace operator_parts;  // NOLINT: the vocabulary of this folder

Outcome run_constant(const Call& call) {
  if (call.has_attribute("value")) return one(call.tensor("value"));
  if (call.has_attribute("value_float")) return one(Tensor::number(call.real("value_float", 0)));
  if (call.has_attribute("value_int")) return one(Tensor::number(std::int64_t{call.integer("value_int", 0)}));
  if (const auto reals = call.reals("value_floats"))
    return one(
        Tensor::of({static_cast<Index>(reals->size())},
                   Vector(Eigen::Map<const Vector>(reals->data(), static_cast<Index>(reals->size())))));
  if (const auto whole = call.integers("value_ints"))
    return one(Tensor::of({static_cast<Index>(whole->size())}, Integers(whole->begin(), whole->end())));
  throw ShapeError("a constant of this kind is not supported");
}

Outcome run_shape(const Call& call) {
  const Dims& dims = call.in(0).dims();
  const auto rank = static_cast<Index>(dims.size());
  const auto bounded = [rank](Index i) { return std::max<Index>(0, std::min(rank, i < 0 ? i + rank : i)); };
  const Index start = bounded(call.integer("start", 0)), end = bounded(call.integer("end", rank));
  Integers out;
  for (Index a = start; a < end; ++a) out.push_back(dims[at(a)]);
  return one(Tensor::list(std::move(out)));
}

Outcome run_size(const Call& call) {
  return one(Tensor::number(std::int64_t{call.in(0).size()}));
}

Tensor filled(Dims dims, const Tensor& with) {
  const Index count = count_of(dims);
  return gathered(with, Indices(at(count), 0), std::move(dims));
}

Outcome run_constant_of_shape(const Call& call) {
  const Tensor value = call.has_attribute("value") ? call.tensor("value") : Tensor::number(Real{0});
  if (value.size() != 1) throw ShapeError("the value is not one number");
  return one(filled(*call.integers_in(0), value));
}

Outcome run_range(const Call& call) {
  if (!call.in(0).is_real()) {
    const std::int64_t start = call.in(0).integers().at(0), limit = call.in(1).integers().at(0),
                       step = call.in(2).integers().at(0);
    if (step == 0) throw ShapeError("the step is zero");
    const Real count =
        std::ceil((static_cast<Real>(limit) - static_cast<Real>(start)) / static_cast<Real>(step));
    if (count > 0x1p31) throw MemoryError("a range of " + std::to_string(count) + " numbers is too large");
    Integers out(count > 0 ? static_cast<std::size_t>(count) : 0);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = start + static_cast<std::int64_t>(i) * step;
    return one(Tensor::list(std::move(out)));
  }
  const Real start = call.in(0).real_at(0), limit = call.in(1).real_at(0), step = call.in(2).real_at(0);
  const Real count = std::max<Real>(0, std::ceil((limit - start) / step));
  if (!(count < 0x1p31)) throw MemoryError("the range is too large, or its step is zero");
  Vector out(static_cast<Index>(count));
  for (Index i = 0; i < out.size(); ++i) out(i) = start + static_cast<Real>(i) * step;
  const Index size = out.size();
  Outcome outcome = one(Tensor::list(std::move(out)));
  if (call.wants(0) && call.in(0).is_real()) add(outcome, 0, gather_map(1, Indices(at(size), 0)));
  if (call.wants(2) && call.in(2).is_real())
    add(outcome, 2,
        gather_map(1, Indices(at(size), 0), Vector::LinSpaced(size, 0, static_cast<Real>(size - 1))));
  return outcome;
}

Outcome run_eye_like(const Call& call) {
  const Dims& dims = call.in(0).dims();
  if (dims.size() != 2) throw ShapeError("a tensor of " + text_of(dims) + " is not a matrix");
  const Index shift = call.integer("k", 0), type = call.integer("dtype", call.in(0).is_real() ? 1 : 7);
  const bool real = type == 1 || type == 10 || type == 11 || type == 16;
  Vector eye = Vector::Zero(count_of(dims));
  for (Index i = 0; i < dims[0]; ++i)
    if (i + shift >= 0 && i + shift < dims[1]) eye(i * dims[1] + i + shift) = 1;
  if (real) return one(Tensor::of(dims, std::move(eye)));
  Integers whole(at(eye.size()));
  for (Index i = 0; i < eye.size(); ++i) whole[at(i)] = eye(i) != 0;
  return one(Tensor::of(dims, std::move(whole), type == 9 ? Element::boolean : Element::integer));
}

Outcome run_one_hot(const Call& call) {
  const Tensor& indices = call.in(0);
  const auto depth = static_cast<Index>(call.in(1).real_at(0));
  Dims dims = indices.dims();
  const Index axis = axis_of(call.integer("axis", -1), indices.rank() + 1);
  dims.insert(dims.begin() + axis, depth);
  const Index inner = count_between(dims, axis + 1, static_cast<Index>(dims.size())), count = count_of(dims);
  Indices choice;
  for (Index i = 0; i < count; ++i) {
    const Index place = i / inner % depth, of = i / (inner * depth) * inner + i % inner;
    const auto hot = static_cast<Index>(indices.real_at(of));
    choice.push_back((hot < 0 ? hot + depth : hot) == place ? 1 : 0);
  }
  return moved(call, choice, dims, 2);
}

Outcome run_non_zero(const Call& call) {
  const Tensor& x = call.in(0);
  const Dims strides = strides_of(x.dims());
  Indices places;
  for (Index i = 0; i < x.size(); ++i)
    if (x.real_at(i) != 0) places.push_back(i);
  Integers out;
  for (std::size_t a = 0; a < x.dims().size(); ++a)
    for (const Index place : places) out.push_back(place / strides[a] % x.dims()[a]);
  return one(Tensor::of({x.rank(), static_cast<Index>(places.size())}, std::move(out)));
}

}  // namespace

void operators_shape(OperatorTable& table) {
  table.push_back({"Constant", run_constant, Smoothness::pieces});
  table.push_back({"Shape", run_shape, Smoothness::pieces, true});
  table.push_back({"Size", run_size, Smoothness::pieces, true});
  table.push_back({"ConstantOfShape", run_constant_of_shape, Smoothness::pieces});
  table.push_back({"Range", run_range, Smoothness::pieces});
  table.push_back({"EyeLike", run_eye_like, Smoothness::pieces, true});
  table.push_back({"OneHot", run_one_hot, Smoothness::pieces});
  table.push_back({"NonZero", run_non_zero, Smoothness::pieces});
}

}  // namespace rezero::graph
