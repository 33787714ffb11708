#pragma once
/// The ends of a spectrum from products alone.

#include "rezero/linalg/scaled_map.h"
#include "rezero/spectrum/spectrum.h"
#include "spectrum/krylov/ritz.h"

namespace rezero::detail {

/// The ends that the request asks for (top + bottom > 0, fewer than there are), by Golub–Kahan searches from
/// random vectors (golub_kahan.h). For each end: the k values; then, from a new random vector in the
/// complement of their vectors, whatever lies beyond the last of them, until nothing does. So values come as
/// often as they are repeated, whatever their number. Proved by residuals as a Rayleigh–Ritz step on the
/// whole finds them. Breakdown, with what was reached, where an end did not converge: the smallest values of
/// an operator whose spectrum goes on towards zero are out of reach of products. `extremal`: verified if the
/// bases filled the whole space, else probabilistic. A zero operator has zeros, proved with probability one.
/// Memory (2 basis + 4 k) max(rows, cols) doubles, basis = max(2k + 30, 160), 80 in place of 160 above n =
/// 2e5. What `others`, J in other roundings, differ by on the right vectors is part of relative_resolution.
Spectrum ends_of_map(const ScaledMap& J, const std::vector<ScaledMap>& others,
                     const SpectrumRequest& request);

/// Appends values, residuals relative to σ_max, and nothing else.
void publish(const Triplets& triplets, Real largest, std::int64_t exponent, Spectrum& spectrum);

}  // namespace rezero::detail
