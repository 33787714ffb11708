/// Spectral laws against closed forms, moments and printed edges; one file, because all use the same builders
/// of blocks.

#include "rezero/theory/density.h"

#include <gtest/gtest.h>

#include <limits>

#include "rezero/core/error.h"
#include "theory/networks.h"
#include "theory/slopes.h"

namespace rezero {
namespace {

using namespace theory;
using testing::DeepNet;
using testing::free_law;
using testing::network;
using testing::relative_variance;
using testing::slope_law;

const Real infinity = std::numeric_limits<Real>::infinity();

BlockTransform linear(Real alpha) {
  BlockTransform block;
  block.strength = alpha * alpha;
  return block;
}

BlockTransform mlp(const char* activation, Real alpha, Real p, Real gamma = 1) {
  BlockTransform block;
  block.form = BranchForm::mlp;
  block.strength = alpha * alpha * p, block.gamma = gamma;
  block.slopes = slope_law(activation, p);
  return block;
}

Real edge(const SpectralLaw& law) {
  return std::exp(law.upper.log_square / 2);
}

/// Half a unit of the last printed digit.
Real printed(const char* number) {
  const std::string text = number;
  const std::size_t point = text.find('.'), exponent = text.find('e');
  const std::string digits = text.substr(0, exponent);
  const Real power = exponent == std::string::npos ? 0 : std::stod(text.substr(exponent + 1));
  return 0.5001 * std::pow(10.0, power - static_cast<Real>(
                                             point == std::string::npos ? 0 : digits.size() - point - 1));
}

void expect_printed(Real value, const char* number) {
  EXPECT_NEAR(value, std::stod(number), printed(number)) << number;
}

/// A row of a table: m1, sd(σ²)/m1 and σ_max.
struct Row {
  DeepNet net;
  const char *mean_square, *spread, *edge;
};

void expect_rows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    SCOPED_TRACE(::testing::Message() << row.net.activation << " form " << static_cast<int>(row.net.form)
                                      << " L " << row.net.depth << " alpha " << row.net.scale);
    const SpectralLaw law = free_law(network(row.net));
    EXPECT_NEAR(law.mass, 1, 1e-4);
    expect_printed(std::exp(law.log_moment(1)), row.mean_square);
    expect_printed(std::sqrt(relative_variance(law)), row.spread);
    expect_printed(edge(law), row.edge);
  }
}

constexpr BranchForm lin = BranchForm::linear, dense = BranchForm::dense, two = BranchForm::mlp;
constexpr Ensemble haar = Ensemble::haar, iid = Ensemble::independent;

