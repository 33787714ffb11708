#include "rezero/analysis/metric.h"

namespace rezero {

#define REZERO_METRIC(name) Metric metric_##name();
#include "metrics/metrics.def"
#undef REZERO_METRIC

const Registry<Metric>& metrics() {
  static const Registry<Metric> registry("metric", {
#define REZERO_METRIC(name) metric_##name(),
#include "metrics/metrics.def"
#undef REZERO_METRIC
                                                   });
  return registry;
}

}  // namespace rezero
