#include "config/decimal_range.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

#include "rezero/core/contract.h"

namespace rezero::detail {
namespace {

/// A natural number of any size, in base 10^9, the last digits first.
class Natural {
 public:
  static constexpr std::uint64_t base = 1'000'000'000;
  static constexpr int digits_per_limb = 9;

  Natural() = default;
  explicit Natural(std::uint64_t value) {
    for (; value > 0; value /= base) limbs_.push_back(static_cast<std::uint32_t>(value % base));
  }

  std::size_t limbs() const { return limbs_.size(); }

  friend Natural operator+(const Natural& a, const Natural& b) {
    Natural sum;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < std::max(a.limbs(), b.limbs()) || carry > 0; ++i) {
      carry += a.limb(i) + b.limb(i);
      sum.limbs_.push_back(static_cast<std::uint32_t>(carry % base));
      carry /= base;
    }
    return sum;
  }

  /// |a − b|
  static Natural distance(const Natural& a, const Natural& b) {
    if (a < b) return distance(b, a);
    Natural difference = a;
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < a.limbs(); ++i) {
      const std::uint64_t below = b.limb(i) + borrow;
      borrow = a.limb(i) < below ? 1 : 0;
      difference.limbs_[i] = static_cast<std::uint32_t>(a.limb(i) + borrow * base - below);
    }
    difference.strip();
    return difference;
  }

  friend Natural operator*(const Natural& a, const Natural& b) {
    Natural product;
    product.limbs_.resize(a.limbs() + b.limbs());
    for (std::size_t i = 0; i < a.limbs(); ++i) {
      std::uint64_t carry = 0;
      for (std::size_t j = 0; j < b.limbs() || carry > 0; ++j) {
        carry += a.limb(i) * b.limb(j) + product.limb(i + j);
        product.limbs_[i + j] = static_cast<std::uint32_t>(carry % base);
        carry /= base;
      }
    }
    product.strip();
    return product;
  }

  friend bool operator<(const Natural& a, const Natural& b) {
    if (a.limbs() != b.limbs()) return a.limbs() < b.limbs();
    return std::lexicographical_compare(a.limbs_.rbegin(), a.limbs_.rend(), b.limbs_.rbegin(),
                                        b.limbs_.rend());
  }

  static Natural power_of_ten(int exponent) {
    Natural power;
    power.limbs_.resize(static_cast<std::size_t>(exponent / digits_per_limb));
    std::uint32_t leading = 1;
    for (int i = exponent % digits_per_limb; i > 0; --i) leading *= 10;
    power.limbs_.push_back(leading);
    return power;
  }

  /// Without its last nine digits, rounded.
  void drop_limb() {
    const bool up = limb(0) >= base / 2;
    limbs_.erase(limbs_.begin());
    if (up) *this = *this + Natural(1);
  }

  std::string digits() const {
    std::string text;
    for (auto limb = limbs_.rbegin(); limb != limbs_.rend(); ++limb) {
      const std::string part = std::to_string(*limb);
      if (!text.empty()) text.append(digits_per_limb - part.size(), '0');
      text += part;
    }
    return text.empty() ? "0" : text;
  }

 private:
  std::uint64_t limb(std::size_t i) const { return i < limbs_.size() ? limbs_[i] : 0; }
  void strip() {
    while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
  }

  std::vector<std::uint32_t> limbs_;  ///< the last one is not zero
};

/// ±digits · 10^exponent
struct Decimal {
  bool negative = false;
  Natural digits;
  int exponent = 0;

  /// The shortest decimal that reads back as x.
  static Decimal of(Real x) {
    char text[40];
    const auto end = std::to_chars(text, text + sizeof text, x, std::chars_format::scientific).ptr;
    Decimal decimal;
    std::uint64_t digits = 0;
    int fraction = 0;
    const char* at = text;
    if (*at == '-') decimal.negative = true, ++at;
    bool past_point = false;
    for (; at != end && *at != 'e'; ++at) {
      if (*at == '.') {
        past_point = true;
        continue;
      }
      digits = digits * 10 + static_cast<std::uint64_t>(*at - '0');
      fraction += past_point;
    }
    const char* exponent = at + (at + 1 != end && at[1] == '+' ? 2 : 1);
    std::from_chars(exponent, end, decimal.exponent);
    decimal.digits = Natural(digits);
    decimal.exponent -= fraction;
    return decimal;
  }

