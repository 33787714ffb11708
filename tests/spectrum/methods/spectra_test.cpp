/// The ends of a spectrum: what was asked for, by every way to it.

#include <gtest/gtest.h>

#include "rezero/core/error.h"
#include "rezero/spectrum/method.h"
#include "spectrum/krylov/ritz.h"
#include "spectrum/matrices.h"

namespace rezero {
namespace {

using testing::orthogonal;
using testing::random_matrix;
using testing::spectrum_of;
using testing::values;
using testing::with_values;

SpectrumRequest request_for(Index top, Index bottom, std::string method = "auto") {
  SpectrumRequest request;
  request.top = top, request.bottom = bottom, request.method = std::move(method);
  request.start = stream_key(7, StreamRole::start_vector);
  return request;
}

/// The wanted ends of the true values, to the accuracy that the spectrum claims for itself.
void expect_ends(const Spectrum& s, const Vector& truth, Index top, Index bottom) {
  ASSERT_EQ(s.status, SpectrumStatus::converged) << s.message;
  EXPECT_TRUE(s.accuracy.certified);
  EXPECT_EQ(s.leading, top);
  Vector wanted(top + bottom);
  wanted << truth.head(top), truth.tail(bottom);
  ASSERT_EQ(static_cast<Index>(s.sigma.size()), wanted.size());
  EXPECT_LE(s.accuracy.relative_resolution, 1e-12);
  EXPECT_LE((values(s) - wanted).cwiseAbs().maxCoeff(),
            std::max(s.accuracy.relative_resolution, 1e-15) * truth[0]);
}

void expect_usage_error(const SpectrumRequest& request, const std::string& part) {
  try {
    spectrum_of(random_matrix(8, 6, 1), request);
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Partial, RequestsThatMakeNoSense) {
  expect_usage_error(request_for(0, 0, "spectra"), "--method spectra needs --top or --bottom");
  expect_usage_error(request_for(6, 0, "spectra"), "cannot give all 6 values");
  expect_usage_error(request_for(7, 0), "--top 7");
  expect_usage_error(request_for(4, 3), "the 6 singular values there are");
  expect_usage_error(request_for(-1, 0), "negative");
  expect_usage_error(request_for(0, 0, "sepctra"), "Did you mean 'spectra'");
  EXPECT_THROW(spectrum_of(random_matrix(129, 129, 1), request_for(0, 0, "jacobi")), UsageError);
}

TEST(Partial, DenseIsTruncatedAndVerified) {
  const Matrix A = random_matrix(30, 24, 2);
  const Vector truth = testing::reference_values(A);
  for (const char* method : {"auto", "dense", "bdcsvd", "jacobi"})
    for (const auto& [top, bottom] :
         {std::pair<Index, Index>{3, 0}, {0, 3}, {2, 4}, {24, 0}, {0, 24}, {12, 12}}) {
      const Spectrum s = spectrum_of(A, request_for(top, bottom, method));
      expect_ends(s, truth, top, bottom);
      EXPECT_EQ(s.extremal, Extremal::verified);
      EXPECT_EQ(s.part, top == 0      ? SpectrumPart::smallest
                        : bottom == 0 ? SpectrumPart::largest
                                      : SpectrumPart::both_ends);
      EXPECT_NEAR(s.sigma_max.to_real().value(), truth[0], 1e-14 * truth[0]);
    }
}

TEST(Partial, ProvedZerosAmongTheListed) {
  const Vector d = (Vector(5) << 1, 0, 2, 0, 0).finished();
  EXPECT_EQ(spectrum_of(d.asDiagonal(), request_for(3, 0)).null_directions, 1);
  EXPECT_EQ(spectrum_of(d.asDiagonal(), request_for(0, 2)).null_directions, 2);
  EXPECT_EQ(spectrum_of(d.asDiagonal(), request_for(0, 4)).null_directions, 3);
  EXPECT_EQ(spectrum_of(d.asDiagonal(), request_for(3, 1)).null_directions, 2);
  EXPECT_EQ(spectrum_of(d.asDiagonal(), request_for(0, 4)).unresolved(), 0);
}

TEST(LawSpectra, AgreesWithTheDenseMethodOnBothEnds) {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{60, 60}, {90, 50}, {50, 90}, {3, 3}, {2, 2}}) {
    const Matrix A = random_matrix(rows, cols, 3);
    const Vector truth = testing::reference_values(A);
    for (const auto& [top, bottom] : {std::pair<Index, Index>{1, 0}, {0, 1}, {4, 0}, {0, 4}, {3, 2}}) {
      if (top + bottom >= truth.size()) continue;
      const Spectrum s = spectrum_of(A, request_for(top, bottom, "spectra"));
      expect_ends(s, truth, top, bottom);
      EXPECT_EQ(s.provenance.method, "spectra") << rows << " × " << cols << ", " << top << " + " << bottom
                                                << ": " << s.provenance.fallbacks.front().reason;
      const bool by_norm = truth.size() <= 3;  // of so few, ‖J‖_F alone can prove the largest
      EXPECT_TRUE(s.extremal == Extremal::probabilistic || by_norm);
      EXPECT_GT(s.provenance.applications, 0);
    }
  }
}

TEST(LawSpectra, NeverWrongWhereItsSolverIs) {
  // Spectra 1.0.1 alone: wrong values with status Successful, or an exception, on most of these.
  const Index n = 48;
  Vector mask = Vector::Ones(n);
  mask.tail(30).setZero();
  Vector two = Vector::Ones(n);
  two.head(3).setConstant(3);
  Matrix invariant = Matrix::Identity(n, n);
  invariant(0, 1) = 0.5;
  const std::vector<Matrix> cases = {
      Matrix::Identity(n, n),      Matrix::Zero(n, n),
      with_values(mask, 1),        random_matrix(n, 1, 2) * random_matrix(1, n, 3),
      orthogonal(n, n, 4),         with_values(two, 5),
      Matrix::Constant(n, n, 0.3), invariant,
      Matrix(mask.asDiagonal())};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Vector truth = testing::reference_values(cases[i]);
    for (const auto& [top, bottom] : {std::pair<Index, Index>{1, 0}, {3, 0}, {0, 3}, {5, 5}, {20, 0}}) {
      SCOPED_TRACE("case " + std::to_string(i) + ", " + std::to_string(top) + " + " + std::to_string(bottom));
      const Spectrum s = spectrum_of(cases[i], request_for(top, bottom, "spectra"));
      ASSERT_EQ(s.status, SpectrumStatus::converged) << s.message;
      Vector wanted(top + bottom);
      wanted << truth.head(top), truth.tail(bottom);
      EXPECT_LE((values(s) - wanted).cwiseAbs().maxCoeff(), 1e-14 * truth[0]);
      if (s.provenance.method != "spectra") {
        ASSERT_FALSE(s.provenance.fallbacks.empty());
        EXPECT_EQ(s.provenance.fallbacks[0].method, "spectra");
        EXPECT_EQ(s.extremal, Extremal::verified);
      }
    }
  }
}

