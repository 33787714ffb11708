/// Every layer is held to every law.

#include "rezero/layers/layer.h"

#include <gtest/gtest.h>

#include "support/layer_cases.h"
#include "support/layer_laws.h"

namespace rezero {
namespace {

TEST(LawLayers, EveryCase) {
  for (const testing::LayerCase& c : testing::layer_cases()) {
    SCOPED_TRACE(c.name);
    testing::expect_layer_laws(*c.layer, c.point);
  }
}

/// The derivative is the one at the point given, not one that is the same everywhere.
TEST(LawLayers, LinearizationKeepsItsPoint) {
  for (const testing::LayerCase& c : testing::layer_cases()) {
    SCOPED_TRACE(c.name);
    const Linearization first = c.layer->linearize(c.point);
    const Matrix before = to_dense(*first.derivative);
    c.layer->linearize(-2 * c.point);
    EXPECT_TRUE(testing::same_bytes(before, to_dense(*first.derivative)));
  }
}

/// condense gives an equal map for any number of columns.
TEST(LawLayers, CondensedDerivativesAreEqual) {
  for (const testing::LayerCase& c : testing::layer_cases()) {
    SCOPED_TRACE(c.name);
    const LinearMapPtr map = c.layer->linearize(c.point).derivative;
    for (Index columns : {1, 5, 1000}) {
      const LinearMapPtr condensed = condense(map, columns);
      EXPECT_LE(testing::relative_distance(to_dense(*condensed), to_dense(*map)), 1e-14);
      testing::expect_linear_map_laws(*condensed);
      EXPECT_LE(condensed->flops_per_column() * static_cast<Real>(columns),
                map->flops_per_column() * static_cast<Real>(columns));
    }
  }
}

TEST(Layer, ShapeErrorNamesBothSizes) {
  const testing::LayerCase& c = testing::layer_cases().front();
  try {
    c.layer->evaluate(Vector::Zero(99));
    FAIL();
  } catch (const ShapeError& error) {
    EXPECT_NE(std::string(error.what()).find("99"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("6"), std::string::npos);
  }
}

}  // namespace
}  // namespace rezero