/// Computed independently with numpy; the same numbers were measured at n = 400 to a few parts in a thousand.
TEST(ReferenceSpectralLaw, ResidualStacks) {
  expect_rows({{{lin, "identity", 1, .1}, "1.010", ".140", "1.144"},
               {{lin, "identity", 1, 1}, "2.000", ".866", "2.598"},
               {{lin, "identity", 4, .1}, "1.041", ".281", "1.318"},
               {{lin, "identity", 4, .5}, "2.441", "1.200", "3.722"},
               {{lin, "identity", 4, 1}, "16.00", "1.732", "12.38"},
               {{lin, "identity", 16, .1}, "1.173", ".561", "1.760"},
               {{lin, "identity", 16, .25}, "2.638", "1.352", "4.327"},
               {{lin, "identity", 16, 1}, "6.55e4", "3.464", "1494"},
               {{lin, "identity", 64, .1}, "1.890", "1.123", "3.255"},
               {{lin, "identity", 64, .125}, "2.697", "1.398", "4.522"},
               {{lin, "identity", 64, 1}, "1.84e19", "6.93", "4.93e10"},
               {{two, "relu", 1, .1, 2}, "1.010", ".141", "1.191"},
               {{two, "relu", 1, 1, 2}, "2.000", "1.118", "3.361"},
               {{two, "relu", 4, .1, 2}, "1.041", ".282", "1.356"},
               {{two, "relu", 4, .5, 2}, "2.441", "1.327", "4.288"},
               {{two, "relu", 4, 1, 2}, "16.00", "2.236", "16.16"},
               {{two, "relu", 16, .1, 2}, "1.173", ".564", "1.790"},
               {{two, "relu", 16, .25, 2}, "2.638", "1.392", "4.538"},
               {{two, "relu", 16, 1, 2}, "6.55e4", "4.472", "1938"},
               {{two, "relu", 64, .1, 2}, "1.890", "1.129", "3.287"},
               {{two, "relu", 64, .125, 2}, "2.697", "1.409", "4.582"},
               {{two, "relu", 64, 1, 2}, "1.84e19", "8.94", "6.38e10"},
               {{two, "tanh", 1, 1}, "1.464", ".832", "2.469"},
               {{two, "tanh", 4, 1}, "3.718", "1.581", "5.986"},
               {{two, "tanh", 16, .1}, "1.076", ".383", "1.479"},
               {{two, "tanh", 16, .25}, "1.535", ".924", "2.630"},
               {{two, "tanh", 16, 1}, "37.85", "2.744", "30.10"},
               {{two, "tanh", 64, .125}, "1.539", ".928", "2.622"},
               {{two, "tanh", 64, 1}, "3942", "4.324", "465"},
               {{dense, "tanh", 4, 1}, "3.718", "1.478", "5.494"},
               {{dense, "tanh", 16, .25}, "1.535", ".918", "2.591"},
               {{dense, "tanh", 64, 1}, "3942", "4.193", "450"},
               {{lin, "identity", 4, .5, 1, 1, 0, 1, haar}, "2.441", "1.131", "3.372"},
               {{two, "tanh", 16, .25, 1, 1, 0, 1, haar}, "1.535", ".912", "2.552"},
               {{two, "relu", 16, .25, 2, 1, 0, 1, haar}, "2.638", "1.352", "4.323"},
               {{dense, "tanh", 8, .5, 1, 1, 0, 1, haar}, "2.195", "1.187", "3.545"},
               {{two, "relu", 8, .5, 2, 1, 0, 4}, "5.960", "1.744", "7.884"},
               {{two, "relu", 8, .5, 2, 1, 0, .5}, "5.960", "2.040", "9.490"}});
}

TEST(ReferenceSpectralLaw, NormsAndPlainStacks) {
  const NormPlacement pre = NormPlacement::before_branch, post = NormPlacement::after_sum;
  expect_rows(
      {{{two, "relu", 8, .5, 2, 1, 0, 1, iid, pre}, "3.000", "1.477", "5.098"},
       {{two, "tanh", 16, 1, 1.5, 1, 0, 1, iid, pre}, "14.08", "2.261", "15.38"},
       {{two, "relu", 8, .5, 2, 1, 0, 1, iid, post}, "1.000", "1.876", "3.536"},
       {{two, "tanh", 8, 1, 1.5, 1, 0, 1, iid, post}, "1.913", "2.620", "6.441"},
       {{lin, "identity", 4, 1, 1, 1, 0, 1, iid, NormPlacement::none, 0}, "1.000", "2.000", "3.494"},
       {{dense, "relu", 4, 1, 2, 1, 0, 1, iid, NormPlacement::none, 0}, "1.000", "2.828", "4.675"},
       {{dense, "relu", 4, 1, 2, 1, 0, 1, haar, NormPlacement::none, 0}, "1.000", "2.000", "3.079"},
       {{dense, "tanh", 4, 1, 1, 1, .05, 1, iid, NormPlacement::none, 0}, ".1359", "2.279", "1.445"},
       {{dense, "tanh", 16, 1, 1.05, 1, .01, 1, haar, NormPlacement::none, 0}, ".0360", "1.312", ".457"}});
}

