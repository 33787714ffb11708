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

/// What is asked of whom, as far as costs go.
struct SpectrumTask {
  JacobianForm form = JacobianForm::dense;  ///< in which J is at hand
  Index rows = 0, cols = 0;                 ///< of J
  Index factors = 0;                        ///< that J is the product of
  Index top = 0, bottom = 0;
};

/// What a method takes for one J, roughly.
struct SpectrumWork {
  Real flops = 0;     ///< of its own
  Real products = 0;  ///< columns that J or its transpose is applied to
  Real numbers = 0;   ///< doubles that it holds at most; 0: no more than forming J takes
};

/// All values of a formed J: bidiagonalization, and the certificate's JᵀJ and LU, 16/3 n³ flops in all.
SpectrumWork dense_work(const SpectrumTask& task);

/// One entry. Exactly one of `full` and `compute` is set: whether the chain certifies the values, or the
/// method itself.
struct SpectrumMethod : Entry {
  SpectrumScope gives = SpectrumScope::full;
  JacobianForm needs = JacobianForm::dense;  ///< of `compute`; `full` takes the matrix
  Index max_dimension = 0;                   ///< largest min(rows, cols) that it is offered; 0: any
  bool only_by_name = false;                 ///< no fallback for others
  Index dense_below = 0;  ///< with fewer values than this, a method of maps would rather have J formed

  /// What a spectrum of one J takes.
  SpectrumWork (*work)(const SpectrumTask& task) = dense_work;
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

/// In the order of the chain: a full spectrum is computed by the first method that applies and passes its
/// certificate.
const Registry<SpectrumMethod>& spectrum_methods();

/// UsageError for a request that no matrix with `dimension` singular values, or not this method, can answer.
/// compute_spectrum refuses the same ones.
void require_possible(const SpectrumRequest& request, Index dimension);

/// What `auto` stands for where J is at hand in that form: a matrix, whose values it computes first; factors,
/// which it turns to where the matrix hides values that were asked for; or nothing but a map.
const SpectrumMethod& auto_method(JacobianForm form);
/// The method of that name, `auto` among them. UsageError for an unknown one.
const SpectrumMethod& method_for(std::string_view name, JacobianForm form);

}  // namespace rezero
