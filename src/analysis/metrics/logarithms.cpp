#include "parts.h"

namespace rezero {
using namespace metric_parts;
namespace {

/// Whether every singular value is known, non-zero and resolved.
bool all_resolved(const Spectrum& s) {
  return full(s) && s.null_directions == 0 && s.unresolved() == 0;
}

Real mean_log(const Spectrum& s) {
  Real sum = 0;
  for (const ScaledReal& sigma : s.sigma) sum += sigma.log();
  return sum / static_cast<Real>(s.sigma.size());
}

}  // namespace

Metric metric_mean_log_sigma() {
  Metric metric;
  metric.name = "mean_log_sigma";
  metric.unit = "nats";
  metric.summary = "mean of ln sigma = ln|det J| / n; null unless every value is resolved";
  metric.compute = [](const Observation& o) -> Value {
    return all_resolved(*o.spectrum) ? Value(mean_log(*o.spectrum)) : std::nullopt;
  };
  return metric;
}

Metric metric_std_log_sigma() {
  Metric metric;
  metric.name = "std_log_sigma";
  metric.unit = "nats";
  metric.summary = "standard deviation of ln sigma over the n values (divisor n)";
  metric.compute = [](const Observation& o) -> Value {
    const Spectrum& s = *o.spectrum;
    if (!all_resolved(s)) return std::nullopt;
    const Real mean = mean_log(s);
    Real sum = 0;
    for (const ScaledReal& sigma : s.sigma) sum += std::pow(sigma.log() - mean, 2);
    return std::sqrt(sum / static_cast<Real>(s.sigma.size()));
  };
  return metric;
}

Metric metric_median_sigma() {
  Metric metric;
  metric.name = "median_sigma";
  metric.summary = "median singular value (the mean of the middle two when n is even)";
  metric.compute = [](const Observation& o) -> Value {
    const Spectrum& s = *o.spectrum;
    if (!full(s)) return std::nullopt;
    const std::size_t low = s.sigma.size() / 2, high = (s.sigma.size() - 1) / 2;
    const auto known = static_cast<std::size_t>(s.dimension - s.null_directions);
    for (const std::size_t middle : {low, high})
      if (middle < known && !s.resolved(middle)) return std::nullopt;
    const auto a = s.sigma[low].to_real(), b = s.sigma[high].to_real();
    return a && b ? finite(*a / 2 + *b / 2) : std::nullopt;
  };
  return metric;
}

}  // namespace rezero
