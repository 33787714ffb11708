#pragma once
/// Building blocks of checks.

#include "rezero/analysis/observe.h"

namespace rezero::check_parts {

inline constexpr std::size_t listed_culprits = 10;

inline CheckResult begin(const CheckSpec& spec, std::string quantity, Real bound) {
  CheckResult result;
  result.check = spec.canonical();
  result.quantity = std::move(quantity);
  result.bound = bound;
  return result;
}

inline void add(CheckResult& result, const Culprit& culprit) {
  ++result.culprit_count;
  if (result.culprits.size() < listed_culprits) result.culprits.push_back(culprit);
}

/// Passes without culprits; `value` is their number.
inline CheckResult finish_count(CheckResult result) {
  result.counts = true;
  result.value = ScaledReal::make(static_cast<Real>(result.culprit_count));
  result.pass = result.culprit_count == 0;
  return result;
}

/// value ≤ bound, at any exponent.
inline bool within(const ScaledReal& value, Real bound) {
  if (value.is_zero()) return bound >= 0;
  const auto real = value.to_real();
  return real ? *real <= bound : value.exponent < 0 && bound > 0;
}

/// Adds every reason why blocks are not the identity.
inline void add_reasons(CheckResult& result, const std::vector<BlockFacts>& blocks) {
  for (const BlockFacts& block : blocks)
    for (const Culprit& reason : block.reasons) add(result, reason);
}

}  // namespace rezero::check_parts
