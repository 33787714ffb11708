#include "parts.h"

namespace rezero {
using namespace metric_parts;

Metric metric_sigma_max() {
  Metric metric;
  metric.name = "sigma_max";
  metric.summary = "largest singular value of J; null below the method's resolution";
  metric.compute = [](const Observation& o) -> Value {
    const ScaledReal* top = largest(*o.spectrum);
    return top ? top->to_real() : std::nullopt;
  };
  return metric;
}

Metric metric_sigma_min() {
  Metric metric;
  metric.name = "sigma_min";
  metric.summary = "smallest singular value of J; null below the method's resolution";
  metric.compute = [](const Observation& o) -> Value {
    const auto low = smallest(*o.spectrum);
    return low ? low->to_real() : std::nullopt;
  };
  return metric;
}

Metric metric_sigma_min_nonzero() {
  Metric metric;
  metric.name = "sigma_min_nonzero";
  metric.summary = "smallest singular value that is not a proved zero; null below the method's resolution";
  metric.compute = [](const Observation& o) -> Value {
    const auto low = smallest_nonzero(*o.spectrum);
    return low ? low->to_real() : std::nullopt;
  };
  return metric;
}

Metric metric_log10_sigma_min_nonzero() {
  Metric metric;
  metric.name = "log10_sigma_min_nonzero";
  metric.unit = "decades";
  metric.summary = "log10 sigma_min_nonzero";
  metric.compute = [](const Observation& o) -> Value {
    const auto low = smallest_nonzero(*o.spectrum);
    return low ? finite(low->log10()) : std::nullopt;
  };
  return metric;
}

Metric metric_log10_sigma_max() {
  Metric metric;
  metric.name = "log10_sigma_max";
  metric.unit = "decades";
  metric.summary = "log10 sigma_max";
  metric.compute = [](const Observation& o) -> Value {
    const ScaledReal* top = largest(*o.spectrum);
    return top ? finite(top->log10()) : std::nullopt;
  };
  return metric;
}

Metric metric_log10_sigma_min() {
  Metric metric;
  metric.name = "log10_sigma_min";
  metric.unit = "decades";
  metric.summary = "log10 sigma_min; null when it is zero or not resolved";
  metric.compute = [](const Observation& o) -> Value {
    const auto low = smallest(*o.spectrum);
    return low ? finite(low->log10()) : std::nullopt;
  };
  return metric;
}

Metric metric_log10_condition() {
  Metric metric;
  metric.name = "log10_condition";
  metric.unit = "decades";
  metric.summary = "log10(sigma_max / sigma_min); null when sigma_min is zero or not resolved";
  metric.compute = [](const Observation& o) -> Value {
    const ScaledReal* top = largest(*o.spectrum);
    const auto low = smallest(*o.spectrum);
    if (!top || !low || low->is_zero()) return std::nullopt;
    const Real decades = static_cast<Real>(top->exponent - low->exponent) * std::log10(Real{2});
    return decades + std::log10(top->mantissa / low->mantissa);
  };
  return metric;
}

Metric metric_bulk_sigma_max() {
  Metric metric;
  metric.name = "bulk_sigma_max";
  metric.summary =
      "sigma_2: the largest singular value without the top one; null below the method's resolution";
  metric.compute = [](const Observation& o) -> Value {
    const ScaledReal* next = second(*o.spectrum);
    return next ? next->to_real() : std::nullopt;
  };
  return metric;
}

Metric metric_outlier_ratio() {
  Metric metric;
  metric.name = "outlier_ratio";
  metric.summary = "sigma_1 / sigma_2";
  metric.compute = [](const Observation& o) -> Value {
    const ScaledReal* next = second(*o.spectrum);
    return next && !next->is_zero() ? finite(1 / relative(*next, o.spectrum->sigma[0])) : std::nullopt;
  };
  return metric;
}

Metric metric_ones_overlap() {
  Metric metric;
  metric.name = "ones_overlap";
  metric.summary =
      "|<u_1, 1/sqrt(n)>|, u_1 the top left singular vector, n the number of rows; null unless sigma_2 < "
      "0.999 sigma_1 and u_1 was found";
  metric.source = "derived here";
  metric.compute = [](const Observation& o) -> Value { return o.ones_overlap; };
  return metric;
}

}  // namespace rezero
