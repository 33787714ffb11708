#pragma once
/// A linear map known by what it does to blocks of columns. Derivatives of layers, Jacobians and their
/// factors are maps.

#include <algorithm>
#include <memory>

#include "rezero/core/types.h"
#include "rezero/random/simulated_rounding.h"

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
  /// The map is block diagonal with that many equal-sized blocks, one a position; 1: nothing is known.
  virtual Index local_positions() const { return 1; }
  /// rank(A) ≤ this, proved by the structure of the map (zeros, shapes, means that are subtracted).
  virtual Index rank_bound() const { return std::min(rows(), cols()); }
  /// Floating-point operations of forming all blocks.
  virtual Real dense_flops() const {
    return flops_per_column() * static_cast<Real>(cols()) / static_cast<Real>(local_positions());
  }

  /// out = A v. v: cols × k, out: rows × k, no aliasing. ShapeError if the sizes do not fit.
  void apply(ConstColumns v, Columns out) const;
  /// out = Aᵀ u. u: rows × k, out: cols × k, no aliasing. ShapeError if the sizes do not fit.
  void apply_transpose(ConstColumns u, Columns out) const;

  /// Block t applied: v has cols / local_positions rows, out rows / local_positions; no aliasing.
  void apply_at(Index t, ConstColumns v, Columns out) const { do_apply_at(t, v, out); }
  void apply_transpose_at(Index t, ConstColumns u, Columns out) const { do_apply_transpose_at(t, u, out); }
  /// Where the map is its own transpose and can act in place: block t of `positions` (1 or local_positions)
  /// on v, and true. Otherwise v is left as it is.
  bool apply_in_place(Index t, Index positions, Columns v) const {
    return do_apply_in_place(t, positions, v);
  }
  /// Block t as a matrix. Cost dense_flops / local_positions.
  Matrix block(Index t) const { return do_block(t); }

 private:
  friend LinearMapPtr condense(const LinearMapPtr& map, Index columns);
  friend LinearMapPtr in_other_rounding(const LinearMapPtr& map, SimulatedRounding& rounding);

  virtual void do_apply(ConstColumns v, Columns out) const = 0;
  virtual void do_apply_transpose(ConstColumns u, Columns out) const = 0;
  // Maps with more than one block override these two.
  virtual void do_apply_at(Index, ConstColumns v, Columns out) const { do_apply(v, out); }
  virtual void do_apply_transpose_at(Index, ConstColumns u, Columns out) const { do_apply_transpose(u, out); }
  virtual bool do_apply_in_place(Index, Index, Columns) const { return false; }
  /// The block applied to the identity in panels; maps that know their matrix, or a part of it, do better.
  virtual Matrix do_block(Index t) const;
  /// An equal map with cheaper parts, or null where there are none: composed maps look into their parts.
  virtual LinearMapPtr do_condense_parts(Index columns) const {
    static_cast<void>(columns);
    return nullptr;
  }
  /// See in_other_rounding; null: the map's numbers are exact.
  virtual LinearMapPtr do_in_other_rounding(SimulatedRounding& rounding) const {
    static_cast<void>(rounding);
    return nullptr;
  }
};

/// The matrix of the map, rows × cols. Cost dense_flops.
Matrix to_dense(const LinearMap& map);

/// An equal map that is cheaper to apply to `columns` columns in all: the blocks as matrices, where forming
/// them pays. M = W₂ diag(φ′) W₁ where the branch is wider than the stream; one d × d matrix a position for a
/// feed-forward branch over tokens, its norm folded in. Decided by the total number of columns to come, never
/// by a panel's width, so that bits do not depend on panels. λ I + α B stays in that form whatever happens to
/// B, so that α = 0 leaves vectors as they are.
LinearMapPtr condense(const LinearMapPtr& map, Index columns);

/// The map with the computed numbers that it is made of (slopes, directions; no weights) in another rounding.
LinearMapPtr in_other_rounding(const LinearMapPtr& map, SimulatedRounding& rounding);

}  // namespace rezero
