#pragma once
/// Linear maps: the form in which every derivative is passed on.
///
/// A LinearMap is a matrix A known by its action: `apply` multiplies a block of k columns by A, and
/// `apply_transpose` by Aᵀ. In terms of automatic differentiation these are a JVP and a VJP of k directions
/// at once. A need not be stored as a matrix, and maps compose. For example, the derivative of relu(W x) at a
/// point where W x = (2, −1) is diag(1, 0) W. With W = [1 2; 3 4], v = (1, 1) and u = (1, 1):
///
///     const LinearMapPtr D = product_map({dense_map(W), diagonal_map(slopes)});
///     D->apply(v, out);            // W v = (3, 7), then diag(1, 0):         out = (3, 0)
///     D->apply_transpose(u, out);  // diag(1, 0) u = (1, 0), then Wᵀ:        out = (1, 2)
///
/// Laws, which the tests check for the derivative of every layer (tests/support/layer_laws.h):
///
///     A (a v + b w) = a A v + b A w            linear
///     ⟨u, A v⟩ = ⟨Aᵀ u, v⟩                     here (1, 1)·(3, 0) = (1, 2)·(1, 1) = 3
///     A [v₁ … v_k] = [A v₁ … A v_k]            up to rounding
///     rank(A) ≤ rank_bound()
///
/// To write a map, override `do_apply` and `do_apply_transpose`, which are called with sizes already checked,
/// and report the cost in `flops_per_column`. A map with more structure (block diagonal, its own transpose, a
/// known matrix) can override the other hooks; no caller depends on it.

#include <algorithm>
#include <memory>

#include "rezero/core/types.h"
#include "rezero/random/simulated_rounding.h"

namespace rezero {

class LinearMap;
using LinearMapPtr = std::shared_ptr<const LinearMap>;

/// Immutable; safe to share between threads.
class LinearMap {
 public:
  LinearMap() = default;
  LinearMap(const LinearMap&) = delete;
  LinearMap& operator=(const LinearMap&) = delete;
  virtual ~LinearMap() = default;

  virtual Index rows() const = 0;
  virtual Index cols() const = 0;
  /// Cost of `apply`, in flops per column. Used to choose between equal forms of a map.
  virtual Real flops_per_column() const = 0;
  /// Number of equal-sized diagonal blocks (one per position), or 1 if no block structure is known.
  virtual Index local_positions() const { return 1; }
  /// Upper bound on rank(A), proved by the structure of the map (zeros, shapes, subtracted means).
  virtual Index rank_bound() const { return std::min(rows(), cols()); }
  /// Cost of forming all blocks as matrices, in flops.
  virtual Real dense_flops() const {
    return flops_per_column() * static_cast<Real>(cols()) / static_cast<Real>(local_positions());
  }

  /// out = A v. v: cols × k, out: rows × k, no aliasing. ShapeError if the sizes do not fit.
  void apply(ConstColumns v, Columns out) const;
  /// out = Aᵀ u. u: rows × k, out: cols × k, no aliasing. ShapeError if the sizes do not fit.
  void apply_transpose(ConstColumns u, Columns out) const;

  /// Applies block t. v has cols / local_positions rows, out has rows / local_positions; no aliasing.
  void apply_at(Index t, ConstColumns v, Columns out) const { do_apply_at(t, v, out); }
  void apply_transpose_at(Index t, ConstColumns u, Columns out) const { do_apply_transpose_at(t, u, out); }
  /// If the map is its own transpose and can act in place, applies block t of `positions` (1 or
  /// local_positions) to v and returns true. Otherwise leaves v unchanged and returns false.
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
  /// Default: the block applied to the identity, in panels. Maps that know (part of) their matrix override
  /// it.
  virtual Matrix do_block(Index t) const;
  /// An equal map with cheaper parts, or null if there is none. Overridden by composed maps.
  virtual LinearMapPtr do_condense_parts(Index columns) const {
    static_cast<void>(columns);
    return nullptr;
  }
  /// See in_other_rounding. Null: the numbers of the map are exact.
  virtual LinearMapPtr do_in_other_rounding(SimulatedRounding& rounding) const {
    static_cast<void>(rounding);
    return nullptr;
  }
};

/// The matrix of the map, rows × cols. Cost dense_flops.
Matrix to_dense(const LinearMap& map);

/// An equal map that is cheaper to apply to `columns` columns in total: blocks become matrices if forming
/// them pays off. Examples: M = W₂ diag(φ′) W₁ for a branch wider than the stream; one d × d matrix per
/// position for a feed-forward branch over tokens, with its norm folded in. The choice depends on the total
/// number of columns, never on the width of a panel, so the bits do not depend on panels. λ I + α B keeps
/// this form whatever becomes of B, so that α = 0 leaves vectors unchanged.
LinearMapPtr condense(const LinearMapPtr& map, Index columns);

/// The map with its computed numbers (slopes and directions, not weights) in another rounding.
LinearMapPtr in_other_rounding(const LinearMapPtr& map, SimulatedRounding& rounding);

}  // namespace rezero
