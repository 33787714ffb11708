#include "rezero/init/entry_law.h"

#include <cmath>
#include <limits>

namespace rezero {
namespace {

/// E z² and the ratios E z⁴/(E z²)², E z⁶/(E z²)³.
struct Moments {
  Real second, fourth, sixth;
};

/// Of a standard normal z given |z| ≤ c, with r = 2 φ(c)/(2Φ(c) − 1): E z² = 1 − c r, E z⁴ = 3 E z² − c³ r
/// and E z⁶ = 5 E z⁴ − c⁵ r. These cancel for small c (E z⁶ as 1e-16/c⁶), where instead, as the density
/// is 1 − z²/2 + z⁴/8 up to its norm, E z^k = (c^k/(k+1) − c^(k+2)/(2(k+3)) + c^(k+4)/(8(k+5))) / (k = 0).
Moments truncated_moments(Real c) {
  Real z2, z4, z6;
  if (c < 0.1) {
    const auto part = [c](int k) {  // without the factor c^k; the next term is below c⁶/48/7 = 3e-9
      return Real{1} / (k + 1) - c * c / (2 * (k + 3)) + std::pow(c, 4) / (8 * (k + 5));
    };
    z2 = part(2) / part(0), z4 = part(4) / part(0), z6 = part(6) / part(0);
    return {c * c * z2, z4 / (z2 * z2), z6 / (z2 * z2 * z2)};
  }
  const Real density = std::exp(-c * c / 2) / std::sqrt(2 * std::acos(Real{-1}));
  const Real r = 2 * density / std::erf(c / std::sqrt(Real{2}));
  z2 = 1 - c * r, z4 = 3 * z2 - std::pow(c, 3) * r, z6 = 5 * z4 - std::pow(c, 5) * r;
  return {z2, z4 / (z2 * z2), z6 / (z2 * z2 * z2)};
}

/// For the law with s = scale and that cut.
Moments moments(const EntryLaw& law) {
  switch (law.shape()) {
    case EntryShape::normal:
      return {1, 3, 15};
    case EntryShape::truncated_normal:
      return law.is_zero() || law.cut() > 40 * law.scale() ? Moments{1, 3, 15}
                                                           : truncated_moments(law.cut() / law.scale());
    case EntryShape::uniform:
      return {Real{1} / 3, Real{9} / 5, Real{27} / 7};
    case EntryShape::fixed_square:
      break;
  }
  return {1, 1, 1};
}

}  // namespace

Real EntryLaw::std() const {
  return scale_ * std::sqrt(moments(*this).second);
}
Real EntryLaw::fourth() const {
  return moments(*this).fourth;
}
Real EntryLaw::sixth() const {
  return moments(*this).sixth;
}

Real EntryLaw::largest() const {
  if (is_zero()) return 0;
  if (shape_ == EntryShape::uniform) return scale_;
  return shape_ == EntryShape::truncated_normal ? cut_ : std::numeric_limits<Real>::infinity();
}

EntryLaw EntryLaw::times(Real gain) const {
  return {shape_, scale_ * std::abs(gain), cut_ * std::abs(gain)};
}

}  // namespace rezero
