/// Axes of names with swept parameters.
#include "rezero/analysis/axis.h"

#include <gtest/gtest.h>

#include "rezero/analysis/cell.h"

namespace rezero {
namespace {

AxisEntry<Initializer> grid() {
  return {parse_named_spec("gaussian:sigma_w=0.5:sigma_b=0"),
          {{"sigma_w", {0.5, 1, 1.5}, "0.5:1.5:0.5"}, {"sigma_b", {0, 0.2}, "0,0.2"}}};
}

template <class T>
std::vector<std::string> texts(const Axis<T>& axis) {
  std::vector<std::string> all;
  for (const T& value : axis) all.push_back(value.canonical());
  return all;
}

TEST(Axis, TheLastParameterVariesFastest) {
  Axis<Initializer> axis;
  axis.emplace_back("he");
  axis.add(grid());
  axis.emplace_back("orthogonal");
  EXPECT_EQ(texts(axis),
            (std::vector<std::string>{"he", "gaussian:sigma_w=0.5", "gaussian:sigma_w=0.5:sigma_b=0.2",
                                      "gaussian", "gaussian:sigma_b=0.2", "gaussian:sigma_w=1.5",
                                      "gaussian:sigma_w=1.5:sigma_b=0.2", "orthogonal"}));
  ASSERT_EQ(axis.size(), 8u);
  for (std::size_t i = 0; i < axis.size(); ++i) EXPECT_EQ(axis[i].canonical(), texts(axis)[i]);
  EXPECT_EQ(axis.entries()[1].canonical(), "gaussian:sigma_w=0.5:1.5:0.5:sigma_b=0,0.2");
  EXPECT_EQ(axis.front().canonical(), "he");
}

/// Labels, parameters and draws: nothing tells a point of a grid from the same value written alone.
TEST(Axis, APointIsTheValueWrittenAlone) {
  const WeightContext context{4, 3};
  const StreamKey key = StreamKey{};
  for (std::size_t i = 0; i < grid().size(); ++i) {
    const Initializer point = grid()[i], alone(point.canonical());
    ASSERT_EQ(point.params().values().size(), alone.params().values().size());
    for (std::size_t p = 0; p < point.params().values().size(); ++p) {
      const ParamValue &a = point.params().values()[p], &b = alone.params().values()[p];
      EXPECT_EQ(a.text, b.text);
      EXPECT_EQ(a.number, b.number);
      EXPECT_EQ(a.is_default, b.is_default);
    }
    EXPECT_EQ(point.weight(context, key), alone.weight(context, key));
    EXPECT_EQ(point.bias(context, key), alone.bias(context, key));
  }
  const AxisEntry<Activation> slopes{parse_named_spec("leaky_relu:slope=0.5"),
                                     {{"slope", {0.5, -1}, "0.5,-1"}}};
  EXPECT_EQ(slopes[1].value(Vector::Constant(1, -2.0))[0], 2) << "not only the label";
}

TEST(Axis, OnlyTheKeptPoints) {
  Axis<Initializer> axis;
  AxisEntry<Initializer> entry = grid();
  entry.keep({1, 4});
  axis.add(entry);
  axis.emplace_back("he");
  EXPECT_EQ(texts(axis),
            (std::vector<std::string>{"gaussian:sigma_w=0.5:sigma_b=0.2", "gaussian:sigma_w=1.5", "he"}));
}

/// A series is read from its file once, and belongs to all points.
TEST(Axis, PointsShareASeries) {
  AxisEntry<SchemeSpec> entry{parse_named_spec("depth-power:c=1:p=0"),
                              {{"c", {1, 2}, "1,2"}, {"p", {0, 0.5}, "0,0.5"}}};
  entry.base().params().values()[0].series = {1, 2, 3};
  for (std::size_t i = 0; i < entry.size(); ++i)
    EXPECT_EQ(entry[i].params().values()[0].series, (std::vector<Real>{1, 2, 3}));
}

/// Schemes in one pass and with one stack per depth, several of each, in one plan.
TEST(Axis, CellsOfGridsAreThoseOfTheNestedLoops) {
  SweepPlan plan;
  plan.schemes.add({parse_named_spec("fixed:alpha=0.5"), {{"alpha", {0.5, 1}, "0.5,1"}}});
  plan.schemes.emplace_back("residual");
  plan.schemes.add({parse_named_spec("depth-power:p=0"), {{"p", {0, 0.5, 1}, "0,0.5,1"}}});
  plan.schemes.emplace_back("plain");
  plan.family = &families().at("mlp");
  plan.depths = {1, 2}, plan.widths = {4, 6}, plan.seeds = {7, 3};
  plan.activations.emplace_back("relu");
  plan.activations.add({parse_named_spec("leaky_relu:slope=0.1"), {{"slope", {0.1, 0.2}, "0.1,0.2"}}});
  plan.initializers.add(grid());
  const CellList cells = expand_cells(plan);
  std::size_t i = 0, rows = 0, kinds = 0;
  std::vector<std::size_t> first;
  for (const SchemeSpec& scheme : plan.schemes)
    for (const Index width : plan.widths)
      for (const Activation& activation : plan.activations)
        for (const Initializer& initializer : plan.initializers) {
          const std::size_t stacks = scheme.depends_on_depth() ? 2 : 1;
          for (std::size_t d = 0; d < stacks; ++d) first.push_back(i + d);
          for (const std::uint64_t seed : plan.seeds)
            for (std::size_t d = 0; d < stacks; ++d, ++i) {
              const Cell cell = cells[i];
              ASSERT_EQ(cell.index, i);
              ASSERT_EQ(cell.labels.scheme->canonical(), scheme.canonical()) << i;
              ASSERT_EQ(cell.labels.width, width);
              ASSERT_EQ(cell.labels.activation, activation.canonical());
              ASSERT_EQ(cell.labels.init, initializer.canonical());
              ASSERT_EQ(cell.labels.seed, seed);
              rows += cell.depths.size();
            }
          kinds += stacks;
        }
  EXPECT_EQ(cells.size(), i);
  EXPECT_EQ(cells.rows(), rows);
  EXPECT_EQ(cells.kinds(), kinds);
  std::vector<std::size_t> found;
  cells.for_each_kind([&](const CellKind& kind) {
    const Cell cell = cells[kind.first_cell];
    ASSERT_EQ(kind.spec->scheme.canonical(), cell.labels.scheme->canonical());
    ASSERT_EQ(kind.spec->activation.canonical(), cell.labels.activation);
    ASSERT_EQ(kind.spec->initializer.canonical(), cell.labels.init);
    ASSERT_EQ(kind.depths, cell.depths);
    found.push_back(kind.first_cell);
  });
  EXPECT_EQ(found, first);
}

}  // namespace
}  // namespace rezero
