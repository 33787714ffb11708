#pragma once
/// Numbers that summarize a Jacobian, with unit and definition.

#include <optional>
#include <string_view>
#include <vector>

#include "rezero/core/registry.h"
#include "rezero/spectrum/spectrum.h"

namespace rezero {

/// The input of metrics: J (rows × cols) of one stack at one depth.
struct Observation {
  const Spectrum* spectrum = nullptr;
  Index rows = 0, cols = 0;
  std::optional<ScaledReal> frobenius_square;  ///< ‖J‖_F²; absent if J was not formed to six digits
  /// max |J − I|; absent if J is rectangular or not formed to six digits
  std::optional<ScaledReal> identity_error;
  std::optional<ScaledReal> output_error;           ///< max |x_L − x_0|; absent if the shapes differ
  std::optional<Real> ones_overlap = std::nullopt;  ///< |⟨u_1, 1/√rows⟩|; absent if u_1 is not known
};

/// `summary` is the definition, a formula.
struct Metric : Entry {
  std::string_view unit = "1";  ///< "decades", "nats"; "1" if dimensionless
  /// Absent if the number does not exist, is not resolved, or is not a normal double.
  std::optional<Real> (*compute)(const Observation&) = nullptr;
};

/// In report order.
const Registry<Metric>& metrics();

}  // namespace rezero
