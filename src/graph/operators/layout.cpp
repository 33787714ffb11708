/// The same numbers in another arrangement or of another type.

#include <algorithm>
#include <cmath>

#include "parts.h"

namespace rezero::graph {
namespace {

using namespace operator_parts;  // NOLINT: the vocabulary of this folder

Outcome run_identity(const Call& call) {
  return relabeled(call, call.in(0).dims());
}

Outcome run_reshape(const Call& call) {
  const Dims& from = call.in(0).dims();
  Dims to = *call.integers_in(1);
  const bool zero_is_zero = call.integer("allowzero", 0) != 0;
  Index known = 1, open = -1;
  for (std::size_t a = 0; a < to.size(); ++a) {
    if (to[a] == 0 && !zero_is_zero) {
      if (a >= from.size()) throw ShapeError("extent 0 of the new shape has nothing to copy");
      to[a] = from[a];
    }
    if (to[a] == -1 && open >= 0) throw ShapeError("the new shape has two open extents");
    if (to[a] == -1)
      open = static_cast<Index>(a);
    else if (to[a] < 0)
      throw ShapeError("the new shape has a negative extent");
    else
      known = count_of({known, to[a]});
  }
  if (open >= 0) {
    if (known == 0 || call.in(0).size() % known != 0)
      throw ShapeError("a tensor of " + text_of(from) + " cannot be reshaped to " + text_of(to));
    to[at(open)] = call.in(0).size() / known;
  }
  return relabeled(call, std::move(to));
}

Outcome run_flatten(const Call& call) {
  const Index rank = call.in(0).rank(), given = call.integer("axis", 1);
  const Index axis = given == rank ? rank : axis_of(given, rank);
  const Dims& dims = call.in(0).dims();
  return relabeled(call, {count_between(dims, 0, axis), count_between(dims, axis, rank)});
}

Outcome run_squeeze(const Call& call) {
  const Dims& dims = call.in(0).dims();
  const auto axes = call.opset >= 13 ? call.integers_in(1) : call.integers("axes");
  std::vector<bool> drop(dims.size(), false);
  for (std::size_t a = 0; a < dims.size() && !axes; ++a) drop[a] = dims[a] == 1;
  for (const Index axis : axes.value_or(Dims{})) drop[at(axis_of(axis, call.in(0).rank()))] = true;
  Dims to;
  for (std::size_t a = 0; a < dims.size(); ++a) {
    if (drop[a] && dims[a] != 1)
      throw ShapeError("axis " + std::to_string(a) + " of " + text_of(dims) + " is not 1");
    if (!drop[a]) to.push_back(dims[a]);
  }
  return relabeled(call, std::move(to));
}

Outcome run_unsqueeze(const Call& call) {
  const auto axes = call.opset >= 13 ? call.integers_in(1) : call.integers("axes");
  if (!axes) throw ShapeError("the axes are missing");
  const Index rank = call.in(0).rank() + static_cast<Index>(axes->size());
  std::vector<bool> added(at(rank), false);
  for (const Index axis : *axes) added[at(axis_of(axis, rank))] = true;
  if (std::count(added.begin(), added.end(), true) != static_cast<std::ptrdiff_t>(axes->size()))
    throw ShapeError("an axis is added twice");
  Dims to;
  std::size_t next = 0;
  for (const bool is_new : added) to.push_back(is_new ? 1 : call.in(0).dims()[next++]);
  return relabeled(call, std::move(to));
}

Outcome run_transpose(const Call& call) {
  const Dims& from = call.in(0).dims();
  const std::size_t rank = from.size();
  Dims order(rank);
  for (std::size_t a = 0; a < rank; ++a) order[a] = static_cast<Index>(rank - 1 - a);
  order = call.integers("perm").value_or(order);
  if (order.size() != rank) throw ShapeError("the permutation does not have one number per axis");
  const Dims own = strides_of(from);
  Dims to, strides;
  std::vector<bool> seen(rank, false);
  for (const Index axis : order) {
    const std::size_t a = at(axis_of(axis, static_cast<Index>(rank)));
    if (seen[a]) throw ShapeError("the permutation names an axis twice");
    seen[a] = true;
    to.push_back(from[a]), strides.push_back(own[a]);
  }
  const Indices indices = strided_indices(0, to, strides);
  return moved(call, indices, to);
}

enum class Kind { real, whole, truth, unsupported };

/// By number of the type in ONNX's TensorProto.DataType.
Kind kind_of(Index type) {
  switch (type) {
    case 1:
    case 10:
    case 11:
    case 16:
      return Kind::real;
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
    case 12:
    case 13:
      return Kind::whole;
    case 9:
      return Kind::truth;
    default:
      return Kind::unsupported;
  }
}

/// Range of whole numbers of that type.
std::pair<Real, Real> range_of(Index type) {
  switch (type) {
    case 2:
      return {0, 255};
    case 3:
      return {-128, 127};
    case 4:
      return {0, 65535};
    case 5:
      return {-32768, 32767};
    case 6:
      return {-0x1p31, 0x1p31 - 1};
    case 12:
      return {0, 0x1p32 - 1};
    default:
      return {-0x1p63, 0x1p63 - 1024};
  }
}

/// Between floating types nothing changes; to whole numbers the fraction is dropped.
Outcome cast_to(const Call& call, Index type) {
  const Tensor& x = call.in(0);
  const Kind kind = kind_of(type);
  if (kind == Kind::unsupported) throw ShapeError("a cast to this type is not supported");
  if (kind == Kind::real) {
    if (x.is_real()) return relabeled(call, x.dims());
    return one(Tensor::of(x.dims(), reals_of(x)));
  }
  Integers out(at(x.size()));
  const auto [low, high] = range_of(type);
  for (Index i = 0; i < x.size(); ++i) {
    const Real value = x.real_at(i);
    if (kind == Kind::truth) {
      out[at(i)] = value != 0;
      continue;
    }
    if (!(std::trunc(value) >= low && std::trunc(value) <= high))
      throw ShapeError("a number is beyond the range of the type to which it is cast");
    out[at(i)] = x.is_real() ? static_cast<std::int64_t>(value) : x.integers()[at(i)];
  }
  return one(Tensor::of(x.dims(), std::move(out), kind == Kind::truth ? Element::boolean : Element::integer));
}

Outcome run_cast(const Call& call) {
  return cast_to(call, call.integer("to", 0));
}

Outcome run_cast_like(const Call& call) {
  return cast_to(call, call.in(1).is_real() ? 1 : call.in(1).element() == Element::boolean ? 9 : 7);
}

/// Blocks of channels become blocks of pixels.
Outcome run_depth_to_space(const Call& call) {
  const Dims& d = call.in(0).dims();
  const Index b = call.integer("blocksize", 1);
  if (d.size() != 4 || b < 1 || d[1] % (b * b) != 0) throw ShapeError("the blocks do not fit " + text_of(d));
  const Index c = d[1] / (b * b), h = d[2], w = d[3], pixels = h * w;
  const bool crd = call.text("mode", "DCR") == "CRD";
  const Index block = crd ? pixels : c * pixels, channel = crd ? b * b * pixels : pixels;
  const Indices indices =
      strided_indices(0, {d[0], c, h, b, w, b}, {d[1] * pixels, channel, w, b * block, 1, block});
  return moved(call, indices, {d[0], c, h * b, w * b});
}

Outcome run_space_to_depth(const Call& call) {
  const Dims& d = call.in(0).dims();
  const Index b = call.integer("blocksize", 1);
  if (d.size() != 4 || b < 1 || d[2] % b != 0 || d[3] % b != 0)
    throw ShapeError("the blocks do not fit " + text_of(d));
  const Index h = d[2] / b, w = d[3] / b, pixels = d[2] * d[3];
  const Indices indices =
      strided_indices(0, {d[0], b, b, d[1], h, w}, {d[1] * pixels, d[3], 1, pixels, b * d[3], b});
  return moved(call, indices, {d[0], d[1] * b * b, h, w});
}

}  // namespace

void operators_layout(OperatorTable& table) {
  for (const auto& [name, run] : {std::pair{"Identity", run_identity},
                                  {"Reshape", run_reshape},
                                  {"Flatten", run_flatten},
                                  {"Squeeze", run_squeeze},
                                  {"Unsqueeze", run_unsqueeze},
                                  {"Transpose", run_transpose},
                                  {"Cast", run_cast},
                                  {"CastLike", run_cast_like},
                                  {"DepthToSpace", run_depth_to_space},
                                  {"SpaceToDepth", run_space_to_depth}})
    table.push_back({name, run, Smoothness::linear});
}

}  // namespace rezero::graph