TEST(ReferenceSpectralLaw, BranchScalesThatDiffer) {
  NetworkLaw law = network({two, "relu", 12, 0, 2});
  for (Index l = 0; l < 12; ++l)
    law.blocks[static_cast<std::size_t>(l)].scale = .02 + (.6 - .02) * static_cast<Real>(l) / 11;
  const SpectralLaw spectrum = free_law(law);
  expect_printed(std::exp(spectrum.log_moment(1)), "4.041");
  expect_printed(std::sqrt(relative_variance(spectrum)), "1.660");
  expect_printed(edge(spectrum), "6.455");
}

/// The edge and what finite width moves it to on average, at n = 200.
TEST(ReferenceSpectralLaw, TracyWidomMovesTheEdge) {
  const struct {
    DeepNet net;
    const char *edge, *mean;
  } rows[] = {{{lin, "identity", 16, .25}, "4.327", "4.224"},
              {{lin, "identity", 4, 1}, "12.38", "12.05"},
              {{two, "relu", 16, .25, 2}, "4.538", "4.411"},
              {{two, "tanh", 8, .5}, "3.844", "3.745"}};
  for (const auto& row : rows) {
    const SpectralLaw law = free_law(network(row.net));
    expect_printed(edge(law), row.edge);
    const Real moved =
        law.upper.log_square + std::pow(200 * law.upper.scale.value(), -2.0 / 3) * tracy_widom_mean;
    expect_printed(std::exp(moved / 2), row.mean);
  }
  const struct {
    Index depth;
    Real alpha;
    const char *edge, *mean;
  } lowest[] = {{16, .25, ".2039", ".2101"}, {4, .3, ".3843", ".3920"}};
  for (const auto& row : lowest) {
    const SpectralEdge lower = march({{linear(row.alpha), row.depth}}).lower.value();
    expect_printed(std::exp(lower.log_square / 2), row.edge);
    const Real moved = lower.log_square - std::pow(200 * lower.scale.value(), -2.0 / 3) * tracy_widom_mean;
    expect_printed(std::exp(moved / 2), row.mean);
  }
}

/// One linear block: G of the symmetrized law solves G (w − e² G)² − (w − e² G) − G = 0 (Dozier & Silverstein
/// 2007), and the density of σ² on the log scale is −Im(w G)/π, w = σ.
TEST(SpectralLaw, OneLinearBlockIsTheCubicOfDozierAndSilverstein) {
  for (const Real alpha : {0.3, 1.0, 2.0}) {
    const Real e2 = alpha * alpha;
    const SpectralLaw law = march({{linear(alpha), 1}});
    for (Real y = law.quantile(0.02); y < law.quantile(0.999); y += 0.05) {
      // with m = w − e² G: (w − m)(m² − 1)/e² = m, that is m³ − w m² + (e² − 1) m + w = 0
      const Real w = std::exp(y / 2);
      const Real a = -w, b = e2 - 1, c = w;
      const Real p = b - a * a / 3, q = 2 * a * a * a / 27 - a * b / 3 + c;
      const Real root = std::cbrt(-q / 2 + std::sqrt(q * q / 4 + p * p * p / 27)),
                 other = std::cbrt(-q / 2 - std::sqrt(q * q / 4 + p * p * p / 27));
      const Real imaginary =
          std::sqrt(3.0) / 2 * std::abs(root - other);  // of m: complex roots inside the bulk
      const Real density = w * imaginary / e2 / std::acos(-1.0);
      const Real h = 1e-3;
      EXPECT_NEAR((law.cumulative(y + h) - law.cumulative(y - h)) / (2 * h), density, 2e-4 * (1 + density))
          << alpha << " " << y;
    }
  }
}

TEST(SpectralLaw, PlainLinearStacksHaveAKnownEdge) {
  for (const Index depth : {1, 2, 4, 16, 64, 500}) {
    BlockTransform block = linear(1);
    block.plain = true;
    const SpectralLaw law = march({{block, depth}});
    const Real L = static_cast<Real>(depth);
    EXPECT_NEAR(law.upper.log_square, (L + 1) * std::log(L + 1) - L * std::log(L), 1e-9 * L);
    EXPECT_NEAR(*law.mean_log_square(), -L, 1e-4 * L);  // E log σ² of a Gaussian matrix is −1
    EXPECT_FALSE(law.lower);
  }
}

