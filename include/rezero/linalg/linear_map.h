#pragma once
/// A linear map known by what it does to blocks of columns. Derivatives of layers, Jacobians and their
/// factors are maps.

#include <memory>

#include "rezero/core/types.h"

namespace rezero {

/// Immutable; safe to share between threads. `apply` is a JVP on k tangents at once, `apply_transpose` a VJP.
class LinearMap {
 public:
  LinearMap() = default;
  LinearMap(const LinearMap&) = delete;
  LinearMap& operator=(const LinearMap&) = delete;
  virtual ~LinearMap() = default;

  virtual Index rows() const = 0;
  virtual Index cols() const = 0;
  /// Floating-point operations of apply per column: what the choice between equal forms of a map is made by.
  virtual Real flops_per_column() const = 0;

  /// out = A v. v: cols × k, out: rows × k, no aliasing. ShapeError if the sizes do not fit.
  void apply(ConstColumns v, Columns out) const;
  /// out = Aᵀ u. u: rows × k, out: cols × k, no aliasing. ShapeError if the sizes do not fit.
  void apply_transpose(ConstColumns u, Columns out) const;

 private:
  virtual void do_apply(ConstColumns v, Columns out) const = 0;
  virtual void do_apply_transpose(ConstColumns u, Columns out) const = 0;
};

using LinearMapPtr = std::shared_ptr<const LinearMap>;

/// The matrix of the map, rows × cols: A applied to the identity in panels. Cost cols · flops_per_column.
Matrix to_dense(const LinearMap& map);

}  // namespace rezero
