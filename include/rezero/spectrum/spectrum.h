#pragma once
/// Singular values of a Jacobian, with their accuracy and their origin.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rezero/core/scaled_real.h"
#include "rezero/core/words.h"
#include "rezero/linalg/linear_map.h"
#include "rezero/linalg/scaled_matrix.h"
#include "rezero/random/key.h"
#include "rezero/spectrum/density.h"

namespace rezero {

/// density: a distribution without values.
enum class SpectrumPart { full, largest, smallest, both_ends, density };
template <>
inline constexpr auto words<SpectrumPart> = closed_set<SpectrumPart>("part",
                                                                     {{SpectrumPart::full, "full"},
                                                                      {SpectrumPart::largest, "largest"},
                                                                      {SpectrumPart::smallest, "smallest"},
                                                                      {SpectrumPart::both_ends, "both_ends"},
                                                                      {SpectrumPart::density, "density"}});
enum class SpectrumStatus { converged, partial, breakdown };
template <>
inline constexpr auto words<SpectrumStatus> =
    closed_set<SpectrumStatus>("status", {{SpectrumStatus::converged, "converged"},
                                          {SpectrumStatus::partial, "partial"},
                                          {SpectrumStatus::breakdown, "breakdown"}});
/// Whether the k values of a partial spectrum are known to be the extreme ones, or only to be singular
/// values.
enum class Extremal { not_applicable, verified, probabilistic };
template <>
inline constexpr auto words<Extremal> = closed_set<Extremal>("extremal",
                                                             {{Extremal::verified, "verified"},
                                                              {Extremal::probabilistic, "probabilistic"},
                                                              {Extremal::not_applicable, "not_applicable"}});
/// How often repeated values in part of a spectrum are listed. resolved: with their true multiplicity. cut:
/// likewise, except the last value of an end, which J repeats more often than requested. unresolved: not
/// known.
enum class Multiplicity { not_applicable, resolved, cut, unresolved };
template <>
inline constexpr auto words<Multiplicity> =
    closed_set<Multiplicity>("multiplicity", {{Multiplicity::resolved, "resolved"},
                                              {Multiplicity::cut, "cut"},
                                              {Multiplicity::unresolved, "unresolved"},
                                              {Multiplicity::not_applicable, "not_applicable"}});

/// The accuracy of the values of a spectrum.
struct Accuracy {
  /// A check has shown that every value is right to relative_resolution · σ_max (absolute), or, if there is a
  /// relative_error_estimate, to about that times itself (docs/accuracy.md).
  bool certified = false;
  Real relative_resolution = 0;  ///< values below this times σ_max are rounding noise, reported as unresolved
  Real forming_error = 0;        ///< the part of relative_resolution that was lost while J was formed
  /// Error of every resolved value, relative to itself; nothing if errors are relative to σ_max.
  std::optional<Real> relative_error_estimate;
  /// ‖Jv − σu‖/σ_max and ‖Jᵀu − σv‖/σ_max of each value's vectors; empty if no vectors were computed.
  std::vector<Real> right_residuals, left_residuals;
};

/// A method that was tried and rejected.
struct Fallback {
  std::string method;
  std::string reason;
};

/// How a spectrum was computed.
struct Provenance {
  std::string method;               ///< registry name of the method that gave the values
  std::string choice;               ///< why that method, if `auto` had to choose
  std::vector<Fallback> fallbacks;  ///< methods that were tried before
  Index applications = 0;           ///< columns to which J and Jᵀ were applied; 0 for dense methods
};

/// The singular values of a Jacobian, those at the ends of its spectrum, or their distribution.
struct Spectrum {
  Index dimension = 0;  ///< min(rows, cols)
  SpectrumPart part = SpectrumPart::full;
  SpectrumStatus status = SpectrumStatus::converged;
  std::string message;  ///< why, if status is not converged

  /// Descending. Full: `dimension` values; those below the resolution are included as computed. largest: the
  /// k largest; smallest: the k smallest; both_ends: the `leading` largest, then the smallest. density: none.
  std::vector<ScaledReal> sigma;
  /// number of values of sigma that count from the top (all of them unless both_ends or smallest)
  Index leading = 0;
  Index null_directions = 0;  ///< number of values that structure proves to be exact zeros
  ScaledReal sigma_max;       ///< reference of the resolution; an estimate for smallest by Krylov methods
  Extremal extremal = Extremal::not_applicable;
  Multiplicity multiplicity = Multiplicity::not_applicable;
  std::optional<SpectralDensity> density;  ///< set if part is density and the computation did not break down

  Accuracy accuracy;
  Provenance provenance;

  /// True if sigma[i] > relative_resolution · sigma_max. A proved zero is not resolved; it is counted
  /// separately.
  bool resolved(std::size_t i) const;
  Index unresolved() const;  ///< values that are not resolved, not counting proved zeros
};

struct SpectrumRequest {
  Index top = 0;                ///< number of largest values; top 0 and bottom 0: the full spectrum
  Index bottom = 0;             ///< number of smallest values
  std::string method = "auto";  ///< auto or a registry name
  StreamKey start;              ///< stream from which iterative methods draw their start vectors
  int workers = 1;              ///< threads; results do not depend on their number
  /// exact zeros of J that the caller can prove; `auto` does not look for values there
  Index proved_zeros = 0;
};

struct JacobianView;

/// The full or partial spectrum of J, certified, by the requested method and the chain of its fallbacks
/// (docs/accuracy.md). A mantissa that is not normalized is copied and normalized first. Numerical trouble
/// never throws: see Spectrum::status. UsageError for an unknown method, a request that the method cannot
/// answer (spectra: full spectrum, k ≥ dimension; jacobi: min(rows, cols) > 128), or more values than there
/// are. Cost: 8/3 m n² for the dense bidiagonalization, plus n³ + 2/3 n³ for the certificate. Memory: at most
/// 3 n² doubles besides J (with the dense method n², or 2 n² if J has zero rows or columns).
Spectrum compute_spectrum(const ScaledMatrix& J, const SpectrumRequest& request);
/// The same for J in any of its forms (jacobian_view.h). Without the matrix there is no chain of fallbacks:
/// if the method cannot certify its values, the result is a breakdown. UsageError if the method needs a form
/// that is not available.
Spectrum compute_spectrum(const JacobianView& J, const SpectrumRequest& request);

}  // namespace rezero
