#include "parts.h"
#include "spectrum/resolution.h"

namespace rezero {
using namespace metric_parts;
namespace {

std::optional<ScaledReal> mean_square(const Observation& o) {
  if (!o.frobenius_square) return std::nullopt;
  return *o.frobenius_square / static_cast<Real>(o.cols);
}

}  // namespace

Metric metric_mean_square() {
  Metric metric;
  metric.name = "mean_square";
  metric.aliases = {"m1", "chi"};
  metric.summary =
      "||J||_F^2 / n, n the number of columns: the mean of sigma^2; null where J was not formed to six "
      "digits";
  metric.source = "Bachlechner et al. 2021 (arXiv 2003.04887), section 2.1";
  metric.compute = [](const Observation& o) -> Value {
    const auto mean = mean_square(o);
    return mean ? mean->to_real() : std::nullopt;
  };
  return metric;
}

Metric metric_log10_mean_square() {
  Metric metric;
  metric.name = "log10_mean_square";
  metric.unit = "decades";
  metric.summary = "log10 mean_square: no range limit";
  metric.compute = [](const Observation& o) -> Value {
    const auto mean = mean_square(o);
    return mean ? finite(mean->log10()) : std::nullopt;
  };
  return metric;
}

Metric metric_relative_variance() {
  Metric metric;
  metric.name = "relative_variance";
  metric.summary = "m2 / m1^2 - 1, m_k the mean of sigma^2k over the columns";
  metric.source = "Pennington, Schoenholz & Ganguli 2018 (arXiv 1802.09979), eq. 22";
  metric.compute = [](const Observation& o) -> Value {
    const Spectrum& s = *o.spectrum;
    if (!full(s) || s.sigma.front().is_zero() || s.accuracy.relative_resolution > detail::six_digits)
      return std::nullopt;
    Real second = 0, fourth = 0;
    for (const ScaledReal& sigma : s.sigma) {
      const Real square = std::pow(relative(sigma, s.sigma.front()), 2);
      second += square;
      fourth += square * square;
    }
    return static_cast<Real>(o.cols) * fourth / (second * second) - 1;
  };
  return metric;
}

Metric metric_stable_rank() {
  Metric metric;
  metric.name = "stable_rank";
  metric.summary = "||J||_F^2 / sigma_max^2";
  metric.source = "Rudelson & Vershynin 2007";
  metric.compute = [](const Observation& o) -> Value {
    const ScaledReal* top = largest(*o.spectrum);
    if (!top || top->is_zero() || !o.frobenius_square) return std::nullopt;
    return relative(*o.frobenius_square, *top * *top);
  };
  return metric;
}

Metric metric_numerical_rank() {
  Metric metric;
  metric.name = "numerical_rank";
  metric.summary = "number of singular values above relative_resolution * sigma_max";
  metric.compute = [](const Observation& o) -> Value {
    const Spectrum& s = *o.spectrum;
    if (!full(s)) return std::nullopt;
    return static_cast<Real>(s.dimension - s.null_directions - s.unresolved());
  };
  return metric;
}

}  // namespace rezero