/// m1 = Π(1 + c), relvar = Σ (2c + η c²)/(1 + c)²; plain: Π χ and Σ η.
TEST(SpectralLaw, MomentsAreThoseOfTheMeanField) {
  for (const BranchForm form : {lin, dense, two})
    for (const char* activation : {"tanh", "relu", "gelu", "leaky-relu:slope=0.1"})
      for (const Ensemble ensemble : {iid, haar})
        for (const Real skip : {1.0, 0.8, 0.0})
          for (const Index depth : {2, 9}) {
            DeepNet net{form, activation, depth, 0.6, 1.3, 0.9, 0.1, 1, ensemble, NormPlacement::none, skip};
            if (form == lin) net.activation = "identity";
            if (form == two && ensemble == iid) net.gamma = 2.5;
            const NetworkLaw law = network(net);
            const MeanField field = mean_field(law);
            Real mean = 0, spread = 0;
            for (const BlockState& state : field.blocks) {
              mean += std::log(state.factor);
              const Real c = state.ratio;
              spread += skip == 0 ? state.eta : (2 * c + state.eta * c * c) / ((1 + c) * (1 + c));
            }
            if (spread == 0) continue;  // orthogonal and plain
            const SpectralLaw spectrum = free_law(law);
            SCOPED_TRACE(::testing::Message() << static_cast<int>(form) << " " << activation << " skip "
                                              << skip << " L " << depth << " haar " << (ensemble == haar));
            // the lowest slopes of orthogonal plain layers are lines of their own: their mass may be missing
            const bool lines = skip == 0 && ensemble == haar;
            EXPECT_NEAR(spectrum.log_moment(1), mean, lines ? 5e-3 : 1e-4);
            EXPECT_NEAR(relative_variance(spectrum), spread, (lines ? 5e-3 : 1e-3) * (1 + spread));
            EXPECT_NEAR(spectrum.mass, 1, lines ? 5e-3 : 1e-3);
          }
}

/// E log σ = 0 at every depth while every c < 1; one linear block with s = α > 1 has log s + (1/s² − 1)/2.
TEST(SpectralLaw, MeanOfLogSigma) {
  for (const Real alpha : {1e-8, 0.1, 0.5, 0.95})
    EXPECT_NEAR(*march({{linear(alpha), 7}}).mean_log_square(), 0, 1e-4 * std::sqrt(8.0 * 7) * alpha);
  EXPECT_NEAR(*march({{mlp("tanh", 0.7, 1.5), 12}}).mean_log_square(), 0, 1e-4);
  for (const Real s : {1.5, 2.0, 3.0})
    EXPECT_NEAR(*march({{linear(s), 1}}).mean_log_square() / 2, std::log(s) + (1 / (s * s) - 1) / 2, 1e-4);
}

TEST(ReferenceSpectralLaw, UniversalLaw) {
  const struct {
    Real c;
    const char *most, *least, *mean_square;
  } rows[] = {{0.01, "1.15204557", "0.8680212187", "1.010050167"},
              {0.05, "1.373744859", "0.7279372102", "1.051271096"},
              {0.1, "1.56974457", "0.6370463189", "1.105170918"},
              {0.25, "2.057668592", "0.4859869097", "1.284025417"},
              {0.5, "2.829864468", "0.3533738139", "1.648721271"},
              {1, "4.592866561", "0.217728947", "2.718281828"},
              {2, "9.93026485", "0.1007022486", "7.389056099"},
              {4, "36.44140316", "0.02744131437", "54.59815003"}};
  for (const auto& row : rows) {
    const SpectralLaw law = universal_law(row.c);
    expect_printed(edge(law), row.most);
    expect_printed(std::exp(law.lower->log_square / 2), row.least);
    EXPECT_NEAR(std::exp(law.log_moment(1)) / std::stod(row.mean_square), 1, 1e-7);
    EXPECT_NEAR(relative_variance(law), 2 * row.c, 1e-6 * (1 + row.c));
    EXPECT_NEAR(*law.mean_log_square(), 0, 1e-10);
    EXPECT_NEAR(*law.variance_log_square(), 2 * row.c + row.c * row.c / 3, 1e-8 * row.c * (1 + row.c));
    EXPECT_NEAR(law.mass, 1, 1e-9);
  }
}

