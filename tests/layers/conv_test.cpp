#include "rezero/layers/conv.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>

#include "rezero/core/error.h"
#include "rezero/init/initializer.h"
#include "support/layer_laws.h"

namespace rezero {
namespace {

using testing::applied;
using testing::applied_transpose;
using testing::normal;
using testing::share;

Matrix row(std::initializer_list<Real> entries) {
  Matrix W(1, static_cast<Index>(entries.size()));
  std::copy(entries.begin(), entries.end(), W.data());
  return W;
}

void expect_values(const Conv& conv, const Vector& x, const Matrix& wanted) {
  EXPECT_EQ(Matrix(conv.evaluate(x).transpose()), wanted);
  EXPECT_EQ(Matrix(conv.linearize(x).value.transpose()), wanted);
}

/// The numbers 1 … 9 as kernel and as image: integers, so sums are exact.
TEST(Conv, OneChannelByHand) {
  const MatrixPtr W = share(row({1, 2, 3, 4, 5, 6, 7, 8, 9}));
  const Vector x = Vector::LinSpaced(9, 1, 9);
  const ImageSpec image{3, 3};
  expect_values(Conv(W, nullptr, image, {}), x, row({94, 154, 106, 186, 285, 186, 106, 154, 94}));
  expect_values(Conv(W, share(Vector(Vector::Constant(1, 1000))), image, {3, 3, 2}), x,
                row({1094, 1106, 1106, 1094}));
  const Conv torus(W, nullptr, image, {3, 3, 1, Padding::circular});
  const Vector y = torus.evaluate(x);
  EXPECT_EQ(y(0), 9 + 14 + 24 + 12 + 5 + 12 + 42 + 32 + 45) << "rows 9 7 8, 3 1 2, 6 4 5";
  EXPECT_EQ(y(4), 285);
  EXPECT_EQ(y.sum(), 45 * 45) << "every tap meets every pixel once";
}

/// Columns of W are (in, row, column); neither image of a batch sees the other.
TEST(Conv, ChannelsAndImagesByHand) {
  Vector x(8);
  x << 1, 2, 3, 4, 5, 6, 7, 8;
  const Conv conv(share(row({1, 2, 3, 10, 20, 30})), nullptr, {1, 2, 2}, {1, 3});
  EXPECT_EQ(conv.input_shape(), (Shape{2, 4}));
  EXPECT_EQ(conv.output_shape(), (Shape{1, 4}));
  expect_values(conv, x, row({2 + 9 + 40 + 120, 1 + 6 + 20 + 80, 10 + 21 + 120 + 240, 5 + 14 + 60 + 160}));
}

TEST(Conv, OutputSizes) {
  EXPECT_EQ(conv_output({32, 32, 4}, {}), (ImageSpec{32, 32, 4}));
  EXPECT_EQ(conv_output({32, 31}, {3, 3, 2}), (ImageSpec{16, 16}));
  EXPECT_EQ(conv_output({7, 8}, {1, 5, 3}), (ImageSpec{3, 3}));
  EXPECT_EQ((ImageSpec{4, 6, 2}).positions(), 48);
  EXPECT_EQ(to_string(Padding::circular), "circular");
}

TEST(Conv, ShapesMustFit) {
  const auto make = [](Index cols, Index bias, ImageSpec image, ConvSpec spec) {
    Conv(share(Matrix(2, cols)), share(Vector(bias)), image, spec);
  };
  EXPECT_NO_THROW(make(27, 2, {4, 4}, {}));
  EXPECT_THROW(make(26, 2, {4, 4}, {}), ShapeError);
  EXPECT_THROW(make(0, 2, {4, 4}, {}), ShapeError);
  EXPECT_THROW(make(27, 3, {4, 4}, {}), ShapeError);
  EXPECT_THROW(make(24, 2, {4, 4}, {2, 3}), ShapeError);
  EXPECT_THROW(make(24, 2, {4, 4}, {3, 4}), ShapeError);
  EXPECT_THROW(make(27, 2, {4, 4}, {3, 3, 0}), ShapeError);
  EXPECT_THROW(make(27, 2, {0, 4}, {}), ShapeError);
  EXPECT_THROW(make(27, 2, {4, 4, 0}, {}), ShapeError);
  EXPECT_NO_THROW(make(27, 2, {4, 6}, {3, 3, 2, Padding::circular}));
  EXPECT_THROW(make(27, 2, {4, 5}, {3, 3, 2, Padding::circular}), ShapeError);
}

/// A 1 × 1 kernel with stride ignores most inputs.
TEST(LawConv, SubsamplingIsALinearMap) {
  for (Index channels : {1, 3, 9}) {
    const Conv conv(share(normal(4, channels, 1)), nullptr, {4, 5, 2}, {1, 1, 2});
    const LinearMapPtr map = conv.linearize(Vector::Zero(40 * channels)).derivative;
    testing::expect_linear_map_laws(*map);
    testing::expect_derivative_law(conv, normal(40 * channels, 2));
    EXPECT_EQ(map->flops_per_column(), 2 * 4 * channels * 12);
  }
}

/// The bytes of a column depend neither on other columns nor on its address; the same holds for J and any
/// split into panels.
TEST(LawConv, BytesOfAColumnDependOnNothingElse) {
  for (Index channels : {3, 8, 13})
    for (Padding padding : {Padding::zero, Padding::circular})
      for (Index stride : {1, 2}) {
        const Conv conv(share(normal(11, 9 * channels, 3)), nullptr, {4, 6, 2}, {3, 3, stride, padding});
        const LinearMapPtr map = conv.linearize(Vector::Zero(conv.input_shape().size())).derivative;
        const Matrix v = normal(map->cols(), 61, 4), u = normal(map->rows(), 61, 5);
        const Matrix whole = applied(*map, v), back = applied_transpose(*map, u);
        for (const std::vector<Index>& starts : {std::vector<Index>{0, 16, 40, 61},
                                                 {0, 24, 61},
                                                 {0, 8, 32, 61},
                                                 {0, 3, 4, 9, 61},
                                                 {0, 1, 2, 61}})
          for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
            const Index width = starts[i + 1] - starts[i];
            EXPECT_TRUE(testing::same_bytes(applied(*map, v.middleCols(starts[i], width)),
                                            whole.middleCols(starts[i], width)));
            EXPECT_TRUE(testing::same_bytes(applied_transpose(*map, u.middleCols(starts[i], width)),
                                            back.middleCols(starts[i], width)));
          }
      }
}

/// Taps beyond a border of zeros cost nothing; those of a torus do.
TEST(Conv, FlopsAreThoseOfTheTapsThatExist) {
  const auto flops = [](ImageSpec image, ConvSpec spec) {
    const Conv conv(share(normal(2, 3 * spec.taps(), 6)), nullptr, image, spec);
    return conv.linearize(Vector::Zero(conv.input_shape().size())).derivative->flops_per_column();
  };
  EXPECT_EQ(flops({4, 5, 2}, {}), 2 * 2 * 3 * 2 * (3 * 4 - 2) * (3 * 5 - 2));
  EXPECT_EQ(flops({4, 5, 2}, {3, 3, 1, Padding::circular}), 2 * 2 * 3 * 9 * 40);
  EXPECT_EQ(flops({4, 5}, {1, 1}), 2 * 2 * 3 * 20);
  EXPECT_EQ(flops({1, 1}, {5, 5}), 2 * 2 * 3);
}

Matrix gram(const Conv& conv) {
  const Matrix J = to_dense(*conv.linearize(Vector::Zero(conv.input_shape().size())).derivative);
  return J.transpose() * J;
}

/// An orthogonal matrix at one tap moves every pixel and turns it: on a torus an orthogonal map. Zeros lose
/// what leaves the image, unless the tap is the centre.
TEST(ReferenceConv, OrthogonalTapsAreOrthogonalMaps) {
  const Initializer delta(parse_named_spec("delta-orthogonal"));
  for (Index out : {5, 8}) {
    const Matrix W = delta.weight({out, 5, 1, WeightPlace::feed_forward, 9}, {1, 2, 3});
    Matrix moved(out, 45);
    for (Index c = 0; c < 5; ++c)
      for (Index t = 0; t < 9; ++t) moved.col(9 * c + t) = W.col(9 * c + (t + 3) % 9);  // to row −1
    const ImageSpec image{4, 3, 2};
    const Matrix I = Matrix::Identity(5 * 24, 5 * 24);
    const ConvSpec torus{3, 3, 1, Padding::circular};
    EXPECT_LE((gram(Conv(share(W), nullptr, image, torus)) - I).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_LE((gram(Conv(share(W), nullptr, image, {})) - I).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_LE((gram(Conv(share(moved), nullptr, image, torus)) - I).cwiseAbs().maxCoeff(), 1e-14);
    const Vector kept = gram(Conv(share(moved), nullptr, image, {})).diagonal();
    EXPECT_NEAR(kept.sum(), 5 * (24 - 6), 1e-13) << "the last row of each image has nowhere to go";
  }
}

/// schemes.md 3.4. Weights of variance 1/(9C) with all squares at their expectation: ‖J‖_F²/n = a(H) a(W),
/// a(n) = (3n − 2)/(3n), the share of taps that exist.
TEST(ReferenceConv, ZeroPaddingLowersTheGain) {
  const auto a = [](Index n) { return static_cast<Real>(3 * n - 2) / static_cast<Real>(3 * n); };
  for (const ImageSpec& image : {ImageSpec{8, 8}, {4, 7, 2}, {1, 5}}) {
    const Index C = 4;
    const MatrixPtr W = share(Matrix(Matrix::Constant(C, 9 * C, 1 / std::sqrt(9.0 * C))));
    const Conv conv(W, nullptr, image, {});
    const Matrix J = to_dense(*conv.linearize(Vector::Zero(conv.input_shape().size())).derivative);
    EXPECT_NEAR(J.squaredNorm() / static_cast<Real>(J.cols()), a(image.height) * a(image.width), 1e-13);
  }
}

/// Two convolutions in a row: b(H) b(W), b(n) = (9n − 10)/(9n): paths of two taps; a² would be less.
TEST(ReferenceConv, TwoConvolutionsKeepMoreThanEachAlone) {
  const auto b = [](Index n) { return static_cast<Real>(9 * n - 10) / static_cast<Real>(9 * n); };
  const ImageSpec image{4, 5};
  const Real wanted = b(4) * b(5);
  const Conv paths(share(Matrix(Matrix::Ones(1, 9))), nullptr, image, {});
  EXPECT_NEAR(paths.evaluate(paths.evaluate(Vector::Ones(20))).sum() / (81 * 20), wanted, 1e-15);

  const Index C = 2, draws = 300;
  Vector gain(draws);
  for (Index i = 0; i < draws; ++i) {
    const auto id = static_cast<std::uint32_t>(2 * i);
    const auto J = [&](std::uint32_t of) {
      const Conv conv(share(Matrix(normal(C, 9 * C, 100 + of) / std::sqrt(9.0 * C))), nullptr, image, {});
      return to_dense(*conv.linearize(Vector::Zero(20 * C)).derivative);
    };
    gain(i) = (J(id + 1) * J(id)).squaredNorm() / static_cast<Real>(20 * C);
  }
  const Real n = static_cast<Real>(draws);
  const Real error = std::sqrt((gain.array() - gain.mean()).square().sum() / (n - 1) / n);
  EXPECT_LE(error, 0.04) << "the test has no teeth";
  EXPECT_NEAR(gain.mean(), wanted, 4 * error);
}

}  // namespace
}  // namespace rezero
