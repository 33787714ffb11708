/// max_isometry_error was missing for a spectrum too small for doubles, although it is 1; isometry_fraction
/// counted values that are noise relative to a huge largest one.

#include <gtest/gtest.h>

#include "rezero/analysis/metric.h"

namespace rezero {
namespace {

std::optional<Real> metric(const char* name, const Spectrum& spectrum) {
  Observation seen;
  seen.spectrum = &spectrum;
  seen.rows = seen.cols = spectrum.dimension;
  return metrics().at(name).compute(seen);
}

TEST(Regression, IsometryMetricsAtTheEnds) {
  Spectrum tiny;
  tiny.sigma = {{0.5, -3000}, {0.5, -3001}};
  tiny.sigma_max = tiny.sigma[0], tiny.dimension = 2;
  EXPECT_EQ(metric("max_isometry_error", tiny), std::optional<Real>(1));
  Spectrum noisy;
  noisy.sigma = {ScaledReal::make(1e20), ScaledReal::make(1.0)};
  noisy.sigma_max = noisy.sigma[0], noisy.dimension = 2, noisy.accuracy.relative_resolution = 1e-14;
  EXPECT_FALSE(metric("isometry_fraction", noisy));
}

}  // namespace
}  // namespace rezero
