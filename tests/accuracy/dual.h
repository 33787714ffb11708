#pragma once
/// A number with its derivatives along some directions: forward-mode differentiation, entry by entry.

#include <vector>

#include "accuracy/number.h"

namespace rezero::reference {

struct Dual {
  Number value;
  std::vector<Number> slopes;  ///< one per direction; empty: a constant

  /// this += factor·x
  void add(const Number& factor, const Dual& x) {
    value.add_product(factor, x.value);
    if (slopes.size() < x.slopes.size()) slopes.resize(x.slopes.size());
    for (std::size_t i = 0; i < x.slopes.size(); ++i)
      if (!x.slopes[i].is_zero()) slopes[i].add_product(factor, x.slopes[i]);
  }
};

/// Features × positions, column by column.
using State = std::vector<Dual>;

/// f(x) from its value and its derivative there.
inline Dual chain(Number value, const Number& derivative, const Dual& x) {
  Dual result;
  result.add(derivative, x);
  result.value = std::move(value);
  return result;
}

inline Dual operator*(const Number& factor, const Dual& x) {
  return chain(factor * x.value, factor, x);
}
inline Dual operator+(Dual a, const Dual& b) {
  a.add(1, b);
  return a;
}
inline Dual operator-(Dual a, const Dual& b) {
  a.add(-1, b);
  return a;
}
inline Dual operator*(const Dual& a, const Dual& b) {
  Dual result = b.value * a;
  const Number value = result.value;
  result.add(a.value, b);
  result.value = value;
  return result;
}
inline Dual inverse(const Dual& x) {
  const Number r = 1 / x.value;
  return chain(r, -(r * r), x);
}
inline Dual sqrt(const Dual& x) {
  const Number root = sqrt(x.value);
  return chain(root, Number(0.5) / root, x);
}
inline Dual exp(const Dual& x) {
  const Number e = exp(x.value);
  return chain(e, e, x);
}

}  // namespace rezero::reference
