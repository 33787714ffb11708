#pragma once
/// A singular spectrum drawn in one line of text: σ_min to σ_max on a logarithmic axis that all rows share.

#include <optional>
#include <string>

#include "rezero/core/types.h"

namespace rezero::detail {

/// log₁₀ of the smallest, median and largest singular value, if known.
struct SpectrumExtent {
  std::optional<Real> low, middle, high;
};

/// The axis: whole decades that contain every extent added, and σ = 1.
class SpectrumStrip {
 public:
  void include(const SpectrumExtent& extent);
  void set_width(std::size_t columns) { width_ = columns; }

  std::string axis() const;  ///< `1e-8          1      1e2`
  /// `   ├────●───┤  ┊`; `‹` if the low end is unknown
  std::string draw(const SpectrumExtent& extent) const;

 private:
  std::size_t column(Real log10) const;

  Real low_ = 0, high_ = 0;
  std::size_t width_ = 24;
};

}  // namespace rezero::detail