/// A formed J with every value twice, its ends by Spectra: the copies are listed, or it is computed in full.
TEST(LawSpectra, CopiesAreNotMissed) {
  const Index n = 200;
  Vector d(n);
  for (Index i = 0; i < n; ++i) d[i] = 2 - static_cast<Real>(i / 2) / n;
  const Matrix A = with_values(d, 9);
  for (const auto& [top, bottom] :
       {std::pair<Index, Index>{1, 0}, {2, 0}, {5, 0}, {6, 0}, {0, 1}, {0, 4}, {3, 3}}) {
    SCOPED_TRACE(std::to_string(top) + " + " + std::to_string(bottom));
    const Spectrum s = spectrum_of(A, request_for(top, bottom, "spectra"));
    ASSERT_EQ(s.status, SpectrumStatus::converged);
    Vector wanted(top + bottom);
    wanted << d.head(top), d.tail(bottom);
    EXPECT_LE((values(s) - wanted).cwiseAbs().maxCoeff(), 1e-13);
    const bool cut = top % 2 + bottom % 2 > 0;
    EXPECT_EQ(s.multiplicity, cut ? Multiplicity::cut : Multiplicity::resolved) << s.provenance.method;
  }
}

TEST(Partial, MultiplicityOfATruncatedSpectrum) {
  const Vector d = (Vector(6) << 3, 3, 2, 1, 0, 0).finished();
  const auto told = [&](Index top, Index bottom) {
    return spectrum_of(d.asDiagonal(), request_for(top, bottom)).multiplicity;
  };
  EXPECT_EQ(told(1, 0), Multiplicity::cut);
  EXPECT_EQ(told(2, 0), Multiplicity::resolved);
  EXPECT_EQ(told(4, 0), Multiplicity::resolved);
  EXPECT_EQ(told(5, 0), Multiplicity::cut);
  EXPECT_EQ(told(0, 1), Multiplicity::cut);
  EXPECT_EQ(told(2, 2), Multiplicity::resolved);
  EXPECT_EQ(told(3, 3), Multiplicity::resolved);
  EXPECT_EQ(told(0, 0), Multiplicity::not_applicable);
  // Of values that are not resolved no one knows.
  Vector small = Vector::LinSpaced(20, 2, 1);
  small.tail(4) << 4e-18, 3e-18, 2e-18, 1e-18;
  EXPECT_EQ(spectrum_of(with_values(small, 3), request_for(0, 2, "dense")).multiplicity,
            Multiplicity::unresolved);
  EXPECT_EQ(spectrum_of(with_values(small, 3), request_for(0, 5, "dense")).multiplicity,
            Multiplicity::resolved);
}

