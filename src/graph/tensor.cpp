#include "rezero/graph/tensor.h"

#include <algorithm>

#include "rezero/core/contract.h"
#include "rezero/core/error.h"
#include "rezero/core/text.h"

namespace rezero::graph {
namespace {

constexpr Index most_numbers = Index{1} << 31;

}  // namespace

Index count_of(const Dims& dims) {
  Index count = 1;
  bool empty = false;
  for (const Index extent : dims) {
    if (extent < 0) throw ShapeError("an extent of " + text_of(dims) + " is negative");
    if (extent == 0) {
      empty = true;
    } else if (count > most_numbers / extent) {
      throw MemoryError("a tensor of " + text_of(dims) + " numbers is too large");
    } else {
      count *= extent;
    }
  }
  return empty ? 0 : count;
}

std::string text_of(const Dims& dims) {
  return dims.empty() ? "a single number" : joined(dims, " × ");
}

Tensor Tensor::of(Dims dims, Vector values) {
  Tensor tensor;
  tensor.size_ = count_of(dims);
  if (values.size() != tensor.size_)
    throw ShapeError(std::to_string(values.size()) + " numbers are not a tensor of " + text_of(dims));
  tensor.dims_ = std::move(dims);
  tensor.reals_ = std::make_shared<const Vector>(std::move(values));
  return tensor;
}

Tensor Tensor::of(Dims dims, Integers values, Element element) {
  Tensor tensor;
  tensor.size_ = count_of(dims);
  if (static_cast<Index>(values.size()) != tensor.size_)
    throw ShapeError(std::to_string(values.size()) + " numbers are not a tensor of " + text_of(dims));
  tensor.element_ = element;
  tensor.dims_ = std::move(dims);
  tensor.integers_ = std::make_shared<const Integers>(std::move(values));
  return tensor;
}

Tensor Tensor::list(Vector values) {
  Dims dims = {values.size()};
  return of(std::move(dims), std::move(values));
}
Tensor Tensor::list(Integers values) {
  Dims dims = {static_cast<Index>(values.size())};
  return of(std::move(dims), std::move(values));
}
Tensor Tensor::number(Real value) {
  return of({}, Vector(Vector::Constant(1, value)));
}
Tensor Tensor::number(std::int64_t value) {
  return of({}, Integers{value});
}
Tensor Tensor::truth(bool value) {
  return of({}, Integers{value ? 1 : 0}, Element::boolean);
}

Tensor Tensor::unsupported(Dims dims) {
  Tensor tensor;
  tensor.size_ = count_of(dims);
  tensor.element_ = Element::other;
  tensor.dims_ = std::move(dims);
  return tensor;
}

const Vector& Tensor::reals() const {
  if (!is_real() || (!reals_ && size_ > 0)) throw ShapeError("a tensor of real numbers is expected");
  static const Vector none;
  return reals_ ? *reals_ : none;
}

const Integers& Tensor::integers() const {
  if (!integers_) throw ShapeError("a tensor of whole numbers is expected");
  return *integers_;
}

Tensor Tensor::reshaped(Dims dims) const {
  if (count_of(dims) != size_)
    throw ShapeError("a tensor of " + text_of(dims_) + " cannot be reshaped to " + text_of(dims));
  Tensor tensor = *this;
  tensor.dims_ = std::move(dims);
  return tensor;
}

Real Tensor::real_at(Index i) const {
  return is_real() ? reals()(i) : static_cast<Real>(integers()[static_cast<std::size_t>(i)]);
}

bool Tensor::is_zero() const {
  if (is_real()) return reals().isZero(0);
  return std::all_of(integers().begin(), integers().end(), [](std::int64_t i) { return i == 0; });
}

Dims strides_of(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (std::size_t a = dims.size(); a-- > 1;) strides[a - 1] = strides[a] * std::max<Index>(dims[a], 1);
  return strides;
}

Indices strided_indices(Index offset, const Dims& dims, const Dims& strides) {
  REZERO_REQUIRE(dims.size() == strides.size());
  Indices indices(static_cast<std::size_t>(count_of(dims)));
  if (indices.empty()) return indices;
  indices[0] = offset;
  std::size_t filled = 1;  // the numbers of the axes after `a`
  for (std::size_t a = dims.size(); a-- > 0;) {
    for (Index i = 1; i < dims[a]; ++i)
      for (std::size_t k = 0; k < filled; ++k)
        indices[static_cast<std::size_t>(i) * filled + k] = indices[k] + i * strides[a];
    filled *= static_cast<std::size_t>(dims[a]);
  }
  return indices;
}

Dims broadcast(const Dims& a, const Dims& b) {
  Dims out(std::max(a.size(), b.size()));
  const auto from_end = [&](const Dims& dims, std::size_t k) {
    return k < dims.size() ? dims[dims.size() - 1 - k] : 1;
  };
  for (std::size_t k = 0; k < out.size(); ++k) {
    const Index x = from_end(a, k), y = from_end(b, k);
    if (x != y && x != 1 && y != 1)
      throw ShapeError("tensors of " + text_of(a) + " and " + text_of(b) + " do not fit");
    out[out.size() - 1 - k] = x == 1 ? y : x;
  }
  return out;
}

Indices broadcast_indices(const Dims& from, const Dims& to) {
  const Dims own = strides_of(from);
  Dims strides(to.size(), 0);
  for (std::size_t k = 0; k < from.size(); ++k) {
    const std::size_t at = to.size() - from.size() + k;
    if (from[k] != 1) strides[at] = own[k];
  }
  return strided_indices(0, to, strides);
}

Tensor gathered(const Tensor& from, const Indices& indices, Dims dims) {
  const auto fill = [&](const auto& numbers, auto& out) {
    for (std::size_t i = 0; i < indices.size(); ++i)
      if (indices[i] >= 0) out[static_cast<Index>(i)] = numbers[indices[i]];
  };
  if (from.is_real()) {
    Vector out = Vector::Zero(static_cast<Index>(indices.size()));
    fill(from.reals(), out);
    return Tensor::of(std::move(dims), std::move(out));
  }
  Integers out(indices.size(), 0);
  for (std::size_t i = 0; i < indices.size(); ++i)
    if (indices[i] >= 0) out[i] = from.integers()[static_cast<std::size_t>(indices[i])];
  return Tensor::of(std::move(dims), std::move(out), from.element());
}

Index axis_of(Index axis, Index rank) {
  if (axis < -rank || axis >= std::max<Index>(rank, 1))
    throw ShapeError("axis " + std::to_string(axis) + " does not exist in a tensor with " +
                     std::to_string(rank) + " axes");
  return axis < 0 ? axis + rank : axis;
}

Index count_between(const Dims& dims, Index first, Index last) {
  Index count = 1;
  for (Index a = first; a < last; ++a) count *= dims[static_cast<std::size_t>(a)];
  return count;
}

}  // namespace rezero::graph
