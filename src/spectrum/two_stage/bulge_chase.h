#pragma once
/// Second stage of the singular values of a dense matrix: from a band to a bidiagonal.

#include "spectrum/dense/bidiagonal.h"
#include "spectrum/two_stage/band_reduction.h"

namespace rezero::detail {

/// B of U B Vᵀ, bidiagonal, for an upper band with entries at most about 1. Reflections of `width` entries
/// make row after row bidiagonal, and the bulge that each of them makes outside the band is chased along the
/// band to its end. A row may start while the preceding one is still being chased: `workers` threads follow
/// each other. Bytes do not depend on them. Cost 8 n² width, memory 3 width n. Source: Lang, "A parallel
/// algorithm for reducing symmetric banded matrices to tridiagonal form", 1993; for bidiagonals Großer & Lang
/// 1999; groups of rows that follow each other closely, for the cache: Haidar, Ltaief, Dongarra 2011.
Bidiagonal chase_bulges(const Band& band, int workers);

}  // namespace rezero::detail
