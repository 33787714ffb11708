#include "report/spectrum_strip.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace rezero::detail {
namespace {

std::string decade(Real exponent) {
  return exponent == 0 ? "1" : "1e" + std::to_string(static_cast<long long>(exponent));
}

}  // namespace

void SpectrumStrip::include(const SpectrumExtent& extent) {
  for (const std::optional<Real>& value : {extent.low, extent.high}) {
    if (!value || !std::isfinite(*value)) continue;
    low_ = std::min(low_, std::floor(*value));
    high_ = std::max(high_, std::ceil(*value));
  }
}

std::size_t SpectrumStrip::column(Real log10) const {
  const bool empty = low_ == high_;
  const Real low = empty ? -1 : low_, high = empty ? 1 : high_;
  const Real last = static_cast<Real>(width_ - 1);
  return static_cast<std::size_t>(std::clamp(std::round((log10 - low) / (high - low) * last), 0.0, last));
}

std::string SpectrumStrip::axis() const {
  const std::string left = decade(low_ == high_ ? -1 : low_), right = decade(low_ == high_ ? 1 : high_);
  std::string text(width_, ' ');
  text.replace(0, left.size(), left);
  text.replace(width_ - right.size(), right.size(), right);
  const std::size_t one = column(0);
  const bool free = one > left.size() && one + 1 < width_ - right.size();
  if (free) text[one] = '1';
  return text;
}

std::string SpectrumStrip::draw(const SpectrumExtent& extent) const {
  std::vector<std::string_view> marks(width_, " ");
  marks[column(0)] = "┊";
  if (extent.high) {
    const std::size_t first = extent.low ? column(*extent.low) : 0, last = column(*extent.high);
    for (std::size_t i = first; i <= last; ++i) marks[i] = "─";
    marks[first] = extent.low ? "├" : "‹";
    marks[last] = "┤";
    if (first == last) marks[first] = "●";
    if (extent.middle) marks[column(*extent.middle)] = "●";
  }
  std::string text;
  for (std::string_view mark : marks) text += mark;
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace rezero::detail
