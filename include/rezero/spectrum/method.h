#pragma once
/// The methods for computing a spectrum, by name. One file each in src/spectrum/methods, and one line each in
/// methods.def.

#include <string>
#include <string_view>
#include <vector>

#include "rezero/core/registry.h"
#include "rezero/core/words.h"
#include "rezero/spectrum/jacobian_view.h"
#include "rezero/spectrum/spectrum.h"

namespace rezero {

/// The values that a full method passes to the certificate. They are published only if they pass.
struct FullValues {
  Vector sigma;                   ///< min(rows, cols) values, descending
  Real relative_resolution = 0;   ///< claimed bound on the absolute error over σ_max
  bool zeros_are_proved = false;  ///< a value of 0 is an exact zero of the matrix, not a rounded one
  std::string failure;            ///< empty, or the reason why there are no values
};

/// The part of a spectrum that a method gives: all values (and so its ends), the ends alone, or the
/// distribution alone.
enum class SpectrumScope { full, ends, density };
template <>
inline constexpr auto words<SpectrumScope> =
    closed_set<SpectrumScope>("scope", {{SpectrumScope::full, "the full spectrum (and its ends)"},
                                        {SpectrumScope::ends, "ends: --top, --bottom"},
                                        {SpectrumScope::density, "a distribution, not values"}});

/// The input of a method, as far as costs depend on it.
struct SpectrumTask {
  JacobianForm form = JacobianForm::dense;  ///< available form of J
  Index rows = 0, cols = 0;                 ///< of J
  Index factors = 0;                        ///< number of factors of J
  Index top = 0, bottom = 0;
};

/// The approximate cost of a method for one J.
struct SpectrumWork {
  Real flops = 0;     ///< of the method itself
  Real products = 0;  ///< columns to which J or its transpose is applied
  Real numbers = 0;   ///< maximum number of doubles stored; 0: no more than forming J takes
  Real slowness = 1;  ///< time per flop over that in a product of large matrices, on one thread, as measured
  Real shared = 0.5;  ///< part of the time that several threads share
};

/// All values of a formed m × n J, m ≥ n, or of its transpose: bidiagonalization (4 m n² − 4/3 n³), and JᵀJ
/// and LU of the certificate (2 m n² + 2/3 n³), in flops.
SpectrumWork dense_work(const SpectrumTask& task);

/// One registry entry. Exactly one of `full` and `compute` is set: the chain certifies the values of `full`;
/// `compute` certifies its own.
struct SpectrumMethod : Entry {
  SpectrumScope gives = SpectrumScope::full;
  JacobianForm needs = JacobianForm::dense;  ///< form needed by `compute`; `full` takes the matrix
  Index max_dimension = 0;                   ///< largest min(rows, cols) for which it is used; 0: no limit
  bool only_by_name = false;                 ///< never a fallback for other methods
  Index dense_below = 0;  ///< for fewer values than this, a method that uses maps prefers a formed J

  /// The cost of a spectrum of one J.
  SpectrumWork (*work)(const SpectrumTask& task) = dense_work;
  /// Whether the method can handle this matrix; null: every matrix. A cheap test. The chain skips a method
  /// that does not apply without counting it as a failure.
  bool (*applies)(const Matrix& A) = nullptr;
  /// All singular values of a finite, normalized, non-empty A, on up to `workers` threads. No bit depends on
  /// their number.
  FullValues (*full)(const Matrix& A, int workers) = nullptr;
  /// The requested values, certified by the method itself: status converged, or breakdown with a message. J
  /// has the form that the method needs; its matrix, if set, is normalized and finite.
  Spectrum (*compute)(const JacobianView& J, const SpectrumRequest& request) = nullptr;
};

/// In the order of the chain: the first method that applies and passes its certificate computes a full
/// spectrum.
const Registry<SpectrumMethod>& spectrum_methods();

/// UsageError for a request that no matrix with `dimension` singular values, or not this method, can satisfy.
/// compute_spectrum refuses the same requests.
void require_possible(const SpectrumRequest& request, Index dimension);

/// The method behind `auto` if J is available in that form: the one that first computes the values of a
/// matrix; the one for factors, used if the matrix hides requested values; or the one for a map alone.
const SpectrumMethod& auto_method(JacobianForm form);
/// The method with that name, including `auto`. UsageError for an unknown name.
const SpectrumMethod& method_for(std::string_view name, JacobianForm form);

}  // namespace rezero
