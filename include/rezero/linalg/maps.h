#pragma once
/// Elementary linear maps and their combinations. Vectors and matrices are shared, never copied.

#include <vector>

#include "rezero/linalg/linear_map.h"

namespace rezero {

using MatrixPtr = std::shared_ptr<const Matrix>;

/// v ↦ v.
LinearMapPtr identity_map(Index size);
/// v ↦ d ⊙ v; `positions` as in LinearMap::local_positions.
LinearMapPtr diagonal_map(Vector d, Index positions = 1);
/// v ↦ W v.
LinearMapPtr dense_map(MatrixPtr W);
/// v ↦ (I ⊗ W) v for `positions` positions: W applied to each run of W.cols() entries, as one GEMM with
/// k·positions columns.
LinearMapPtr positionwise_map(MatrixPtr W, Index positions);
/// v ↦ M_t v_t for each run v_t of M_t.cols() entries: one matrix per position, all of the same size.
LinearMapPtr block_diagonal_map(std::vector<Matrix> blocks);
/// v ↦ A v + B v.
LinearMapPtr sum_map(LinearMapPtr A, LinearMapPtr B);
/// v ↦ F_m … F_1 v for factors {F_1, …, F_m} in the order of application. Needs at least one factor.
LinearMapPtr product_map(std::vector<LinearMapPtr> factors);
/// v ↦ Aᵀ v.
LinearMapPtr transpose_map(LinearMapPtr A);
/// v ↦ (w_i · v_{index_i}), 0 where the index is −1; without weights w = 1. v has `size` entries. Everything
/// that moves, repeats, drops or sums numbers: a transpose has all indices once, a slice some of them, a
/// broadcast repeats them, and a sum is the transpose of a broadcast. For the row sums of a 2 × 2 matrix:
///
///     const LinearMapPtr repeat = gather_map(2, {0, 0, 1, 1});   // (a, b) → (a, a, b, b)
///     transpose_map(repeat);                                     // (p, q, r, s) → (p + q, r + s)
///
/// Gives the identity, a diagonal or a run of entries where it is one. Cost: one pass over the output per
/// column.
LinearMapPtr gather_map(Index size, std::vector<Index> indices, Vector weights = {});
/// The transpose of gather_map(size, …): sums into `size` entries.
LinearMapPtr scatter_map(Index size, std::vector<Index> indices, Vector weights = {});
/// v ↦ entries first … first + count − 1 of v, a vector with `size` entries.
LinearMapPtr segment_map(Index size, Index first, Index count);
/// v ↦ λ ⊙ v + α ⊙ (B v). λ and α have B's size or size 1. With λ = 1 and α = 0 this is v bitwise if B v is
/// finite. B v is computed in any case, so a branch that is not finite appears as NaN (0 · ∞).
LinearMapPtr residual_map(Vector lambda, Vector alpha, LinearMapPtr B);

}  // namespace rezero