/// −Im u/π with log z = log((1 + u)/u) + c (1 + 2u), which the closed form must solve.
TEST(SpectralLaw, UniversalLawSolvesItsEquation) {
  for (const Real c : {1e-20, 1e-6, 0.3, 3.0, 50.0}) {
    const SpectralLaw law = universal_law(c);
    for (Index k = 1; k + 1 < law.log_square.size(); k += 37) {
      const Real b = law.density[k] * 2 * std::acos(-1.0) * c;
      // v = a + ib, y = v + c coth(v/2): the imaginary part vanishes, the real part is y
      const Real y = law.log_square[k];
      const Real lift = c * (b > 0 ? std::sin(b) / b : 1) - 2 * std::sin(b / 2) * std::sin(b / 2);
      const Real a = (y > 0 ? 1 : -1) * 2 * std::asinh(std::sqrt(std::max(0.0, lift) / 2));
      const std::complex<Real> v(a, b), right = v + c / std::tanh(v / 2.0);
      const Real scale = std::sqrt(c) * (1 + std::sqrt(c));
      EXPECT_NEAR(right.imag(), 0, 1e-7 * scale) << c << " " << k;
      EXPECT_NEAR(right.real(), y, 1e-7 * scale) << c << " " << k;
    }
  }
}

TEST(SpectralLaw, ManySmallBlocksBecomeUniversal) {
  for (const Real c : {0.25, 1.0, 4.0}) {
    const SpectralLaw limit = universal_law(c);
    for (const Index depth : {100, 1000}) {
      const SpectralLaw law = march({{linear(std::sqrt(c / static_cast<Real>(depth))), depth}});
      Real distance = 0;
      for (Real p = 0.005; p < 1; p += 0.005)
        distance = std::max(distance, std::abs(law.cumulative(limit.quantile(p)) - p));
      EXPECT_LE(distance, 0.5 * c / static_cast<Real>(depth) + 1e-4) << c << " " << depth;
    }
  }
}

/// Any scale: for small c everything is a semicircle of radius √(8c) in log σ², for one linear block at
/// least.
TEST(SpectralLaw, SmallBranchesAreASemicircle) {
  for (const Real alpha : {1e-12, 1e-8, 1e-4}) {
    const SpectralLaw law = march({{linear(alpha), 1}});
    const Real radius = std::sqrt(8.0) * alpha;
    EXPECT_NEAR(law.upper.log_square, radius, 2 * radius * alpha);
    EXPECT_NEAR(law.lower->log_square, -radius, 2 * radius * alpha);
    for (const Real at : {-0.9, -0.5, 0.0, 0.3, 0.8}) {
      const Real exact = 0.5 + (at * std::sqrt(1 - at * at) + std::asin(at)) / std::acos(-1.0);
      EXPECT_NEAR(law.cumulative(at * radius), exact, 1e-4 + 2 * alpha);
    }
  }
}

/// One block with a non-linear branch is no semicircle: its law is that of the symmetric part of B, with the
/// fourth moment of a sum of products.
TEST(SpectralLaw, OneSmallNonlinearBlockIsNot) {
  const SpectralLaw law = march({{mlp("relu", 1e-6, 2), 1}}), many = march({{mlp("relu", 1e-7, 2), 100}});
  const Real radius = std::sqrt(8.0);
  EXPECT_GT(law.upper.log_square / 1e-6, 1.2 * radius);
  EXPECT_NEAR(many.upper.log_square / 1e-6, radius, 0.05);
}