  /// The nearest double; ±infinity or 0 beyond their range.
  Real nearest() const {
    const std::string text = digits.digits() + "e" + std::to_string(exponent);
    Real value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range) {
      const bool huge = exponent + static_cast<int>(digits.digits().size()) > 0;
      value = huge ? std::numeric_limits<Real>::infinity() : 0;
    }
    return negative && value != 0 ? -value : value;
  }

  /// The digits if the exponent were `lower`.
  Natural digits_at(int lower) const { return digits * Natural::power_of_ten(exponent - lower); }
};

/// Half a unit in the last place of x.
Real half_unit(Real x) {
  const Real magnitude = std::abs(x), next = std::nextafter(magnitude, std::numeric_limits<Real>::infinity());
  return std::isfinite(next) ? (next - magnitude) / 2 : (magnitude - std::nextafter(magnitude, 0)) / 2;
}

/// Appends points until one lies beyond `last` by more than may_miss(k); the one that misses `last` by no
/// more than that is `last`.
template <class Point, class MayMiss>
std::vector<Real> points_until(Real last, std::size_t most, const Point& point, const MayMiss& may_miss) {
  std::vector<Real> points;
  for (std::size_t k = 0;; ++k) {
    Real x = point(k);
    const bool ends = k > 0 && std::abs(x - last) <= may_miss(static_cast<Real>(k));
    if (!ends && x > last) return points;
    if (ends) x = last;
    const bool repeats = !points.empty() && x == points.back();
    if (k > most || (!repeats && points.size() == most)) return {};
    if (!repeats) points.push_back(x);
    if (ends || x == last) return points;
  }
}

}  // namespace

std::vector<Real> arithmetic_range(Real first, Real last, Real step, std::size_t most) {
  REZERO_REQUIRE(std::isfinite(first) && std::isfinite(last) && std::isfinite(step) && first <= last &&
                 step > 0);
  // halves, since the difference of two doubles may overflow
  if ((last / 2 - first / 2) / step * 2 > static_cast<Real>(most)) return {};
  const Decimal start = Decimal::of(first), difference = Decimal::of(step);
  const int exponent = std::min(start.exponent, difference.exponent);
  const Natural base = start.digits_at(exponent), increment = difference.digits_at(exponent);
  Natural distance;  // k·step
  const auto point = [&](std::size_t k) {
    if (k > 0) distance = distance + increment;
    if (!start.negative) return Decimal{false, base + distance, exponent}.nearest();
    return Decimal{distance < base, Natural::distance(base, distance), exponent}.nearest();
  };
  const Real of_ends = half_unit(first) + half_unit(last), of_step = half_unit(step);
  return points_until(last, most, point, [&](Real k) {
    const Real miss = of_ends + k * of_step;
    return miss < step / 4 ? miss : 0;
  });
}

std::vector<Real> geometric_range(Real first, Real last, Real factor, std::size_t most) {
  REZERO_REQUIRE(std::isfinite(last) && std::isfinite(factor) && first > 0 && first <= last && factor > 1);
  if ((std::log(last) - std::log(first)) / std::log1p(factor - 1) > static_cast<Real>(most)) return {};
  constexpr std::size_t most_limbs = 13;  // at least 12 · 9 + 1 digits
  Decimal value = Decimal::of(first);
  const Decimal ratio = Decimal::of(factor);
  const auto point = [&](std::size_t k) {
    if (k == 0) return first;
    value = {false, value.digits * ratio.digits, value.exponent + ratio.exponent};
    for (; value.digits.limbs() > most_limbs; value.exponent += Natural::digits_per_limb)
      value.digits.drop_limb();
    return value.nearest();
  };
  const Real of_ends = half_unit(first) / first + half_unit(last) / last,
             of_factor = half_unit(factor) / factor;
  return points_until(last, most, point, [&](Real k) {
    const Real miss = of_ends + k * of_factor;
    return miss < (factor - 1) / 4 ? last * miss : 0;
  });
}

}  // namespace rezero::detail
