/// The density against the whole spectrum, and cases in which it must report that it does not know.

#include <gtest/gtest.h>

#include <cmath>

#include "rezero/core/error.h"
#include "rezero/linalg/maps.h"
#include "rezero/random/sample.h"
#include "rezero/spectrum/method.h"
#include "spectrum/density/quadrature.h"
#include "spectrum/matrices.h"

namespace rezero {
namespace {

Spectrum density_of(LinearMapPtr map, std::int64_t exponent = 0, int workers = 1) {
  JacobianView view;
  view.map = {std::move(map), exponent};
  SpectrumRequest request;
  request.method = "density", request.workers = workers;
  request.start = stream_key(7, StreamRole::start_vector);
  return compute_spectrum(view, request);
}

/// Largest difference of F to the share of the values up to each edge.
Real distance(const SpectralDensity& density, const Vector& sigma) {
  Real largest = 0;
  for (std::size_t i = 0; i < density.cdf.size(); ++i) {
    const Real edge = std::pow(10, density.log10_sigma[i]) * (1 + 1e-9);
    const Real share = static_cast<Real>((sigma.array() <= edge).count()) / static_cast<Real>(sigma.size());
    largest = std::max(largest, std::abs(share - density.cdf[i]));
  }
  return largest;
}

void expect_well_formed(const SpectralDensity& d) {
  ASSERT_EQ(d.cdf.size(), d.log10_sigma.size());
  ASSERT_EQ(d.cdf_error.size(), d.cdf.size());
  ASSERT_EQ(d.histogram.size() + 1, d.cdf.size());
  Real sum = d.cdf.front();
  for (const Real share : d.histogram) sum += share;
  EXPECT_NEAR(sum, d.cdf.back(), 1e-12);
  EXPECT_NEAR(d.cdf.back(), 1, 1e-9);
  for (std::size_t i = 1; i < d.cdf.size(); ++i) EXPECT_GE(d.cdf[i], d.cdf[i - 1] - 1e-12);
}

/// A spectrum of condition number 27, evenly spaced in log σ: a diagonal map has it exactly, at no cost.
TEST(SlowDensity, MeetsItsTargetAgainstTheSpectrum) {
  for (Index n : {1024, 2048, 30000}) {
    Vector sigma(n);
    for (Index i = 0; i < n; ++i) {
      const Real q = (static_cast<Real>(i) + 0.5) / static_cast<Real>(n);
      sigma[i] = std::pow(27.0, q);
    }
    const Spectrum s = density_of(diagonal_map(sigma));
    ASSERT_TRUE(s.density);
    const SpectralDensity& d = *s.density;
    EXPECT_TRUE(d.converged) << n << ": " << s.message;
    EXPECT_EQ(s.status, SpectrumStatus::converged);
    expect_well_formed(d);
    EXPECT_LE(distance(d, sigma), d.target) << n << ", " << d.probes << " probes, " << d.steps << " steps";
    RecordProperty("distance", std::to_string(distance(d, sigma)));
    const Real mean = sigma.squaredNorm() / static_cast<Real>(n);
    EXPECT_NEAR(d.mean_square->to_real().value(), mean, 5 * d.mean_square_error->to_real().value());
    EXPECT_NEAR(d.mean_fourth->to_real().value() / sigma.array().pow(4).mean(), 1, 0.05);
  }
}

/// Half of the values clustered at the low end are hard to see in σ²: converged or not, the result says
/// which.
TEST(SlowDensity, ConvergedMeansWithinTheTarget) {
  const Index n = 2048;
  for (Real kappa : {2.0, 8.0, 27.0, 300.0}) {
    Vector sigma(n);
    for (Index i = 0; i < n; ++i)
      sigma[i] = std::pow(kappa, std::pow((static_cast<Real>(i) + 0.5) / static_cast<Real>(n), 2));
    const Spectrum s = density_of(diagonal_map(sigma));
    ASSERT_TRUE(s.density);
    if (s.density->converged) {
      EXPECT_LE(distance(*s.density, sigma), s.density->target) << kappa;
    }
  }
}

/// The weights of a uniform direction are a Beta variable, from which the standard error is derived.
TEST(LawDensity, ErrorOfTheCurveIsThatOfTheProbes) {
  const Index n = 200, trials = 400;
  Vector sigma = Vector::Ones(n);
  sigma.head(60).setConstant(2);
  const LinearMapPtr A = diagonal_map(sigma);
  Real sum = 0, squares = 0;
  for (Index i = 0; i < trials; ++i) {
    const StreamKey key = stream_key(3, StreamRole::probe, 0, static_cast<std::uint32_t>(i));
    detail::ProbeRecurrence probe(*A, normal_vector(n, key).normalized());
    probe.extend(10);
    const Real share = probe.measure(10).cdf(1.5);
    sum += share, squares += share * share;
  }
  const Real mean = sum / trials, deviation = std::sqrt(squares / trials - mean * mean);
  const Real expected = std::sqrt(2 * 0.7 * 0.3 / (n + 2));
  EXPECT_NEAR(mean, 0.7, 5 * expected / std::sqrt(trials));
  EXPECT_NEAR(deviation / expected, 1, 5 / std::sqrt(2.0 * trials));
}

TEST(Density, AtomsAreJumps) {
  const Index n = 3000;
  Vector mask = Vector::Ones(n);
  mask.tail(1000).setZero();
  const Spectrum s = density_of(diagonal_map(mask));
  ASSERT_TRUE(s.density && s.density->converged) << s.message;
  EXPECT_LE(distance(*s.density, mask), 0.01);
  EXPECT_NEAR(s.density->cdf.front(), 1.0 / 3, 4 * s.density->cdf_error.front());

  const Spectrum one = density_of(identity_map(n), 900);
  ASSERT_TRUE(one.density && one.density->converged);
  expect_well_formed(*one.density);
  EXPECT_EQ(one.density->cdf.front(), 0);
  EXPECT_GT(one.density->log10_sigma.back(), 900 * std::log10(2.0));
  EXPECT_NEAR(one.density->mean_square->log10(), 1800 * std::log10(2.0), 1e-12);
}

/// With few values the unit vectors are the probes: their mean is a trace, without sampling error.
TEST(Density, OfFewValuesIsExact) {
  for (const Index n : {1, 2, 3, 16, 300}) {
    const Matrix A = testing::random_matrix(n, n, 4);
    const Vector sigma = testing::values(testing::spectrum_of(A));
    const Spectrum s = density_of(dense_map(std::make_shared<const Matrix>(A)));
    ASSERT_TRUE(s.density) << s.message;
    EXPECT_EQ(s.density->probes, n);
    EXPECT_EQ(s.density->sampling_distance, 0);
    EXPECT_EQ(s.density->mean_square_error->mantissa, 0);
    EXPECT_NEAR(s.density->mean_square->to_real().value() * static_cast<Real>(n) / A.squaredNorm(), 1, 1e-12);
    EXPECT_LE(distance(*s.density, sigma), n < 100 ? 1e-9 : 0.01) << n;
  }
  // Unit vectors that are mapped to zero, and that are singular vectors.
  const Vector d = (Vector(5) << 2, 0, 1, 0, 0).finished();
  const Spectrum s = density_of(diagonal_map(d));
  ASSERT_TRUE(s.density && s.density->converged) << s.message;
  EXPECT_NEAR(s.density->cdf.front(), 0.6, 1e-12);
  EXPECT_LE(distance(*s.density, d), 1e-12);
}

/// For a J of numerical rank one, from products with errors above eps: the remains of its zeros are not
/// values.
TEST(Density, RoundingIsNoValue) {
  const Index n = 16;
  Vector d = Vector::Zero(n);
  d[0] = 1;
  Matrix A = testing::with_values(d, 3);
  A += 1e-12 * testing::random_matrix(n, n, 5);
  class Rounded final : public LinearMap {
   public:
    Rounded(Matrix A, Matrix At) : A_(std::move(A)), At_(std::move(At)) {}
    Index rows() const override { return A_.rows(); }
    Index cols() const override { return A_.cols(); }
    Real flops_per_column() const override { return 1; }

   private:
    void do_apply(ConstColumns v, Columns out) const override { out.noalias() = A_ * v; }
    void do_apply_transpose(ConstColumns u, Columns out) const override { out.noalias() = At_ * u; }
    Matrix A_, At_;
  };
  const Matrix At = testing::with_values(d, 3).transpose() + 1e-12 * testing::random_matrix(n, n, 6);
  const Spectrum s = density_of(std::make_shared<Rounded>(A, At));
  ASSERT_TRUE(s.density) << s.message;
  EXPECT_GT(s.accuracy.relative_resolution, 1e-12);
  EXPECT_NEAR(s.density->cdf.front(), 15.0 / 16, 1e-9);
}

/// The bulk near zero of a badly conditioned map is not visible: the curve changes with every step, and the
/// result says so.
TEST(SlowDensity, RefusesToCallABadlyConditionedCurveConverged) {
  const Index n = 2048;
  Vector sigma(n);
  for (Index i = 0; i < n; ++i) sigma[i] = std::pow(10.0, -9.0 * static_cast<Real>(i) / static_cast<Real>(n));
  const Spectrum s = density_of(diagonal_map(sigma));
  ASSERT_TRUE(s.density);
  EXPECT_FALSE(s.density->converged);
  EXPECT_EQ(s.status, SpectrumStatus::partial);
  EXPECT_NE(s.message.find("not converged"), std::string::npos);
}

/// Squares of squares of values far from 1 stay within range, for any units of the map.
TEST(Density, MomentsDoNotUnderflow) {
  for (const Real unit : {1e-250, 1e-90, 1e80, 1e200}) {
    const Spectrum s = density_of(diagonal_map(unit * Vector::LinSpaced(40, 1, 3)), 100);
    ASSERT_TRUE(s.density && s.density->converged) << s.message;
    const Real mean = Vector::LinSpaced(40, 1, 3).array().pow(4).mean();
    EXPECT_NEAR(s.density->mean_fourth->log10(),
                std::log10(mean) + 4 * (std::log10(unit) + 100 * std::log10(2.0)), 1e-10);
  }
}

/// A unit vector that is almost mapped to zero: its Gauss rule has a weight of 1e-32, which rounding hides.
TEST(Density, AlmostANullVectorIsNoFault) {
  Matrix A(3, 3);
  A << 0.3, 0.5, 2e-17, -0.7, 0.2, 1e-17, 0.1, 0.9, -3e-17;
  const Spectrum s = density_of(dense_map(std::make_shared<const Matrix>(A)));
  ASSERT_TRUE(s.density && s.density->converged) << s.message;
  EXPECT_NEAR(s.density->cdf.front(), 1.0 / 3, 1e-9);
}

/// A formed J gives its distribution without probes.
TEST(Density, OfAMatrixIsThatOfAllValues) {
  ScaledMatrix J{testing::random_matrix(40, 30, 8), 5};
  ASSERT_TRUE(renormalize(J));
  SpectrumRequest request;
  const Spectrum all = compute_spectrum(J, request);
  request.method = "density";
  const Spectrum s = compute_spectrum(J, request);
  ASSERT_TRUE(s.density) << s.message;
  expect_well_formed(*s.density);
  EXPECT_EQ(s.density->probes, 0);
  EXPECT_EQ(s.density->sampling_distance + s.density->steps_distance, 0);
  Vector sigma(30);
  for (Index i = 0; i < 30; ++i) sigma[i] = all.sigma[static_cast<std::size_t>(i)].to_real().value();
  EXPECT_LE(distance(*s.density, sigma), 1e-12);
  EXPECT_NEAR(s.density->mean_square->to_real().value() / sigma.array().square().mean(), 1, 1e-12);
  EXPECT_NEAR(s.density->mean_fourth->to_real().value() / sigma.array().pow(4).mean(), 1, 1e-12);
}

TEST(Density, ZeroAndTinyOperators) {
  const Spectrum zero = density_of(diagonal_map(Vector::Zero(50)));
  ASSERT_TRUE(zero.density && zero.density->converged) << zero.message;
  expect_well_formed(*zero.density);
  EXPECT_EQ(zero.density->cdf.front(), 1);
  EXPECT_TRUE(zero.density->mean_square->is_zero());
  const Spectrum tiny = density_of(diagonal_map(Vector::LinSpaced(3, 1, 2)));
  ASSERT_TRUE(tiny.density && tiny.density->converged) << tiny.message;
  EXPECT_LE(distance(*tiny.density, Vector::LinSpaced(3, 1, 2)), 0.02);
}

TEST(LawDensity, SameBytesOnAnyThread) {
  const LinearMapPtr A = diagonal_map(Vector::LinSpaced(5000, 1, 3));
  const Spectrum one = density_of(A, 0, 1), three = density_of(A, 0, 3);
  EXPECT_EQ(one.density->cdf, three.density->cdf);
  EXPECT_EQ(one.density->mean_square, three.density->mean_square);
}

TEST(Density, EndsAreRefusedByName) {
  JacobianView view;
  view.map = {identity_map(8), 0};
  SpectrumRequest request;
  request.method = "density", request.top = 2;
  EXPECT_THROW(compute_spectrum(view, request), UsageError);
}

}  // namespace
}  // namespace rezero
