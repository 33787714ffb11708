#include "rezero/spectrum/jacobian_view.h"

#include <gtest/gtest.h>

#include "rezero/core/error.h"
#include "rezero/linalg/maps.h"
#include "spectrum/matrices.h"

namespace rezero {
namespace {

using testing::random_matrix;

TEST(JacobianView, FormsOfAMatrix) {
  const ScaledMatrix J = testing::scaled(random_matrix(5, 3, 1), 900);
  const JacobianView view = view_of(J);
  EXPECT_EQ(view.rows(), 5);
  EXPECT_EQ(view.cols(), 3);
  EXPECT_TRUE(view.has(JacobianForm::dense) && view.has(JacobianForm::map));
  EXPECT_FALSE(view.has(JacobianForm::factors));
  const ScaledMap map = view.as_map();
  EXPECT_EQ(map.exponent, J.exponent);
  EXPECT_EQ(to_dense(*map.map), J.mantissa);
}

TEST(JacobianView, FormsOfAMapAndOfFactors) {
  JacobianView view;
  EXPECT_EQ(view.rows(), 0);
  view.map = {dense_map(std::make_shared<const Matrix>(random_matrix(4, 6, 2))), 3};
  EXPECT_EQ(view.rows(), 4);
  EXPECT_EQ(view.cols(), 6);
  EXPECT_FALSE(view.has(JacobianForm::dense));
  EXPECT_TRUE(view.has(JacobianForm::map));

  JacobianView product;
  product.factors = {2, [](Index i) {
                       const Matrix F = i == 0 ? random_matrix(4, 6, 2) : random_matrix(5, 4, 3);
                       return ScaledMap{dense_map(std::make_shared<const Matrix>(F)), 0};
                     }};
  EXPECT_EQ(product.rows(), 5);
  EXPECT_EQ(product.cols(), 6);
  EXPECT_TRUE(product.has(JacobianForm::factors));
  EXPECT_FALSE(product.has(JacobianForm::map));
}

TEST(JacobianView, AMethodRefusesAFormItDoesNotTake) {
  JacobianView view;
  view.map = {identity_map(4), 0};
  SpectrumRequest request;
  request.method = "dense";
  try {
    compute_spectrum(view, request);
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("method 'dense' needs the Jacobian as dense"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace rezero
