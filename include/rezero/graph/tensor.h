#pragma once
/// Plain tensors: the values that flow through a graph.
///
/// A tensor is a list of extents and its numbers in row-major order: reals as doubles, whole numbers and
/// truth values as 64-bit integers. Copies and reshaped views share the numbers. A 2 × 3 tensor:
///
///     const Tensor x = Tensor::of({2, 3}, Vector::LinSpaced(6, 0, 5));   // [[0 1 2] [3 4 5]]
///     x.reshaped({3, 2});                                                // [[0 1] [2 3] [4 5]]
///     strided_indices(0, {3, 2}, {1, 3});                                // 0 3 1 4 2 5: its transpose
///
/// Transposes, slices, broadcasts and gathers are lists of indices into the row-major numbers. One function
/// makes such lists, and one linear map (graph/maps.h) applies them to tangents.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rezero/core/types.h"

namespace rezero::graph {

/// Extents of a tensor; empty for a single number.
using Dims = std::vector<Index>;
/// Positions in a tensor's row-major numbers.
using Indices = std::vector<Index>;
using Integers = std::vector<std::int64_t>;

/// `other`: a type that no operator takes (text, complex numbers).
enum class Element { real, integer, boolean, other };

/// The product of the extents. ShapeError if one is negative; MemoryError beyond 2^31 numbers, which no
/// supported computation on the derivative could hold.
Index count_of(const Dims& dims);

/// `2 × 3`, or `a single number`.
std::string text_of(const Dims& dims);

class Tensor {
 public:
  Tensor() = default;  ///< no numbers, extents {0}
  /// ShapeError if the number of values is not that of the extents.
  static Tensor of(Dims dims, Vector values);
  static Tensor of(Dims dims, Integers values, Element element = Element::integer);
  /// With one axis.
  static Tensor list(Vector values);
  static Tensor list(Integers values);
  static Tensor number(Real value);
  static Tensor number(std::int64_t value);
  static Tensor truth(bool value);
  /// Of a type that no operator takes.
  static Tensor unsupported(Dims dims);

  Element element() const { return element_; }
  bool is_real() const { return element_ == Element::real; }
  const Dims& dims() const { return dims_; }
  Index rank() const { return static_cast<Index>(dims_.size()); }
  Index size() const { return size_; }

  /// The numbers of a real tensor; ShapeError for another type.
  const Vector& reals() const;
  std::shared_ptr<const Vector> shared_reals() const { return reals(), reals_; }
  /// The numbers of a tensor of whole numbers or truth values; ShapeError for another type.
  const Integers& integers() const;
  /// The same numbers with other extents; ShapeError unless they are as many.
  Tensor reshaped(Dims dims) const;
  /// Any element as a real number.
  Real real_at(Index i) const;
  /// True if all numbers are exactly zero.
  bool is_zero() const;

 private:
  Element element_ = Element::real;
  Dims dims_{0};
  Index size_ = 0;
  std::shared_ptr<const Vector> reals_;
  std::shared_ptr<const Integers> integers_;
};

/// Steps in the row-major numbers from one index of each axis to the next.
Dims strides_of(const Dims& dims);

/// offset + Σ_a i_a · strides_a for all i < dims, the last axis fastest.
Indices strided_indices(Index offset, const Dims& dims, const Dims& strides);

/// The common extents of several tensors, as NumPy and ONNX broadcast. ShapeError if there are none.
Dims broadcast(const Dims& a, const Dims& b);

/// For every number of a tensor with extents `to`, the number of one with extents `from` that is broadcast to
/// it.
Indices broadcast_indices(const Dims& from, const Dims& to);

/// The numbers at those indices, 0 where an index is −1, with the given extents.
Tensor gathered(const Tensor& from, const Indices& indices, Dims dims);

/// An axis counted from the end if negative. ShapeError outside −rank … rank − 1.
Index axis_of(Index axis, Index rank);

/// The product of extents first … last − 1.
Index count_between(const Dims& dims, Index first, Index last);

}  // namespace rezero::graph
