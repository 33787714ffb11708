#include "rezero/theory/trainability.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "rezero/core/error.h"
#include "rezero/theory/correlation.h"
#include "rezero/theory/mean_field.h"
#include "rezero/theory/moments.h"
#include "theory/roots.h"

namespace rezero::theory {
namespace {

void require_range(const TrainabilityOptions& options) {
  if (!(options.range > 0 && std::isfinite(options.range)))
    throw UsageError("the range of trainability must be a positive number");
  if (!(options.rho > -1 && options.rho < 1))
    throw UsageError("the correlation of two inputs must lie between -1 and 1, ends excluded");
  if (options.limit < 1) throw UsageError("the largest depth of a search must be at least 1");
}

NetworkLaw first_blocks(const NetworkLaw& law, std::size_t count) {
  NetworkLaw shorter = law;
  shorter.blocks.resize(std::min(count, law.blocks.size()));
  return shorter;
}

/// |log √m1|
Real gradient_drift(const NetworkLaw& law, const MeanField& field) {
  return std::abs(log_mean_square(law, field)) / 2;
}

/// |log √m1| after each number of blocks, from 0 on.
std::vector<Real> gradient_drifts(const NetworkLaw& law, const MeanField& field) {
  std::vector<Real> drift = {0};
  Real log_bulk = 0;
  for (const BlockState& block : field.blocks) {
    log_bulk += std::log(block.factor);
    drift.push_back(std::abs(log_bulk) / 2);
  }
  if (log_mean_square(law, field) == log_bulk) return drift;
  for (std::size_t l = 1; l < drift.size(); ++l) drift[l] = gradient_drift(first_blocks(law, l), field);
  return drift;
}

/// |log (1 − ρ)/(1 − ρ_0)|; equal inputs are infinitely far from where they were.
Real correlation_drift(Real rho, Real first) {
  return std::abs(std::log(std::max(Real{0}, 1 - rho) / (1 - first)));
}

/// The last depth within the range; nothing if all are. Every pass goes four times as deep as the one before.
std::optional<Index> correlation_within(const NetworkLaw& law, const MeanField& field,
                                        const TrainabilityOptions& options) {
  for (std::size_t depth = 16;; depth *= 4) {
    const std::vector<Correlation> states = correlations(first_blocks(law, depth), field, options.rho);
    for (std::size_t l = 0; l < states.size(); ++l)
      if (!(correlation_drift(states[l].cosine, options.rho) <= options.range))
        return static_cast<Index>(l) - 1;
    if (states.size() > law.blocks.size()) return std::nullopt;
  }
}

/// The last index before the first value beyond the range; nothing if there is none beyond.
std::optional<Index> within(const std::vector<Real>& drift, Real range) {
  for (std::size_t l = 0; l < drift.size(); ++l)
    if (!(drift[l] <= range)) return static_cast<Index>(l) - 1;
  return std::nullopt;
}

}  // namespace

TrainableDepth trainable_depth(const NetworkLaw& whole, const TrainabilityOptions& options) {
  require_range(options);
  const NetworkLaw law = first_blocks(whole, static_cast<std::size_t>(options.limit));
  const MeanField field = mean_field(law);
  TrainableDepth result;
  result.limit = static_cast<Index>(law.blocks.size());
  result.gradient = within(gradient_drifts(law, field), options.range);
  result.correlation = correlation_within(law, field, options);
  return result;
}

TrainableDepth trainable_depth(const StackSpec& spec, const TrainabilityOptions& options) {
  require_range(options);
  TrainableDepth result;
  result.limit = options.limit;
  const Described described = describe(spec, options.limit);
  if (!described.law) {
    result.reason = described.reason;
    return result;
  }
  if (!spec.scheme.depends_on_depth()) return trainable_depth(*described.law, options);
  // Of the whole stack at each depth.
  const auto last_within = [&](auto drift_of) {
    const Index depth = detail::largest_holding(
        [&](Index L) {
          const Described at = describe(spec, L);
          if (!at.law) throw UsageError(at.reason);
          return drift_of(*at.law, mean_field(*at.law)) <= options.range;
        },
        options.limit);
    return depth == options.limit ? std::nullopt : std::optional<Index>(depth);
  };
  result.gradient = last_within(gradient_drift);
  result.correlation = last_within([&](const NetworkLaw& law, const MeanField& field) {
    return correlation_drift(correlations(law, field, options.rho).back().cosine, options.rho);
  });
  return result;
}

}  // namespace rezero::theory
