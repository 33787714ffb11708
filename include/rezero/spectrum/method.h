#pragma once
/// The ways to compute a spectrum that a user can name. One file each in src/spectrum/methods, one line each
/// in methods.def.

#include <string>
#include <string_view>
#include <vector>

#include "rezero/core/registry.h"
#include "rezero/core/words.h"
#include "rezero/spectrum/jacobian_view.h"
#include "rezero/spectrum/spectrum.h"

namespace rezero {

/// What a method that computes every value hands to the certificate; nothing of it is published before.
struct FullValues {
  Vector sigma;                   ///< min(rows, cols) values, descending
  Real relative_resolution = 0;   ///< claimed bound of the absolute error over σ_max
  bool zeros_are_proved = false;  ///< a value of 0 is an exact zero of the matrix, not a rounded one
  std::string failure;            ///< empty, or why there are no values
};

/// What of a spectrum a method gives: all values (and so its ends), the ends alone, or the distribution
/// alone.
enum class SpectrumScope { full, ends, density };
template <>
inline constexpr auto words<SpectrumScope> =
    closed_set<SpectrumScope>("scope", {{SpectrumScope::full, "the full spectrum (and its ends)"},
                                        {SpectrumScope::ends, "ends: --top, --bottom"},
                                        {SpectrumScope::density, "a distribution, no values"}});

/// One entry. Exactly one of `full` and `compute` is set: whether the chain certifies the values, or the
/// method itself.
struct SpectrumMethod : Entry {
  SpectrumScope gives = SpectrumScope::full;
  JacobianForm needs = JacobianForm::dense;  ///< of `compute`; `full` takes the matrix
  Index max_dimension = 0;                   ///< largest min(rows, cols) that it is offered; 0: any
  bool only_by_name = false;                 ///< no fallback for others
  Index dense_below = 0;  ///< with fewer values than this, a method of maps would rather have J formed

  /// Whether the method can do this matrix at all; null: every one. A cheap test: in the chain a method that
  /// does not apply is passed over without being counted as a failure.
  bool (*applies)(const Matrix& A) = nullptr;
  /// All singular values of a finite, normalized, non-empty A on up to `workers` threads, on whose number no
  /// bit depends.
  FullValues (*full)(const Matrix& A, int workers) = nullptr;
  /// What the request asks for, certified by the method's own means: status converged, or breakdown with a
  /// message. J has the form that the method needs; a matrix among its forms is normalized and finite.
  Spectrum (*compute)(const JacobianView& J, const SpectrumRequest& request) = nullptr;
};

/// Vectors a side that `spectra` holds for `count` values of n without the matrix.
Index ends_basis(Index count, Index n);
/// Vectors that `density` takes for n values (random ones; n of them are the unit vectors), and the most
/// steps from each: as many vectors of n it holds.
Index density_probes(Index n);
Index density_steps(Index n);

/// In the order of the chain: a full spectrum is computed by the first method that applies and passes its
/// certificate.
const Registry<SpectrumMethod>& spectrum_methods();

/// UsageError for a request that no matrix with `dimension` singular values, or not this method, can answer.
/// compute_spectrum refuses the same ones.
void require_possible(const SpectrumRequest& request, Index dimension);

}  // namespace rezero
