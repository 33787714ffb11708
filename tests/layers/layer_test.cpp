/// Every law holds for every layer.

#include "rezero/layers/layer.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <functional>

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

/// The derivative is taken at the given point; it is not the same everywhere.
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

/// sin x with a possibly wrong slope, value or claim, which the laws must detect.
class Liar final : public Layer {
 public:
  enum class Lie { none, slope, value, homogeneous };
  explicit Liar(Lie lie) : lie_(lie) {}
  Shape input_shape() const override { return {4, 1}; }
  Shape output_shape() const override { return {4, 1}; }
  bool positively_homogeneous() const override { return lie_ == Lie::homogeneous; }

 private:
  Vector do_evaluate(const Vector& x) const override { return x.array().sin(); }
  Linearization do_linearize(const Vector& x) const override {
    const Real slope = lie_ == Lie::slope ? 1 + 1e-8 : 1, value = lie_ == Lie::value ? 1 + 1e-12 : 1;
    return {value * do_evaluate(x), diagonal_map(slope * x.array().cos())};
  }
  Lie lie_;
};

int failures(const std::function<void()>& law) {
  using ::testing::ScopedFakeTestPartResultReporter;
  ::testing::TestPartResultArray results;
  const ScopedFakeTestPartResultReporter reporter(
      ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
  law();
  return results.size();
}

TEST(LawLayers, NoticeWhatIsWrong) {
  const Vector x = testing::normal(4, 9);
  using Lie = Liar::Lie;
  EXPECT_EQ(failures([&] { testing::expect_layer_laws(Liar(Lie::none), x); }), 0);
  for (Lie lie : {Lie::slope, Lie::value, Lie::homogeneous}) {
    EXPECT_GT(failures([&] { testing::expect_layer_laws(Liar(lie), x); }), 0) << static_cast<int>(lie);
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
