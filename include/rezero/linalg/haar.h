#pragma once
/// Haar-distributed orthogonal matrices.

#include "rezero/core/types.h"
#include "rezero/random/key.h"

namespace rezero {

/// rows × cols with orthonormal columns (rows ≥ cols) or rows (rows < cols), uniform for the Haar measure:
/// the Q of a Gaussian matrix's QR with the diagonal of R made positive (of the transpose if rows < cols).
/// Cost ~ 4 rows cols min. Source: Mezzadri, "How to generate random matrices from the classical compact
/// groups", 2007.
Matrix haar_orthogonal(Index rows, Index cols, const StreamKey& key);

}  // namespace rezero
