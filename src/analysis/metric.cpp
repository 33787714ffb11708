#include "rezero/analysis/metric.h"

namespace rezero {

#define REZERO_ENTRY(name) Metric metric_##name();
#include "metrics/metrics.def"

const Registry<Metric>& metrics() {
  static const Registry<Metric> registry("metric", {
#define REZERO_ENTRY(name) metric_##name(),
#include "metrics/metrics.def"
                                                   });
  return registry;
}

}  // namespace rezero
