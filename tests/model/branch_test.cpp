#include "rezero/model/branch.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/layer_cases.h"
#include "support/layer_laws.h"

namespace rezero {
namespace {

using testing::Biases;

Vector value(const Branch& branch, const Vector& x) {
  Vector y = x;
  for (const LayerPtr& stage : branch.stages) y = stage->evaluate(y);
  return y;
}

/// Every kind computes its formula, with biases, at each position separately.
TEST(Branches, Formulas) {
  for (const BranchKind& kind : branches()) {
    if (kind.is_conv)
      continue;  // its formula takes neighbours in: tests/layers/conv_test.cpp, conv_net_test.cpp
    const BlockParts parts =
        testing::random_parts({kind.name.data(), "tanh", {4, 2}, 6, Biases::present, 50});
    const Vector x = testing::normal(8, 60);
    const Vector got = value(
        kind.build({parts.activation, parts.weights, 2, parts.attention, parts.inner_norm, parts.conv}), x);
    for (Index t = 0; t < 2; ++t) {
      const Vector at = x.segment(4 * t, 4);
      const auto affine = [&](Role role, const Vector& v) {
        return Vector(*parts.weights.at(role).weight * v + *parts.weights.at(role).bias);
      };
      const auto phi = [](const Vector& v) { return Vector(v.array().tanh()); };
      Vector wanted;
      if (kind.name == "linear") wanted = affine(Role::linear, at);
      if (kind.name == "dense") wanted = phi(affine(Role::linear, at));
      if (kind.name == "preactivation") wanted = affine(Role::linear, phi(at));
      if (kind.name == "mlp") wanted = affine(Role::down, phi(affine(Role::up, at)));
      if (kind.name == "glu")
        wanted = affine(Role::down, phi(affine(Role::gate, at)).cwiseProduct(affine(Role::up, at)));
      if (kind.name == "attention") {  // two keys: the softmax is a logistic function
        const auto score = [&](Index s) {
          return affine(Role::query, at).dot(affine(Role::key, Vector(x.segment(4 * s, 4)))) / 2;
        };
        const Real second = 1 / (1 + std::exp(score(0) - score(1)));
        wanted = affine(Role::output, (1 - second) * affine(Role::value, x.head(4)) +
                                          second * affine(Role::value, x.tail(4)));
      }
      ASSERT_EQ(wanted.size(), 4) << "no formula for " << kind.name;
      EXPECT_LE(testing::relative_distance(got.segment(4 * t, 4), wanted), testing::rounding(6)) << kind.name;
    }
  }
}

TEST(Branches, SlotsEndWithTheLastMatrix) {
  for (const BranchKind& kind : branches()) {
    const BlockParts parts = testing::random_parts({kind.name.data(), "relu", {4, 1}, 6});
    const Branch branch =
        kind.build({parts.activation, parts.weights, 1, parts.attention, parts.inner_norm, parts.conv});
    const WeightSlot slot = kind.slots(testing::sizes_of(parts)).back();
    EXPECT_EQ(branch.stages[branch.last]->input_shape().features, slot.inputs) << kind.name;
    EXPECT_EQ(branch.stages[branch.last]->output_shape().features, slot.outputs) << kind.name;
  }
}

/// F(c x) = c^degree F(x) without biases for an activation of degree 1.
TEST(LawBranches, Degree) {
  for (const BranchKind& kind : branches()) {
    const BlockParts parts = testing::random_parts({kind.name.data(), "relu", {4, 1}, 6});
    const Branch branch =
        kind.build({parts.activation, parts.weights, 1, parts.attention, parts.inner_norm, parts.conv});
    if (kind.degree == 0) continue;  // the layer laws test that it is not homogeneous
    const Vector x = testing::normal(4, 61);
    EXPECT_LE(testing::relative_distance(value(branch, 3 * x), std::pow(3.0, kind.degree) * value(branch, x)),
              testing::rounding(6))
        << kind.name;
  }
}

/// Numbers of roles are part of the address of draws: they never change.
TEST(Roles, NumbersAndNames) {
  EXPECT_EQ(static_cast<int>(Role::linear), 0);
  EXPECT_EQ(static_cast<int>(Role::up), 1);
  EXPECT_EQ(static_cast<int>(Role::down), 2);
  EXPECT_EQ(static_cast<int>(Role::gate), 3);
  EXPECT_EQ(role_name(Role::linear), "linear");
  EXPECT_EQ(role_name(Role::gate), "gate");
}

}  // namespace
}  // namespace rezero
