#pragma once
/// J formed row by row, from products with its transpose: for a J with far fewer rows than columns, as that
/// of a classifier's logits with respect to an image, or of one token of many.

#include "rezero/jacobian/forward.h"
#include "rezero/jacobian/rounding_probe.h"
#include "rezero/spectrum/jacobian_view.h"

namespace rezero::detail {

/// J as formed, and what forming it lost.
struct FormedJacobian {
  ScaledMatrix J;
  FormingError forming;
  bool zeros_hold = true;  ///< no row vanished by cancellation
  Underflow underflow = Underflow::none;
};

/// Jᵀ = F_0ᵀ … F_{count−1}ᵀ I, with the columns of I, one for each of the `rows` rows of J, carried together.
/// The numbers are bounded as in forward_jacobian: mantissas within range, and a second computation of eight
/// random combinations of rows in other roundings. NumericalError naming the factor if J is not finite. No
/// bit depends on `workers`. Cost: `rows` products with the transpose of each factor. Memory: 2 rows · max
/// width.
FormedJacobian form_by_rows(const FactorSource& factors, Index rows, int workers);

}  // namespace rezero::detail
