#include "rezero/spectrum/spectrum.h"

#include <algorithm>
#include <cmath>

#include "spectrum/quotient.h"

namespace rezero {

std::string_view to_string(SpectrumPart part) {
  switch (part) {
    case SpectrumPart::full:
      return "full";
    case SpectrumPart::largest:
      return "largest";
    case SpectrumPart::smallest:
      return "smallest";
    case SpectrumPart::both_ends:
      return "both_ends";
    case SpectrumPart::density:
      return "density";
  }
  return "";
}

std::string_view to_string(SpectrumStatus status) {
  switch (status) {
    case SpectrumStatus::converged:
      return "converged";
    case SpectrumStatus::partial:
      return "partial";
    case SpectrumStatus::breakdown:
      return "breakdown";
  }
  return "";
}

std::string_view to_string(Extremal extremal) {
  switch (extremal) {
    case Extremal::not_applicable:
      return "not_applicable";
    case Extremal::verified:
      return "verified";
    case Extremal::probabilistic:
      return "probabilistic";
  }
  return "";
}

std::string_view to_string(Multiplicity multiplicity) {
  switch (multiplicity) {
    case Multiplicity::not_applicable:
      return "not_applicable";
    case Multiplicity::resolved:
      return "resolved";
    case Multiplicity::cut:
      return "cut";
    case Multiplicity::unresolved:
      return "unresolved";
  }
  return "";
}

bool Spectrum::resolved(std::size_t i) const {
  if (sigma[i].is_zero() || sigma_max.is_zero()) return false;
  return detail::quotient(sigma[i], sigma_max) > relative_resolution;
}

Index Spectrum::unresolved() const {
  Index count = 0;
  for (std::size_t i = 0; i < sigma.size(); ++i) count += resolved(i) ? 0 : 1;
  return std::max<Index>(0, count - null_directions);
}

}  // namespace rezero
