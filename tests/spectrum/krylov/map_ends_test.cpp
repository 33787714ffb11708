/// The ends of a spectrum from products alone: right or refused, never wrong.

#include "spectrum/krylov/map_ends.h"

#include <gtest/gtest.h>

#include "rezero/linalg/maps.h"
#include "rezero/spectrum/method.h"
#include "spectrum/matrices.h"

namespace rezero {
namespace {

using testing::random_matrix;
using testing::values;
using testing::with_values;

SpectrumRequest request_for(Index top, Index bottom) {
  SpectrumRequest request;
  request.top = top, request.bottom = bottom, request.method = "spectra";
  request.start = stream_key(7, StreamRole::start_vector);
  return request;
}

/// compute_spectrum for a view that only has the map.
Spectrum ends_of(LinearMapPtr map, Index top, Index bottom, std::int64_t exponent = 0) {
  JacobianView view;
  view.map = {std::move(map), exponent};
  return compute_spectrum(view, request_for(top, bottom));
}

Spectrum ends_of(const Matrix& A, Index top, Index bottom) {
  return ends_of(dense_map(std::make_shared<const Matrix>(A)), top, bottom);
}

/// The wanted ends of the true values to within the claim, each with residuals.
void expect_right(const Spectrum& s, const Vector& truth, Index top, Index bottom) {
  ASSERT_EQ(s.status, SpectrumStatus::converged) << s.message;
  EXPECT_TRUE(s.accuracy.certified);
  EXPECT_EQ(s.provenance.method, "spectra");
  EXPECT_EQ(s.leading, top);
  Vector wanted(top + bottom);
  wanted << truth.head(top), truth.tail(bottom);
  ASSERT_EQ(static_cast<Index>(s.sigma.size()), wanted.size());
  EXPECT_LE(s.accuracy.relative_resolution, 1e-10);
  EXPECT_LE((values(s) - wanted).cwiseAbs().maxCoeff(), s.accuracy.relative_resolution * truth[0]);
  ASSERT_EQ(s.accuracy.right_residuals.size(), s.sigma.size());
  ASSERT_EQ(s.accuracy.left_residuals.size(), s.sigma.size());
  for (std::size_t i = 0; i < s.sigma.size(); ++i) {
    EXPECT_LE(s.accuracy.right_residuals[i], s.accuracy.relative_resolution);
    EXPECT_LE(s.accuracy.left_residuals[i], s.accuracy.relative_resolution);
  }
}

struct Trap {
  std::string name;
  Matrix A;
};

/// Difficult cases for iterative solvers: repeated values, low rank, invariant subspaces, all-equal entries.
std::vector<Trap> traps(Index n) {
  Vector mask = Vector::Ones(n), two = Vector::Ones(n), copies = Vector::LinSpaced(n, 2, 1);
  mask.tail(n / 2 + 6).setZero();
  two.head(3).setConstant(3);
  for (Index i = 0; i + 1 < n; i += 2) copies[i + 1] = copies[i];
  Matrix shear = Matrix::Identity(n, n);
  shear(0, 1) = 0.5;
  return {{"identity", Matrix::Identity(n, n)},
          {"projector", with_values(mask, 1)},
          {"mask", Matrix(mask.asDiagonal())},
          {"rank one", random_matrix(n, 1, 2) * random_matrix(1, n, 3)},
          {"rank two", random_matrix(n, 2, 2) * random_matrix(2, n, 3)},
          {"orthogonal", testing::orthogonal(n, n, 4)},
          {"three of 3", with_values(two, 5)},
          {"every value twice", with_values(copies, 6)},
          {"all equal", Matrix::Constant(n, n, 0.3)},
          {"shear", shear}};
}

TEST(LawMapEnds, TrapsAreRight) {
  for (Index n : {40, 300})
    for (const Trap& trap : traps(n)) {
      const Vector truth = testing::values(testing::spectrum_of(trap.A));
      for (const auto& [top, bottom] :
           {std::pair<Index, Index>{1, 0}, {3, 0}, {7, 0}, {0, 3}, {5, 5}, {20, 0}}) {
        SCOPED_TRACE(trap.name + ", n = " + std::to_string(n) + ", " + std::to_string(top) + " + " +
                     std::to_string(bottom));
        const Spectrum s = ends_of(trap.A, top, bottom);
        // The dense truth is itself good to its resolution: (8 + n/2) eps.
        expect_right(s, truth, top, bottom);
      }
    }
}

TEST(MapEnds, ZeroOperator) {
  const Spectrum s = ends_of(Matrix::Zero(30, 30), 3, 2);
  ASSERT_EQ(s.status, SpectrumStatus::converged) << s.message;
  EXPECT_EQ(values(s), Vector::Zero(5));
  EXPECT_EQ(s.null_directions, 5);
  EXPECT_EQ(s.unresolved(), 0);
}

TEST(LawMapEnds, AgreesWithTheDenseMethod) {
  for (const auto& [rows, cols] :
       {std::pair<Index, Index>{350, 350}, {400, 250}, {250, 400}, {3, 3}, {2, 2}}) {
    const Matrix A = random_matrix(rows, cols, 3);
    const Vector truth = values(testing::spectrum_of(A));
    for (Index top : {1, 4, 30})
      if (top < truth.size()) {
        SCOPED_TRACE(std::to_string(rows) + " × " + std::to_string(cols) + ", " + std::to_string(top));
        const Spectrum s = ends_of(A, top, 0);
        expect_right(s, truth, top, 0);
        EXPECT_EQ(s.extremal, truth.size() <= 160 ? Extremal::verified : Extremal::probabilistic);
      }
  }
}

/// Well-separated values at the bottom are found; a spectrum that extends towards zero is refused by name.
TEST(LawMapEnds, SmallestIsRightOrRefused) {
  const Index n = 400;
  Vector apart = Vector::LinSpaced(n, 1, 0.5);
  apart[n - 1] = 0.1;
  expect_right(ends_of(with_values(apart, 7), 0, 1), apart, 0, 1);
  apart[n - 1] = 1e-11;
  expect_right(ends_of(with_values(apart, 7), 2, 1), apart, 2, 1);

  Vector towards_zero(n);
  for (Index i = 0; i < n; ++i) towards_zero[i] = std::pow(10.0, -12.0 * static_cast<Real>(i) / n);
  const Spectrum refused = ends_of(with_values(towards_zero, 8), 0, 1);
  EXPECT_EQ(refused.status, SpectrumStatus::breakdown);
  EXPECT_TRUE(refused.sigma.empty());
  EXPECT_NE(refused.message.find("smallest values did not converge"), std::string::npos) << refused.message;
}

/// Whether a copy of the last value was left out, by the second search and if the bases filled the space.
TEST(MapEnds, MultiplicityIsTold) {
  for (const Index n : {40, 300}) {
    Vector d = Vector::LinSpaced(n, 1, 0.5);
    d.head(3).setConstant(2);
    d.tail(2).setConstant(0.1);
    const Matrix A = with_values(d, 5);
    for (const Index top : {1, 2, 3, 4})
      EXPECT_EQ(ends_of(A, top, 0).multiplicity, top < 3 ? Multiplicity::cut : Multiplicity::resolved)
          << n << ' ' << top;
    EXPECT_EQ(ends_of(A, 0, 1).multiplicity, Multiplicity::cut) << n;
    EXPECT_EQ(ends_of(A, 0, 2).multiplicity, Multiplicity::resolved) << n;
    EXPECT_EQ(ends_of(A, 3, 1).multiplicity, Multiplicity::cut) << n;
    EXPECT_EQ(ends_of(Matrix::Identity(n, n), 2, 0).multiplicity, Multiplicity::cut) << n;
  }
}

/// A spectrum that is narrow relative to its values: small residuals prove nothing there.
TEST(MapEnds, CopiesInANarrowSpectrum) {
  const Index n = 600;
  Vector d(n);
  for (Index i = 0; i < n; ++i) d[i] = 1 + 1e-6 * static_cast<Real>(n - 1 - i / 2) / static_cast<Real>(n);
  expect_right(ends_of(with_values(d, 6), 6, 0), d, 6, 0);
  EXPECT_EQ(ends_of(diagonal_map(d), 5, 0).multiplicity, Multiplicity::cut);
  EXPECT_EQ(ends_of(diagonal_map(d), 6, 0).multiplicity, Multiplicity::resolved);
}

TEST(MapEnds, ExponentIsCarried) {
  const Matrix A = random_matrix(200, 200, 5);
  const auto map = dense_map(std::make_shared<const Matrix>(A));
  const Spectrum plain = ends_of(map, 2, 0), far = ends_of(map, 2, 0, 5000);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(far.sigma[i].mantissa, plain.sigma[i].mantissa);
    EXPECT_EQ(far.sigma[i].exponent, plain.sigma[i].exponent + 5000);
  }
  EXPECT_TRUE(far.resolved(0));
}

/// If the start vector hid half of the copies from the first search, they would be missing: the complement is
/// searched again.
TEST(MapEnds, RepeatedValuesInLargeNumbers) {
  Vector d = Vector::Constant(500, 0.5);
  d.head(40).setConstant(1);
  d[0] = 1.25;
  const Spectrum s = ends_of(diagonal_map(d), 60, 0);
  expect_right(s, d, 60, 0);
}

}  // namespace
}  // namespace rezero
