#pragma once
/// A linear map known by what it does to blocks of columns. Derivatives of layers, Jacobians and their
/// factors are maps.

#include <memory>

#include "rezero/core/types.h"

namespace rezero {

class LinearMap;
using LinearMapPtr = std::shared_ptr<const LinearMap>;

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
  /// Floating-point operations of to_dense.
  virtual Real dense_flops() const { return flops_per_column() * static_cast<Real>(cols()); }

  /// out = A v. v: cols × k, out: rows × k, no aliasing. ShapeError if the sizes do not fit.
  void apply(ConstColumns v, Columns out) const;
  /// out = Aᵀ u. u: rows × k, out: cols × k, no aliasing. ShapeError if the sizes do not fit.
  void apply_transpose(ConstColumns u, Columns out) const;

 private:
  friend Matrix to_dense(const LinearMap& map);
  friend LinearMapPtr condense(const LinearMapPtr& map, Index columns);

  virtual void do_apply(ConstColumns v, Columns out) const = 0;
  virtual void do_apply_transpose(ConstColumns u, Columns out) const = 0;
  /// A applied to the identity in panels; maps that know their matrix, or a part of it, do better.
  virtual Matrix do_to_dense() const;
  /// An equal map with cheaper parts, or null where there are none: composed maps look into their parts.
  virtual LinearMapPtr do_condense_parts(Index columns) const {
    static_cast<void>(columns);
    return nullptr;
  }
};

/// The matrix of the map, rows × cols. Cost dense_flops.
Matrix to_dense(const LinearMap& map);

/// An equal map that is cheaper to apply to `columns` columns in all: M = W₂ diag(φ′) W₁ is formed where the
/// branch is wider than the stream. Decided by the total number of columns to come, never by a panel's width,
/// so that bits do not depend on panels. λ I + α B stays in that form whatever happens to B, so that α = 0
/// leaves vectors as they are.
LinearMapPtr condense(const LinearMapPtr& map, Index columns);

}  // namespace rezero
