#pragma once
/// The moments of what an initializer draws, without drawing: what a given weight is compared with.

#include "rezero/init/initializer.h"

namespace rezero {

/// Entries w of mean 0 and standard deviation σ.
struct EntryLaw {
  Real std = 0;                 ///< σ; 0: every entry is exactly zero
  Real fourth = 3, sixth = 15;  ///< E w⁴/σ⁴ and E w⁶/σ⁶ (9/5 and 27/7 if uniform)

  /// The mean square of the whole tensor is σ² in every draw, as of an orthogonal matrix.
  bool fixed_square() const { return fourth == 1; }
  EntryLaw times(Real gain) const;
};

/// A law whose tensor has the mean square σ² in every draw.
EntryLaw fixed_square_law(Real std);

/// The laws of `init`'s weight and bias in that context. A bias that is not drawn is zero. Cost: O(1).
EntryLaw weight_law(const Initializer& init, const WeightContext& context);
EntryLaw bias_law(const Initializer& init, const WeightContext& context);

}  // namespace rezero
