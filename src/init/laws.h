#pragma once
/// The distributions behind the table of initializers. Normal distributions with one key are multiples of the
/// same raw normals, and uniform ones of the same raw uniforms: common random numbers across initializers.

#include "rezero/init/initializer.h"

namespace rezero::detail {

/// std·N(0, 1), and uniform on (−bound, bound). Drawn in parts on the lent workers (rezero/parallel/parts.h).
Matrix normals(const WeightContext& context, Real std, const StreamKey& key);
Matrix uniforms(const WeightContext& context, Real bound, const StreamKey& key);

/// Entries of standard deviation `std`: normal, or uniform on (−√3 std, √3 std).
Matrix scaled_law(const WeightContext& context, const std::string& law, Real std, const StreamKey& key);

/// W with entries std·N(0, 1), given that they lie in [−cut, cut]. Entry e is std times normal e of the
/// stream if that is within the cut. Otherwise it is a fresh draw of the truncated distribution from separate
/// addresses: attempt k = 1, 2, … takes the uniform pair (x, v), pair k·2^40 + e of the stream, and accepts
/// cut·x if (1+v)/2 < exp(−(cut·x/std)²/2). Both parts have the truncated distribution, so W has it for any
/// std and cut.
Matrix truncated_normal(const WeightContext& context, Real std, Real cut, const StreamKey& key);

/// The parameter `gain`: a number, or the gain of the activation for `auto`.
Real gain_of(const WeightContext& context, const Params& params);

}  // namespace rezero::detail
