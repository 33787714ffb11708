#pragma once
/// The ends of a spectrum by products alone.

#include "rezero/linalg/scaled_map.h"
#include "rezero/spectrum/spectrum.h"
#include "spectrum/krylov/ritz.h"

namespace rezero::detail {

/// The requested ends (top + bottom > 0, fewer values than there are), by Golub–Kahan searches from random
/// vectors (golub_kahan.h). For each end, it finds the k values and then, from new random vectors in the
/// complement of their vectors, anything beyond the last of them, until there is nothing. Values are thus
/// found as often as they are repeated. The residuals of a Rayleigh–Ritz step on all vectors prove them.
/// Breakdown, with the results so far, if an end does not converge: products cannot reach the smallest values
/// of an operator whose spectrum extends towards zero. `extremal`: verified if the bases filled the whole
/// space, otherwise probabilistic. For a zero operator all values are zero, proved with probability one.
/// Memory (2 basis + 4 k) max(rows, cols) doubles, basis = max(2k + 30, 160), with 80 in place of 160 above n
/// = 2e5. The differences of `others` (J in other roundings) on the right vectors are part of
/// relative_resolution.
Spectrum ends_of_map(const ScaledMap& J, const std::vector<ScaledMap>& others,
                     const SpectrumRequest& request);

/// Number of vectors per side that the search holds for `count` values of n.
Index ends_basis(Index count, Index n);

/// Appends values and their residuals relative to σ_max, nothing else.
void publish(const Triplets& triplets, Real largest, std::int64_t exponent, Spectrum& spectrum);

}  // namespace rezero::detail
