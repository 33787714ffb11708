#pragma once
/// Second stage of the singular values of a dense matrix: from a band to a bidiagonal.

#include "spectrum/dense/bidiagonal.h"
#include "spectrum/two_stage/band_reduction.h"

namespace rezero::detail {

/// U B Vᵀ, bidiagonal, of an upper band B with entries at most about 1: row after row is made bidiagonal by
/// reflections of `width` entries, and the bulge below and beside the band that each of them makes is pushed
/// along the band to its end. A row may start while the one before is on its way: `workers` threads follow
/// each other. Bytes do not depend on them. Cost 8 n² width, memory 3 width n. Source: Lang, "A parallel
/// algorithm for reducing symmetric banded matrices to tridiagonal form", 1993; for bidiagonals Großer & Lang
/// 1999; groups of rows that follow each other closely, for the cache: Haidar, Ltaief, Dongarra 2011.
Bidiagonal chase_bulges(const Band& band, int workers);

}  // namespace rezero::detail
