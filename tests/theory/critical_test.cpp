#include "rezero/theory/critical.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rezero/theory/agreement.h"
#include "support/draws.h"
#include "support/gauss_legendre.h"

namespace rezero::theory {
namespace {

constexpr Real pi = 3.14159265358979323846;

GaussianIntegrals integrals(const char* name) {
  return GaussianIntegrals(Activation(name));
}

void expect_close(Real found, Real expected, Real tolerance) {
  EXPECT_LE(std::abs(found - expected), tolerance * std::abs(expected)) << found << " " << expected;
}

CriticalPoint only(const CriticalSet& set) {
  EXPECT_EQ(set.points.size(), 1u) << set.reason;
  return set.points.empty() ? CriticalPoint() : set.points[0];
}

/// E f(√q z), by a rule of its own: 400 panels of 24 points on [−12, 12].
template <class F>
Real mean_at(Real q, F f) {
  static const testing::Quadrature rule = testing::gauss_legendre(24);
  std::vector<double> cuts;
  for (int i = 0; i <= 400; ++i) cuts.push_back(-12 + 24.0 * i / 400);
  return testing::gaussian_mean([&](double z) { return f(std::sqrt(q) * z); }, cuts, rule);
}

// ---- the line of critical nets

/// σ_b² = 0 gives σ_w = 1; σ_b² = 0.05 gives σ_w² = 1.76 (Schoenholz et al. 2017, figure 1: close to 1.76).
/// The digits are from a quadrature in Python, 41 panels of 24 points on each side, that shares no code.
TEST(ReferenceCritical, TanhSeparatesOrderFromChaos) {
  struct Row {
    Real bias, q, weight, slope, kurtosis;
  };
  for (const Row& row :
       {Row{0.01, 0.27330091345823326, 1.4242052904885978, 0.6781912459392693, 1.1525398862130778},
        Row{0.05, 0.570047881640753, 1.7609546396067206, 0.5181864840680517, 1.3422560783081106},
        Row{0.1, 0.8057991819134882, 1.986072641135865, 0.43945308155524654, 1.4790120399595792},
        Row{1, 3.0363963946237016, 3.4432109122654326, 0.18637096471652445, 2.4257780459453713}}) {
    const CriticalPoint point = only(critical_for_bias(integrals("tanh"), row.bias));
    expect_close(point.fixed.q, row.q, 1e-9);
    expect_close(point.weight, row.weight, 1e-10);
    expect_close(point.fixed.slope, row.slope, 1e-9);
    expect_close(point.kurtosis, row.kurtosis, 1e-10);
    EXPECT_EQ(point.fixed.stability, Stability::stable);
  }
  const CriticalPoint zero = only(critical_for_bias(integrals("tanh"), 0));
  EXPECT_EQ(zero.weight, 1);
  EXPECT_EQ(zero.fixed.q, 0);
  EXPECT_EQ(zero.fixed.stability, Stability::marginal);
  EXPECT_EQ(zero.kurtosis, 1);
}

/// Pennington et al. 2018, table 1: σ_w² = √(1 + π q*) for the error function of unit slope, κ = (1 + π
/// q*)/√(1
/// + 2 π q*); σ_w² = κ = 1/erf(1/√(2 q*)) for hard tanh.
TEST(ReferenceCritical, ErrorFunctionAndHardTanh) {
  for (const Real q : {1e-4, 0.1, 0.7, 3.0, 100.0}) {
    const CriticalPoint erf = only(critical_at(integrals("scaled_erf"), q));
    expect_close(erf.weight, std::sqrt(1 + pi * q), 1e-11);
    expect_close(erf.kurtosis, (1 + pi * q) / std::sqrt(1 + 2 * pi * q), 1e-11);
    const Real p = pi * q / 4, square = 2 / pi * std::asin(2 * p / (1 + 2 * p));
    EXPECT_NEAR(erf.bias, q - erf.weight * square, 1e-11 * q);
    const CriticalPoint hard = only(critical_at(integrals("hard_tanh"), q));
    expect_close(hard.weight, 1 / std::erf(1 / std::sqrt(2 * q)), 1e-11);
    expect_close(hard.kurtosis, hard.weight, 1e-11);
  }
}

/// Half-stable points, with χ₁ = V′ = 1: C_b and C_W of Roberts, Yaida & Hanin 2022 (arXiv 2106.10165). For
/// silu, C_b = 0.0555 is in circulation, with its decimal point misplaced. All digits are those of a
/// quadrature in Python that shares no code.
TEST(ReferenceCritical, GeluAndSiluAreStableFromACertainBiasOn) {
  struct Row {
    const char* name;
    Real bias, weight, q;
  };
  for (const Row& row :
       {Row{"gelu", 0.17292239, 1.98305826, 3.56155281}, Row{"silu", 0.55514317, 1.98800468, 14.32017362}}) {
    const GaussianIntegrals activation = integrals(row.name);
    const std::vector<CriticalPoint> changes = stability_changes(activation);
    ASSERT_EQ(changes.size(), 1u) << row.name;
    EXPECT_NEAR(changes[0].fixed.slope, 1, 1e-10);
    expect_close(changes[0].bias, row.bias, 3e-8);
    expect_close(changes[0].weight, row.weight, 3e-9);
    expect_close(changes[0].fixed.q, row.q, 3e-9);
    EXPECT_EQ(only(critical_for_bias(activation, 0.9 * row.bias)).fixed.stability, Stability::unstable);
    EXPECT_EQ(only(critical_for_bias(activation, 1.1 * row.bias)).fixed.stability, Stability::stable);
  }
  EXPECT_TRUE(stability_changes(integrals("tanh")).empty());
  EXPECT_TRUE(stability_changes(integrals("elu")).empty());
}

/// The two equations hold by a quadrature of the test's own.
TEST(LawCritical, SolutionsSolveTheEquations) {
  for (const char* name :
       {"tanh", "gelu", "silu", "elu", "selu", "sigmoid", "erf", "sin", "gelu_tanh", "hard_tanh"})
    for (const Real bias : {1e-6, 0.01, 0.3, 2.0}) {
      const Activation phi(name);
      const ActivationKind& kind = phi.kind();
      const Real a = phi.params().values().empty() ? 0 : phi.params().values()[0].number;
      const CriticalSet set = critical_for_bias(GaussianIntegrals(phi), bias);
      EXPECT_FALSE(set.points.empty()) << name << " " << bias << " " << set.reason;
      for (const CriticalPoint& point : set.points) {
        if (point.fixed.q > 1e3) continue;  // too narrow for the rule of the test
        const Real q = point.fixed.q;
        const auto value = [&](Real x) { return kind.value(x, a); };
        const auto slope = [&](Real x) { return kind.derivative(x, a); };
        // hard tanh: kinks inside panels of the rule, error O(width²)
        const Real tolerance = std::string(name) == "hard_tanh" ? 1e-2 : 1e-9;
        EXPECT_NEAR(point.weight * mean_at(q, [&](Real x) { return slope(x) * slope(x); }), 1, tolerance)
            << name << " " << bias;
        EXPECT_NEAR(point.weight * mean_at(q, [&](Real x) { return value(x) * value(x); }) + bias, q,
                    tolerance * q)
            << name << " " << bias;
      }
    }
}

TEST(Critical, HomogeneousActivationsKeepEveryVariance) {
  const CriticalSet relu = critical_for_bias(integrals("relu"), 0);
  EXPECT_TRUE(relu.every_q);
  EXPECT_DOUBLE_EQ(only(relu).weight, 2);
  EXPECT_DOUBLE_EQ(only(relu).kurtosis, 2);
  EXPECT_EQ(only(relu).fixed.stability, Stability::marginal);
  EXPECT_DOUBLE_EQ(only(critical_for_bias(integrals("identity"), 0)).weight, 1);
  expect_close(only(critical_for_bias(integrals("leaky_relu:slope=0.2"), 0)).weight, 2 / 1.04, 1e-14);
  const CriticalSet biased = critical_for_bias(integrals("relu"), 0.1);
  EXPECT_TRUE(biased.points.empty());
  EXPECT_NE(biased.reason, "");
}

TEST(Critical, WhereThereIsNoneThereIsAReason) {
  for (const Real bias : {0.0, 0.01, 1.0}) {
    const CriticalSet softplus = critical_for_bias(integrals("softplus"), bias);
    EXPECT_TRUE(softplus.points.empty());
    EXPECT_NE(softplus.reason, "");
  }
  EXPECT_NE(critical_at(integrals("softplus"), 1).reason, "");
  EXPECT_NE(critical_at(integrals("sigmoid"), 1).reason, "");
  EXPECT_NE(critical_for_bias(integrals("relu_squared"), 0).reason, "");
  EXPECT_THROW(critical_for_bias(integrals("tanh"), 1e-12), UsageError);
  EXPECT_THROW(critical_for_bias(integrals("tanh"), -1), UsageError);
  EXPECT_THROW(critical_for_bias(integrals("tanh"), std::nan("")), UsageError);
  EXPECT_THROW(critical_at(integrals("tanh"), 0), UsageError);
}

/// relu²: E φ² = 3 q²/2 and E φ′² = 2 q, so that q* = 4 σ_b², σ_w² = 1/(2 q*) and V′ = 3/2.
TEST(Critical, SquaredReluIsUnstable) {
  const CriticalPoint point = only(critical_for_bias(integrals("relu_squared"), 0.25));
  expect_close(point.fixed.q, 1, 1e-11);
  expect_close(point.weight, 0.5, 1e-11);
  expect_close(point.fixed.slope, 1.5, 1e-11);
  EXPECT_EQ(point.fixed.stability, Stability::unstable);
}

/// selu has a kink at 0, so that φ′(0±)² average to λ² (1 + a²)/2.
TEST(Critical, KinksAtZeroCount) {
  const Real lambda = 1.0507009873554805, a = 1.6732632423543772;
  const CriticalSet set = critical_for_bias(integrals("selu"), 0);
  ASSERT_FALSE(set.points.empty());
  EXPECT_EQ(set.points[0].fixed.q, 0);
  expect_close(set.points[0].weight, 2 / (lambda * lambda * (1 + a * a)), 1e-14);
}

// ---- phases

TEST(Critical, DepthScales) {
  expect_close(*decay_depth(0.5), 1 / std::log(2.0), 1e-15);
  EXPECT_EQ(*decay_depth(0), 0);
  EXPECT_FALSE(decay_depth(1));
  EXPECT_FALSE(decay_depth(1.5));
  EXPECT_FALSE(decay_depth(-0.1));
}

TEST(Critical, PhasesOfTanh) {
  const GaussianIntegrals tanh = integrals("tanh");
  const CriticalPoint line = only(critical_for_bias(tanh, 0.05));
  EXPECT_EQ(plain_phase(tanh, 0.9 * line.weight, 0.05, 1).phase, Phase::ordered);
  EXPECT_EQ(plain_phase(tanh, 1.1 * line.weight, 0.05, 1).phase, Phase::chaotic);
  const PlainPhase critical = plain_phase(tanh, line.weight, 0.05, 1);
  EXPECT_EQ(critical.phase, Phase::critical);
  expect_close(*critical.q, line.fixed.q, 1e-9);
  expect_close(*critical.slope, line.fixed.slope, 1e-8);
  // Without biases, c* of the chaotic phase of an odd φ is 0.
  const PlainPhase odd = plain_phase(tanh, 2.5, 0, 1);
  EXPECT_EQ(odd.phase, Phase::chaotic);
  EXPECT_EQ(*odd.correlation, 0);
  EXPECT_EQ(odd.fixed_points.size(), 2u);
  EXPECT_EQ(odd.fixed_points[0].stability, Stability::unstable);
}

/// c* solves C(c) = c and attracts: the slope there is below 1.
TEST(LawCritical, ChaoticCorrelationIsAFixedPoint) {
  for (const char* name : {"tanh", "erf", "sin", "hard_tanh"}) {
    const GaussianIntegrals activation = integrals(name);
    const Real weight = 4, bias = 0.3;
    const PlainPhase at = plain_phase(activation, weight, bias, 1);
    ASSERT_EQ(at.phase, Phase::chaotic) << name;
    const Real q = *at.q, c = *at.correlation;
    EXPECT_NEAR((weight * activation.product(q, q, c) + bias) / q, c, 1e-9) << name;
    EXPECT_LT(*at.correlation_slope, 1) << name;
    EXPECT_GT(c, 0) << name;
  }
}

/// gelu with σ_w² = 2, He's gain: small signals die, large ones are close to marginal.
TEST(Critical, SeveralFixedPoints) {
  const GaussianIntegrals gelu = integrals("gelu");
  const CriticalPoint unstable = only(critical_for_bias(gelu, 0.05));
  const PlainPhase below = plain_phase(gelu, unstable.weight, 0.05, 0.5 * unstable.fixed.q);
  const PlainPhase above = plain_phase(gelu, unstable.weight, 0.05, 2 * unstable.fixed.q);
  EXPECT_GE(below.fixed_points.size(), 2u);
  EXPECT_LT(*below.q, unstable.fixed.q);
  EXPECT_EQ(below.phase, Phase::ordered);
  EXPECT_TRUE(!above.q || *above.q > unstable.fixed.q);
}

TEST(Critical, HomogeneousPhases) {
  const GaussianIntegrals relu = integrals("relu");
  EXPECT_EQ(plain_phase(relu, 2, 0, 3).phase, Phase::critical);
  EXPECT_EQ(*plain_phase(relu, 2, 0, 3).q, 3);
  const PlainPhase ordered = plain_phase(relu, 1, 0.5, 3);
  EXPECT_EQ(ordered.phase, Phase::ordered);
  expect_close(*ordered.q, 1, 1e-12);
  EXPECT_EQ(*plain_phase(relu, 2, 0, 3).correlation, 1);
  EXPECT_FALSE(plain_phase(integrals("identity"), 1, 0, 3).correlation);  // linear nets keep correlations
  EXPECT_EQ(plain_phase(relu, 2, 0.1, 3).phase, Phase::diverging);
  EXPECT_EQ(plain_phase(relu, 3, 0, 3).phase, Phase::diverging);
  expect_close(*plain_phase(relu, 3, 0, 3).chi, 1.5, 1e-12);
}

/// The next layer's variance and correlation, iterated, end where the fixed points are.
TEST(LawCritical, IterationEndsAtTheFixedPoint) {
  for (const char* name : {"tanh", "gelu", "silu", "sin", "selu", "sigmoid"})
    for (const Real weight : {0.5, 1.5, 4.0})
      for (const Real bias : {0.0, 0.2}) {
        const GaussianIntegrals activation = integrals(name);
        const PlainPhase at = plain_phase(activation, weight, bias, weight + bias);
        Real q = weight + bias;
        for (int l = 0; l < 3000 && q < 1e8; ++l) q = weight * activation.at(q).square + bias;
        if (at.q)
          EXPECT_NEAR(q, *at.q, 1e-3 * (1 + *at.q)) << name << " " << weight << " " << bias;
        else
          EXPECT_GE(q, 1e8) << name << " " << weight << " " << bias;
      }
}

// ---- spread

/// Plain linear nets: σ_max² = (L + 1)^(L+1)/L^L (Gaussian), 1 (orthogonal). relu, L = 4: 4.675 and 3.079,
/// tanh 1.445 with σ_w² = 1 are values of a free-probability solver at one q; relu does not depend on it.
TEST(ReferenceCritical, LargestSingularValueOfPlainNets) {
  const SlopeLaw linear = integrals("identity").slopes(1), relu = integrals("relu").slopes(1);
  for (const Index L : {1, 2, 4, 50}) {
    const Real depth = static_cast<Real>(L);
    EXPECT_NEAR(2 * plain_log_sigma_max(linear, 1, Ensemble::independent, L),
                (depth + 1) * std::log(depth + 1) - depth * std::log(depth), 1e-11);
    EXPECT_NEAR(plain_log_sigma_max(linear, 1, Ensemble::haar, L), 0, 1e-11);
  }
  EXPECT_NEAR(std::exp(plain_log_sigma_max(relu, 2, Ensemble::independent, 4)), 4.675, 1e-3);
  EXPECT_NEAR(std::exp(plain_log_sigma_max(relu, 2, Ensemble::haar, 4)), 3.079, 1e-3);
}

TEST(Critical, DepthsOfASpread) {
  const GaussianIntegrals relu = integrals("relu");
  const CriticalPoint point = only(critical_for_bias(relu, 0));
  const SpreadDepths gaussian = spread_depths(relu, point, Ensemble::independent, 10);
  const SpreadDepths orthogonal = spread_depths(relu, point, Ensemble::haar, 10);
  EXPECT_EQ(*gaussian.by_variance, 5);
  EXPECT_EQ(*orthogonal.by_variance, 10);
  const auto maximum = [&](Ensemble ensemble, Index L) {
    return std::exp(plain_log_sigma_max(relu.slopes(1), 2, ensemble, L));
  };
  EXPECT_LE(maximum(Ensemble::independent, *gaussian.by_maximum), 10);
  EXPECT_GT(maximum(Ensemble::independent, *gaussian.by_maximum + 1), 10);
  EXPECT_GT(*orthogonal.by_maximum, *gaussian.by_maximum);
  const GaussianIntegrals tanh = integrals("tanh");
  const CriticalPoint isometric = only(critical_for_bias(tanh, 0));
  EXPECT_FALSE(spread_depths(tanh, isometric, Ensemble::haar, 2).by_variance);
  EXPECT_FALSE(spread_depths(tanh, isometric, Ensemble::haar, 2).by_maximum);
}

// ---- measured

struct Pair {
  Vector a, b;  ///< W x + b of two inputs
};

/// A plain tanh net: the pairs at every layer, starting at variance q and correlation rho.
std::vector<Pair> plain_net(Real weight, Real bias, Real q, Real rho, Index depth, std::uint32_t seed) {
  constexpr Index n = 256;
  std::vector<Pair> pairs(1);
  pairs[0].a = std::sqrt(q) * testing::normal(n, seed);
  pairs[0].b = rho * pairs[0].a + std::sqrt((1 - rho * rho) * q) * testing::normal(n, seed + 1);
  for (Index l = 0; l < depth; ++l) {
    const auto id = seed + 2 + 2 * static_cast<std::uint32_t>(l);
    const Matrix W = std::sqrt(weight / n) * testing::normal(n, n, id);
    const Vector bias_vector = std::sqrt(bias) * testing::normal(n, id + 1);
    const Pair& at = pairs.back();
    pairs.push_back(
        {W * at.a.array().tanh().matrix() + bias_vector, W * at.b.array().tanh().matrix() + bias_vector});
  }
  return pairs;
}

/// (1 − c), free of cancellation.
Real distance(const Pair& pair) {
  return (pair.a.normalized() - pair.b.normalized()).squaredNorm() / 2;
}

/// The ordered phase: q → q*, and 1 − c falls by χ₁ per layer. Width 256, 12 nets; finite width moves means
/// by O(1/n).
TEST(LawCritical, OrderedNetsConvergeAsPredicted) {
  const Real weight = 1.3, bias = 0.05;
  const PlainPhase at = plain_phase(integrals("tanh"), weight, bias, 1);
  ASSERT_EQ(at.phase, Phase::ordered);
  const Index depth = static_cast<Index>(4 * *decay_depth(*at.slope)) + 12;
  Vector squares(12), ratios(12);
  for (Index net = 0; net < 12; ++net) {
    const auto pairs = plain_net(weight, bias, 1, 0.9, depth, 1000 * static_cast<std::uint32_t>(net + 1));
    Real q = 0, ratio = 0;
    for (std::size_t l = pairs.size() - 8; l < pairs.size(); ++l) {
      q += pairs[l].a.squaredNorm() / 256 / 8;
      ratio += distance(pairs[l]) / distance(pairs[l - 1]) / 8;
    }
    squares[net] = q, ratios[net] = ratio;
  }
  EXPECT_EQ(compare_mean(squares, {*at.q, {}, 2 * *at.q / 256}).verdict, Verdict::agrees) << squares.mean();
  EXPECT_EQ(compare_mean(ratios, {*at.correlation_slope, {}, 2.0 / 256}).verdict, Verdict::agrees)
      << ratios.mean() << " " << *at.correlation_slope;
}

/// The chaotic phase: c → c* < 1, from above and from below.
TEST(LawCritical, ChaoticNetsForgetTheirInputs) {
  const Real weight = 4, bias = 0.1;
  const PlainPhase at = plain_phase(integrals("tanh"), weight, bias, 1);
  ASSERT_EQ(at.phase, Phase::chaotic);
  const Index depth = static_cast<Index>(6 * *decay_depth(*at.correlation_slope)) + 1;
  for (const Real rho : {0.0, 0.98}) {
    Vector found(12);
    for (Index net = 0; net < 12; ++net)
      found[net] = 1 - distance(plain_net(weight, bias, *at.q, rho, depth,
                                          100000 + 1000 * static_cast<std::uint32_t>(net))
                                    .back());
    EXPECT_EQ(compare_mean(found, {*at.correlation, {}, 4.0 / 256}).verdict, Verdict::agrees)
        << found.mean() << " " << *at.correlation;
  }
}

}  // namespace
}  // namespace rezero::theory