/// Blocks with weights of rank γ n/2 leave 1 − γ L of all directions alone.
TEST(SpectralLaw, LowRankBranchesLeaveAnAtomAtOne) {
  for (const Real gamma : {0.5, 0.25, 0.125})
    for (const Index depth : {1, 2, 8}) {
      const SpectralLaw law = march({{mlp("relu", 0.5, 2, gamma), depth}});
      EXPECT_NEAR(law.atom_at_one, std::max(0.0, 1 - gamma * static_cast<Real>(depth)), 1e-12);
      EXPECT_NEAR(law.mass, 1, 2e-4);  // found by integration without the atom, which is therefore exact
      EXPECT_NEAR(law.cumulative(1e-3) - law.cumulative(-1e-3), law.atom_at_one,
                  law.atom_at_one > 0 ? 1e-3 : 0.05);
      EXPECT_NEAR(*law.mean_log_square(), 0, 1e-4);
    }
}

TEST(SpectralLaw, AtomAtZero) {
  DeepNet net{dense, "relu", 3, 1, 2};
  net.skip = 0;
  const SpectralLaw law = free_law(network(net));
  EXPECT_DOUBLE_EQ(law.atom_at_zero, 0.5);
  EXPECT_EQ(law.cumulative(-infinity), 0.5);
  EXPECT_EQ(law.quantile(0.4), -infinity);
  EXPECT_GT(law.quantile(0.6), -20);
  EXPECT_FALSE(law.mean_log_square());
  EXPECT_FALSE(law.variance_log_square());
}

TEST(SpectralLaw, OrthogonalBlocksInClosedForm) {
  for (const Real e : {0.3, 1.0, 2.0}) {
    BlockTransform block = linear(e);
    block.ensemble = haar;
    const SpectralLaw law = march({{block, 1}});
    EXPECT_EQ(law.method, "orthogonal");
    for (const Real angle : {0.2, 1.0, 2.0, 3.0}) {
      const Real square = 1 + e * e + 2 * e * std::cos(angle);
      EXPECT_NEAR(law.cumulative(std::log(square)), 1 - angle / std::acos(-1.0), 1e-6);
    }
    EXPECT_NEAR(*law.mean_log_square(), 2 * std::max(0.0, std::log(e)), 1e-5);  // Jensen
    EXPECT_NEAR(std::exp(law.log_moment(1)), 1 + e * e, 1e-5);
  }
  BlockTransform plain = linear(3);
  plain.plain = true, plain.ensemble = haar;
  const SpectralLaw point = march({{plain, 5}});
  EXPECT_EQ(point.method, "point");
  EXPECT_NEAR(point.one, 5 * std::log(9.0), 1e-12);
  EXPECT_EQ(point.cumulative(point.one + 1e-9), 1);
  EXPECT_EQ(point.cumulative(point.one - 1e-9), 0);
  plain.form = dense, plain.slopes = {(Vector(2) << 1, 0.25).finished(), (Vector(2) << 0.7, 0.3).finished()};
  const SpectralLaw two_points = march({{plain, 1}});
  EXPECT_NEAR(two_points.cumulative(std::log(9.0) - 0.5), 0.3, 1e-12);
  EXPECT_NEAR(*two_points.mean_log_square(), std::log(9.0) + 0.3 * std::log(0.25), 1e-6);
}

/// αW (I + Wᵀ/α): two orthogonal blocks with α and 1/α differ by a scale.
TEST(SpectralLaw, LargeOrthogonalBranchesAreSmallOnesScaled) {
  BlockTransform large = linear(4), small = linear(0.25);
  large.ensemble = small.ensemble = haar;
  const SpectralLaw a = march({{large, 6}}), b = march({{small, 6}});
  for (const Real p : {0.01, 0.3, 0.5, 0.9})
    EXPECT_NEAR(a.quantile(p), b.quantile(p) + 12 * std::log(4.0), 1e-6);
  EXPECT_TRUE(a.lower);
}

