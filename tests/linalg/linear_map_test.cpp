#include "rezero/linalg/linear_map.h"

#include <gtest/gtest.h>

#include "rezero/core/error.h"
#include "rezero/layers/norm.h"
#include "rezero/linalg/maps.h"
#include "support/layer_laws.h"

namespace rezero {
namespace {

using testing::normal;
using testing::same_bytes;
using testing::share;

/// A map that implements only the required functions.
class Shift final : public LinearMap {
 public:
  explicit Shift(Index size) : size_(size) {}
  Index rows() const override { return size_ + 1; }
  Index cols() const override { return size_; }
  Real flops_per_column() const override { return 0; }

 private:
  void do_apply(ConstColumns v, Columns out) const override {
    out.row(0).setZero();
    out.bottomRows(size_) = v;
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override { out = u.bottomRows(size_); }
  Index size_;
};

TEST(LinearMap, DefaultDenseFormInPanels) {
  for (Index n : {1, 255, 256, 257, 600}) {
    Matrix wanted = Matrix::Zero(n + 1, n);
    wanted.bottomRows(n).setIdentity();
    EXPECT_EQ(to_dense(Shift(n)), wanted) << n;
  }
}

TEST(LinearMap, ShapeErrorNamesTheSizes) {
  Matrix out(4, 2);
  try {
    Shift(3).apply(normal(5, 2, 1), out);
    FAIL();
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(), "apply: a 4 × 3 map cannot take 5 × 2 to 4 × 2");
  }
}

LinearMapPtr mlp_map(Index width, Index hidden) {
  return product_map({dense_map(share(normal(hidden, width, 1))), diagonal_map(normal(hidden, 2)),
                      dense_map(share(normal(width, hidden, 3)))});
}

/// M = W₂ D W₁ costs 2 d² h + d h to make and 2 d² a column, against 4 d h + h a column.
TEST(Condense, FormsTheProductExactlyWhenTheBranchIsWider) {
  const Index d = 12;
  for (Index hidden : {1, 6, 11, 12, 13, 24, 48}) {
    const LinearMapPtr map = mlp_map(d, hidden);
    const bool formed = condense(map, d)->flops_per_column() == 2.0 * d * d;
    EXPECT_EQ(formed, hidden > d) << hidden;
    EXPECT_LT(condense(map, 1)->flops_per_column(), map->flops_per_column() + 1) << "never dearer";
    EXPECT_NE(condense(map, 1)->flops_per_column(), 2.0 * d * d) << "one column is not worth it";
  }
}

TEST(Condense, EqualMap) {
  for (Index hidden : {6, 12, 48}) {
    const LinearMapPtr map = mlp_map(12, hidden);
    EXPECT_LE(testing::relative_distance(to_dense(*condense(map, 12)), to_dense(*map)), 1e-14);
    testing::expect_linear_map_laws(*condense(map, 12));
  }
}

/// Over positions the blocks are formed, including the norm: 2 d² per position and column against 2·2 d h + h
/// + 8 d.
TEST(Condense, FormsOneMatrixAPositionWithTheNormFoldedIn) {
  const Index d = 8, T = 3;
  const LinearMapPtr norm = NormSpec::of("layer_norm").layer({d, T})->linearize(normal(d * T, 7)).derivative;
  for (Index hidden : {8, 32}) {
    const LinearMapPtr branch = product_map({norm, positionwise_map(share(normal(hidden, d, 1)), T),
                                             diagonal_map(normal(hidden * T, 2), T),
                                             positionwise_map(share(normal(d, hidden, 3)), T)});
    const LinearMapPtr formed = condense(branch, 10 * d * T);
    EXPECT_EQ(formed->flops_per_column(), 2.0 * d * d * T) << hidden;
    EXPECT_EQ(formed->local_positions(), T);
    EXPECT_LE(testing::relative_distance(to_dense(*formed), to_dense(*branch)), 1e-13);
    const LinearMapPtr block = residual_map(Vector::Ones(1), Vector::Constant(1, 0.3), branch);
    const LinearMapPtr post = product_map({block, norm});
    EXPECT_EQ(condense(block, 10 * d * T)->flops_per_column(), 2.0 * d * d * T + 3.0 * d * T);
    EXPECT_LE(testing::relative_distance(to_dense(*condense(post, 10 * d * T)), to_dense(*post)), 1e-13);
  }
}

/// The residual form λ I + α B is kept: with α = 0 a condensed block leaves vectors unchanged.
TEST(Condense, KeepsTheSkip) {
  const Matrix v = normal(12, 100, 5);
  const LinearMapPtr block = residual_map(Vector::Ones(1), Vector::Zero(1), mlp_map(12, 48));
  const LinearMapPtr condensed = condense(block, 100);
  EXPECT_LT(condensed->flops_per_column(), block->flops_per_column());
  EXPECT_EQ(testing::applied(*condensed, v), v);
  EXPECT_EQ(testing::applied_transpose(*condensed, v), v);
  const LinearMapPtr with_tail = product_map({block, diagonal_map(Vector::Ones(12))});
  EXPECT_LT(condense(with_tail, 100)->flops_per_column(), with_tail->flops_per_column());
  EXPECT_EQ(testing::applied(*condense(with_tail, 100), v), v);
}

TEST(Condense, LooksIntoSums) {
  const LinearMapPtr sum = sum_map(mlp_map(12, 48), mlp_map(12, 48));
  EXPECT_LT(condense(sum, 12)->flops_per_column(), sum->flops_per_column());
  EXPECT_LE(testing::relative_distance(to_dense(*condense(sum, 12)), to_dense(*sum)), 1e-14);
}

/// The decision is made once for all columns: panels of any width see the same map.
TEST(Condense, PanelsGiveTheSameBytes) {
  const LinearMapPtr condensed = condense(mlp_map(40, 80), 128);
  const Matrix v = normal(40, 128, 6), whole = testing::applied(*condensed, v);
  for (Index width : {32, 64, 96}) {
    Matrix parts(40, 128);
    for (Index at = 0; at < 128; at += width) {
      const Index w = std::min(width, 128 - at);
      condensed->apply(v.middleCols(at, w), parts.middleCols(at, w));
    }
    EXPECT_TRUE(same_bytes(parts, whole)) << width;
  }
}

}  // namespace
}  // namespace rezero
