#pragma once
/// Everything that theory says about one stack at one depth, computed once and shared by its seeds, and the
/// table of predictions that reports compare with measurements.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "rezero/core/registry.h"
#include "rezero/theory/agreement.h"
#include "rezero/theory/density.h"
#include "rezero/theory/gradients.h"
#include "rezero/theory/masks.h"
#include "rezero/theory/moments.h"

namespace rezero::theory {

struct Outlook {
  std::string reason;  ///< why nothing is known; then everything else is empty
  std::optional<NetworkLaw> law;
  MeanField field;
  Moments moments;
  RankLaw ranks;
  std::optional<SpectralLaw> spectrum;
  std::string no_spectrum;  ///< why the density is not known, if the rest is

  HasNorms norms() const;  ///< whether a block has one
  Index width() const { return law->width; }
  Index depth() const { return static_cast<Index>(law->blocks.size()); }
  /// √q_l, and ‖∂x_L/∂x_l‖_F²/n, l = 0 … L.
  std::vector<ScaledReal> forward_rms() const, gradient_square() const;
  /// Mean square of uᵀ ∂x_L/∂s_l over random unit vectors u, s_l added to α of block l; by block, where it is
  /// known.
  std::vector<std::optional<ScaledReal>> gate_gradient_square() const;
};

/// Of `spec` with `depth` layers. Numerical trouble (a stream beyond the range of doubles, a curve that is
/// lost) is a reason, not an exception. Cost: as describe, mean_field and march or cavity.
Outlook outlook(const StackSpec& spec, Index depth);

/// Whether the law of a draw differs from that of the average draw by more than its values fluctuate.
/// |x_0|²/n varies by √(2/n) between draws: behind a norm that moves the whole spectrum, and unless
/// activations are homogeneous it changes their slopes. Preactivation branches keep the mask of their input.
bool depends_on_input(const Outlook& outlook);
/// The density for this x_0 (of one position). Nothing if it is not known there. Cost: that of the law.
std::optional<SpectralLaw> spectrum_at(const Outlook& outlook, const Vector& input);

/// What is known to set the spectrum of a draw of finite width apart from the law, in n · KS (medians):
///
///     norms          2 directions are lost, which the law has. Each norm after a sum divides by D = |λx +
///     αF|²/n,
///                    whose variance is (4 λ²α² q v + 2 α⁴ v²)/n: that shifts all log σ² together by
///                    s = √(Σ Var D/D²), and n · KS by 0.67 s n · max density.
///     slopes         the mean of φ′² over the units of a branch varies by δ = √((κ − 1)/units), κ the
///     kurtosis of
///                    φ′; over the stack by √(Σ (c δ)²)/Σ c. The law with shares of slopes that differ as
///                    much is computed for comparison.
///     ranks          the smallest of several binomial ranks of plain layers is smaller than the law's.
///
/// Grows like √n, where the distance from a wrong law grows like n. Cost: one more march where κ > 1.
Real distance_allowance(const Outlook& outlook);

/// Branches of degree above 1 (relu squared) raise fluctuations of the stream to a power in every block:
/// where the spread of m1 is above a half or beyond the range of doubles, the law of one draw is not that of
/// the average.
bool stream_is_erratic(const Outlook& outlook);

/// Measurements of several draws.
struct Samples {
  Vector values;  ///< of the metric
  Vector edges;   ///< edge_statistic of σ_max, each with the law of its own input
};

/// One predicted number, for reports: `name` is that of the metric with which it is compared, in its unit.
struct PredictionKind : Entry {
  std::string_view conditions;  ///< where it holds, and to what accuracy
  /// The number at infinite width; for extremes, the mean at this width. Absent where nothing is known.
  std::optional<Real> (*value)(const Outlook&) = nullptr;
  /// Whether samples agree with it; null: finite-width corrections are not known, so it is not tested.
  Agreement (*compare)(const Outlook&, const Samples&, const Strictness&) = nullptr;
};

/// In report order.
const Registry<PredictionKind>& predictions();

}  // namespace rezero::theory