/// c passes 1 without a jump, and the lower edge disappears just before.
TEST(SpectralLaw, CriticalBranches) {
  const SpectralLaw at = march({{linear(1), 16}});
  for (const Real alpha : {1 - 1e-3, 1 - 3e-5, 1 - 1e-9, 1 - 1e-16, 1 + 1e-12, 1 + 1e-6})
    for (const BranchForm form : {lin, two}) {
      BlockTransform block = form == lin ? linear(alpha) : mlp("identity", alpha, 1, 8);
      const SpectralLaw law = march({{block, 16}});
      EXPECT_NEAR(law.mass, 1, 1e-4);
      EXPECT_EQ(law.lower.has_value(), alpha * alpha < 1 - 1e-4);
      if (form == lin) {
        EXPECT_NEAR(law.quantile(0.05), at.quantile(0.05), 60 * std::abs(1 - alpha) + 1e-3);
      }
    }
}

TEST(SpectralLaw, NothingIsAPoint) {
  for (const std::vector<TransformRun>& blocks :
       {std::vector<TransformRun>{}, {{linear(0), 5}}, {{mlp("relu", 0, 2), 3}}}) {
    const SpectralLaw law = march(blocks);
    EXPECT_EQ(law.method, "point");
    EXPECT_EQ(law.one, 0);
    EXPECT_EQ(law.share_within(0.9, 1.1), 1);
    EXPECT_EQ(law.share_within(1, 1), 1);
    EXPECT_EQ(law.share_within(1.01, 1.1), 0);
    EXPECT_EQ(law.quantile(0.5), 0);
    EXPECT_EQ(*law.mean_log_square(), 0);
    EXPECT_EQ(*law.variance_log_square(), 0);
    EXPECT_EQ(law.log_moment(2), 0);
  }
  BlockTransform skip = linear(0);
  skip.log_divisor = -2 * std::log(0.5);
  EXPECT_NEAR(march({{skip, 3}}).one, 6 * std::log(0.5), 1e-12);
}

TEST(SpectralLaw, QuantilesInvertCumulative) {
  for (const SpectralLaw& law :
       {march({{linear(0.4), 5}}), march({{mlp("relu", 0.5, 2, 0.25), 1}}), universal_law(1)})
    for (Real p = 0.01; p < 1; p += 0.01) {
      const Real y = law.quantile(p);
      EXPECT_GE(law.cumulative(y), p - 1e-12);
      EXPECT_LE(law.cumulative(y - 1e-9 * (1 + std::abs(y))), p + 1e-6);
    }
  const SpectralLaw law = march({{linear(0.05), 4}});
  EXPECT_NEAR(law.share_within(0.9, 1.1),
              law.cumulative(2 * std::log(1.1)) - law.cumulative(2 * std::log(0.9)), 1e-15);
  EXPECT_EQ(law.share_within(0.01, 100), 1);
}

/// Splitting a run, or listing equal blocks one by one, changes nothing; order does not matter.
TEST(SpectralLaw, EqualBlocksAreMerged) {
  const BlockTransform a = mlp("tanh", 0.3, 1), b = linear(0.2);
  const SpectralLaw alternating = march({{a, 1}, {b, 1}, {a, 4}, {b, 1}, {a, 1}});
  const SpectralLaw run = march({{a, 6}, {b, 2}}), singles = march({{a, 1}, {a, 2}, {a, 3}, {b, 2}}),
                    turned = march({{b, 2}, {a, 6}});
  EXPECT_EQ(run.log_square, alternating.log_square);
  EXPECT_EQ(run.log_square, singles.log_square);
  EXPECT_EQ(run.above, singles.above);
  for (const Real p : {0.1, 0.5, 0.95}) EXPECT_NEAR(run.quantile(p), turned.quantile(p), 1e-9);
}

