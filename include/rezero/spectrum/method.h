#pragma once
/// The ways to compute a spectrum that a user can name. One file each in src/spectrum/methods, one line each
/// in methods.def.

#include <string>
#include <string_view>
#include <vector>

#include "rezero/core/registry.h"
#include "rezero/spectrum/spectrum.h"

namespace rezero {

/// What a method that computes every value hands to the certificate; nothing of it is published before.
struct FullValues {
  Vector sigma;                   ///< min(rows, cols) values, descending
  Real relative_resolution = 0;   ///< claimed bound of the absolute error over σ_max
  bool zeros_are_proved = false;  ///< a value of 0 is an exact zero of the matrix, not a rounded one
  std::string failure;            ///< empty, or why there are no values
};

/// One entry. Exactly one of `full` and `partial` is set: what the method can do.
struct SpectrumMethod {
  std::string_view name, summary, reference;
  std::vector<std::string_view> aliases;
  Index max_dimension = 0;  ///< largest min(rows, cols) that it is offered; 0: any

  /// Whether the method can do this matrix at all; null: every one. A cheap test: in the chain a method that
  /// does not apply is passed over without being counted as a failure.
  bool (*applies)(const Matrix& A) = nullptr;
  /// All singular values of a finite, normalized, non-empty A.
  FullValues (*full)(const Matrix& A) = nullptr;
  /// The ends of the spectrum that the request asks for (top + bottom > 0), certified: status converged, or
  /// breakdown with a message. J as for compute_spectrum, normalized and finite.
  Spectrum (*partial)(const ScaledMatrix& J, const SpectrumRequest& request) = nullptr;
};

/// In the order of the chain: a full spectrum is computed by the first method that applies and passes its
/// certificate.
const Registry<SpectrumMethod>& spectrum_methods();

}  // namespace rezero