TEST(Partial, LowRankTopIsProvedExtremal) {
  Vector d = Vector::Constant(40, 1e-9);
  d.head(3) << 3, 2, 1;
  const Spectrum s = spectrum_of(with_values(d, 6), request_for(3, 0, "spectra"));
  EXPECT_EQ(s.provenance.method, "spectra");
  EXPECT_EQ(s.extremal, Extremal::verified);
}

TEST(Partial, SmallestThatTheGramMatrixCannotSee) {
  Vector d = Vector::LinSpaced(40, 1, 0.5);
  d[39] = 1e-11;
  const Spectrum s = spectrum_of(with_values(d, 7), request_for(0, 1, "spectra"));
  expect_ends(s, d, 0, 1);
  EXPECT_EQ(s.provenance.method, "spectra") << s.provenance.fallbacks.front().reason;
  EXPECT_TRUE(s.resolved(0));
  // The one above it is 4e-22 of it in the inverse's square, out of reach of the iteration: computed in full
  // instead.
  const Spectrum two = spectrum_of(with_values(d, 7), request_for(0, 2, "spectra"));
  expect_ends(two, d, 0, 2);
  EXPECT_EQ(two.provenance.method, "dense");
}

TEST(Partial, IllConditionedOperatorsFallBackOrHold) {
  for (Real small : {1e-14, 1e-16, 1e-30}) {
    Vector d = Vector::LinSpaced(40, 1, 0.5);
    d.tail(3).setConstant(small);
    const Spectrum s = spectrum_of(with_values(d, 8), request_for(0, 5, "spectra"));
    expect_ends(s, d, 0, 5);
  }
}

TEST(Partial, StartVectorIsAddressed) {
  const Matrix A = random_matrix(50, 50, 9);
  SpectrumRequest request = request_for(3, 0, "spectra");
  const Vector first = values(spectrum_of(A, request));
  EXPECT_EQ(first, values(spectrum_of(A, request)));
  request.start.seed = 8;
  EXPECT_LE((first - values(spectrum_of(A, request))).cwiseAbs().maxCoeff(), 1e-13 * first[0]);
}

TEST(Partial, ResidualsConvictAWrongSubspace) {
  const Matrix A = random_matrix(40, 30, 10);
  const Matrix guess = random_matrix(30, 3, 11);
  const detail::Triplets wrong = detail::ritz_triplets(A, {A * guess, guess, 0, {}});
  EXPECT_GT(wrong.residual, 0.01 * wrong.sigma[0]);
  // Of a matrix of rank one, three right vectors have one image: the left ones are made up, and harmless.
  Matrix rank_one = Matrix::Zero(40, 30);
  rank_one(0, 0) = 1;
  const Matrix first = Matrix::Identity(30, 3);
  const detail::Triplets null = detail::ritz_triplets(rank_one, {rank_one * first, first, 0, {}});
  EXPECT_TRUE(null.failure.empty()) << null.failure;
  EXPECT_EQ(null.sigma[1], 0);
}

}  // namespace
}  // namespace rezero