TEST(SpectralLaw, ANormDividesAndASkipScaleMultiplies) {
  BlockTransform block = mlp("tanh", 0.5, 1);
  const SpectralLaw law = march({{block, 4}});
  block.log_divisor = 0.3;
  const SpectralLaw divided = march({{block, 4}});
  for (const Real p : {0.001, 0.2, 0.7}) EXPECT_NEAR(divided.quantile(p), law.quantile(p) - 1.2, 1e-9);
  EXPECT_NEAR(divided.upper.log_square, law.upper.log_square - 1.2, 1e-12);
  EXPECT_NEAR(divided.log_moment(1), law.log_moment(1) - 1.2, 1e-9);
}

TEST(SpectralLaw, RefusesWhatHasNoMeaning) {
  BlockTransform block = mlp("tanh", 0.5, 1);
  block.strength = -1;
  EXPECT_THROW(march({{block, 1}}), UsageError);
  block.strength = std::nan("");
  EXPECT_THROW(march({{block, 1}}), UsageError);
  block = mlp("tanh", 0.5, 1), block.gamma = 0;
  EXPECT_THROW(march({{block, 1}}), UsageError);
  block = mlp("tanh", 0.5, 1), block.slopes.weight *= 2;
  EXPECT_THROW(march({{block, 1}}), UsageError);
  block = mlp("tanh", 0.5, 1), block.slopes = {};
  EXPECT_THROW(march({{block, 1}}), UsageError);
  block = linear(1), block.log_divisor = infinity;
  EXPECT_THROW(march({{block, 1}}), UsageError);
  EXPECT_THROW(universal_law(0), UsageError);
  EXPECT_THROW(tracy_widom_quantile(0), UsageError);
}

TEST(SpectralLaw, KolmogorovDistance) {
  const SpectralLaw law = march({{linear(0.5), 3}});
  constexpr Index n = 200;
  Vector y(n);
  for (Index k = 0; k < n; ++k) y[k] = law.quantile(1 - (static_cast<Real>(k) + 0.5) / n);
  EXPECT_NEAR(kolmogorov(law, y), 0.5 / n, 1e-9);
  const Vector shifted = y.array() + 0.2;
  EXPECT_GT(kolmogorov(law, shifted), 0.04);
  Vector one(1);
  one << law.quantile(0.25);
  EXPECT_NEAR(kolmogorov(law, one), 0.75, 1e-9);
  // an atom's own points are counted, not compared
  const SpectralLaw atom = march({{mlp("relu", 0.5, 2, 0.25), 1}});
  for (Index k = 0; k < n; ++k) {
    const Real p = 1 - (static_cast<Real>(k) + 0.5) / n;
    y[k] = atom.quantile(p);
    if (std::abs(y[k]) < 1e-6) y[k] = 0;
  }
  EXPECT_LE(kolmogorov(atom, y), 1.5 / n);
}

TEST(ReferenceTracyWidom, Quantiles) {
  expect_printed(tracy_widom_quantile(0.01), "-3.90");
  expect_printed(tracy_widom_quantile(0.05), "-3.18");
  expect_printed(tracy_widom_quantile(0.95), "0.98");
  expect_printed(tracy_widom_quantile(0.99), "2.02");
  // mean and standard deviation, as integrals over the quantiles
  Real mean = 0, square = 0;
  constexpr int count = 200000;
  for (int k = 0; k < count; ++k) {
    const Real q = tracy_widom_quantile((k + 0.5) / count);
    mean += q / count, square += q * q / count;
  }
  EXPECT_NEAR(mean, tracy_widom_mean, 1e-4);
  EXPECT_NEAR(std::sqrt(square - mean * mean), tracy_widom_sd, 3e-4);
  for (Real p = 1e-9; p < 0.999; p *= 1.3)
    EXPECT_LT(tracy_widom_quantile(p), tracy_widom_quantile(p * 1.001));
}

}  // namespace
}  // namespace rezero
