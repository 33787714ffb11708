#include "parts.h"

namespace rezero {
using namespace metric_parts;

Metric metric_sigma_max() {
  return {"sigma_max",
          {},
          "1",
          "largest singular value of J; null below the method's resolution",
          "",
          [](const Observation& o) -> Value {
            const ScaledReal* top = largest(*o.spectrum);
            return top ? top->to_real() : std::nullopt;
          }};
}

Metric metric_sigma_min() {
  return {"sigma_min",
          {},
          "1",
          "smallest singular value of J; null below the method's resolution",
          "",
          [](const Observation& o) -> Value {
            const auto low = smallest(*o.spectrum);
            return low ? low->to_real() : std::nullopt;
          }};
}

Metric metric_sigma_min_nonzero() {
  return {"sigma_min_nonzero",
          {},
          "1",
          "smallest singular value that is not a proved zero; null below the method's resolution",
          "",
          [](const Observation& o) -> Value {
            const auto low = smallest_nonzero(*o.spectrum);
            return low ? low->to_real() : std::nullopt;
          }};
}

Metric metric_log10_sigma_min_nonzero() {
  return {"log10_sigma_min_nonzero",
          {},
          "decades",
          "log10 sigma_min_nonzero",
          "",
          [](const Observation& o) -> Value {
            const auto low = smallest_nonzero(*o.spectrum);
            return low ? finite(low->log10()) : std::nullopt;
          }};
}

Metric metric_log10_sigma_max() {
  return {"log10_sigma_max", {}, "decades", "log10 sigma_max", "", [](const Observation& o) -> Value {
            const ScaledReal* top = largest(*o.spectrum);
            return top ? finite(top->log10()) : std::nullopt;
          }};
}

Metric metric_log10_sigma_min() {
  return {"log10_sigma_min",
          {},
          "decades",
          "log10 sigma_min; null when it is zero or not resolved",
          "",
          [](const Observation& o) -> Value {
            const auto low = smallest(*o.spectrum);
            return low ? finite(low->log10()) : std::nullopt;
          }};
}

Metric metric_log10_condition() {
  return {"log10_condition",
          {},
          "decades",
          "log10(sigma_max / sigma_min); null when sigma_min is zero or not resolved",
          "",
          [](const Observation& o) -> Value {
            const ScaledReal* top = largest(*o.spectrum);
            const auto low = smallest(*o.spectrum);
            if (!top || !low || low->is_zero()) return std::nullopt;
            const Real decades = static_cast<Real>(top->exponent - low->exponent) * std::log10(Real{2});
            return decades + std::log10(top->mantissa / low->mantissa);
          }};
}

Metric metric_bulk_sigma_max() {
  return {"bulk_sigma_max",
          {},
          "1",
          "sigma_2: the largest singular value without the top one; null below the method's resolution",
          "",
          [](const Observation& o) -> Value {
            const ScaledReal* next = second(*o.spectrum);
            return next ? next->to_real() : std::nullopt;
          }};
}

Metric metric_outlier_ratio() {
  return {"outlier_ratio", {}, "1", "sigma_1 / sigma_2", "", [](const Observation& o) -> Value {
            const ScaledReal* next = second(*o.spectrum);
            return next && !next->is_zero() ? finite(1 / relative(*next, o.spectrum->sigma[0]))
                                            : std::nullopt;
          }};
}

Metric metric_ones_overlap() {
  return {"ones_overlap",
          {},
          "1",
          "|<u_1, 1/sqrt(n)>|, u_1 the top left singular vector, n the number of rows; null unless sigma_2 < "
          "0.999 sigma_1 and u_1 was found",
          "derived here",
          [](const Observation& o) -> Value { return o.ones_overlap; }};
}

}  // namespace rezero
