#pragma once
/// Draws for the table of initializers. Normal distributions with one key are multiples of the
/// same raw normals, and uniform ones of the same raw uniforms: common random numbers across initializers.

#include "rezero/init/initializer.h"

namespace rezero::detail {

/// Independent entries by a law. Drawn in parts on the lent workers (rezero/parallel/parts.h).
///
/// Of a truncated normal law, entry e is s times normal e of the stream if that is within the cut. Otherwise
/// it is a fresh draw of the truncated distribution from separate addresses: attempt k = 1, 2, … takes the
/// uniform pair (x, v), pair k·2^40 + e of the stream, and accepts cut·x if (1+v)/2 < exp(−(cut·x/s)²/2).
/// Both parts have the truncated distribution, so the matrix has it for any s and cut.
Matrix drawn(const EntryLaw& law, Index rows, Index cols, const StreamKey& key);

/// Entries of standard deviation `std`, by the parameter `law`: normal or uniform.
EntryLaw law_of(const Params& params, Real std);

/// The parameter `gain`: a number, or the gain of the activation for `auto`.
Real gain_of(const WeightContext& context, const Params& params);

}  // namespace rezero::detail
