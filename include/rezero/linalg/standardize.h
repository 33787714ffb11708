#pragma once
/// Vectors, rows and columns of unit Euclidean norm, and weight standardization. Squares stay within the
/// range of double for entries of any size; zeros stay zero.

#include "rezero/core/types.h"

namespace rezero {

/// Every row w of n entries becomes (w − mean w)/(√n σ), σ² its biased variance: mean 0, Euclidean norm 1. A
/// constant row becomes 0. Cost O(size). Sources: Qiao et al. 2019 (arXiv 1903.10520) with the √n of Brock,
/// De & Smith 2021 (arXiv 2101.08692), where the convolution of a row over its fan-in keeps the variance.
void standardize_rows(Matrix& W);

void normalize_rows(Matrix& W);
void normalize_columns(Matrix& W);
void normalize(Eigen::Ref<Vector> x);

}  // namespace rezero
