#include "theory/mask_persistence.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace rezero::theory {
namespace {

/// Σ_k w_k C(k, l) over earlier blocks k, for two sets of weights w.
struct Sums {
  Real variance = 0, spread = 0;
};

/// The covariances C(k, l) = Cov(φ′(x_k)², φ′(x_l)²) along the stream, summed over k as l advances.
class History {
 public:
  History() = default;
  History(const History&) = delete;
  History& operator=(const History&) = delete;
  virtual ~History() = default;
  /// Weighted covariances of the blocks added so far with φ′² at the current argument p; then adds a block.
  virtual Sums with(Real p) = 0;
  virtual void add(Real variance_weight, Real spread_weight) = 0;
  /// Between blocks: the correlation of neighbouring streams, and the factor of old weights.
  virtual void advance(Real correlation, Real decay) = 0;
};

/// Degree 1: C = jump²/(2π) asin ρ, pair by pair.
class Pairs final : public History {
 public:
  Pairs(const GaussianIntegrals& integrals, std::size_t blocks)
      : scale_(integrals.slope_square_covariance(1, 1, 1) / std::asin(Real{1})) {
    past_.reserve(blocks);
  }
  Sums with(Real) override {
    Sums sums;
    if (scale_ == 0) return sums;
    for (const Past& past : past_) {
      const Real covariance = scale_ * std::asin(std::clamp<Real>(past.correlation, -1, 1));
      sums.variance += past.variance * covariance, sums.spread += past.spread * covariance;
    }
    return sums;
  }
  void add(Real variance, Real spread) override { past_.push_back({1, variance, spread}); }
  void advance(Real correlation, Real decay) override {
    for (Past& past : past_) past.correlation *= correlation, past.variance *= decay;
  }

 private:
  struct Past {
    Real correlation, variance, spread;
  };
  Real scale_;
  std::vector<Past> past_;
};

/// Others: a sum over Hermite modes, each of which decays along the stream by a power of the correlation, in
/// O(modes) per block. What the last mode leaves of the variance (1e-6 of it for tanh at p = 20, 1 % for a
/// jump of φ′) decays as a mode of three times that degree.
class Modes final : public History {
 public:
  explicit Modes(const GaussianIntegrals& integrals)
      : integrals_(integrals), variance_(Vector::Zero(count + 1)), spread_(Vector::Zero(count + 1)) {}
  Sums with(Real p) override {
    if (!(p == variance_of_argument_)) {
      variance_of_argument_ = p;
      modes_ = Vector(count + 1);
      modes_.head(count) = integrals_.slope_square_modes(p, count);
      const Real rest = integrals_.at(p).slope_fourth - modes_.head(count).squaredNorm();
      modes_(count) = std::sqrt(std::max<Real>(0, rest));
      modes_(0) = 0;  // the product of the means
    }
    return {variance_.dot(modes_), spread_.dot(modes_)};
  }
  void add(Real variance, Real spread) override {
    variance_ += variance * modes_, spread_ += spread * modes_;
  }
  void advance(Real correlation, Real decay) override {
    Real power = 1;
    for (Index j = 0; j < count; ++j, power *= correlation)
      variance_(j) *= power * decay, spread_(j) *= power;
    power = std::pow(std::abs(correlation), 3 * count);
    variance_(count) *= power * decay, spread_(count) *= power;
  }

 private:
  static constexpr Index count = 200;
  const GaussianIntegrals& integrals_;
  Vector modes_, variance_, spread_;
  Real variance_of_argument_ = -1;
};

}  // namespace

/// With K = J Jᵀ, P = τ(K²)/τ(K)², b = α²σ²/f and f = λ² + α²σ²d the growth of τ(K), d = E φ′², per block:
///
///     τ(D²K²)/τ(K)² = d P + C        X = κ d² + d² (P − 1) + 2 d C
///     P′ = (λ⁴/f²) P + 2 (λ²/f) b (d P + C + d) + b² (d² + X)         (Haar: without the d² before X)
///
/// C = Σ_k w_k C(k, l): block k enters with w = λ² b/f, which later blocks multiply by λ²/f.
MaskPersistence mask_persistence(const NetworkLaw& law, const MeanField& field) {
  const GaussianIntegrals integrals(law.activation);
  std::unique_ptr<History> history;
  if (law.activation.homogeneous())
    history = std::make_unique<Pairs>(integrals, law.blocks.size());
  else
    history = std::make_unique<Modes>(integrals);
  MaskPersistence result;
  Real moment = 1;  // P
  result.relative_variance.push_back(0);
  for (std::size_t l = 0; l < law.blocks.size(); ++l) {
    const BlockLaw& block = law.blocks[l];
    const BlockState& state = field.blocks[l];
    const Real skip = block.skip * block.skip, scale = block.off() ? 0 : block.scale * block.scale;
    const Real slope = scale == 0 ? 0 : scale * state.branch_slope, growth = skip + slope;
    const Real d = state.at_argument.slope_square;
    if (growth == 0) {  // J is zero from here on
      result.relative_variance.resize(law.blocks.size() + 1, 0);
      return result;
    }
    const Real kept = skip / growth;
    if (slope > 0) {
      const Real b = slope / d / growth, kurtosis = state.at_argument.kurtosis();
      const Sums sums = history->with(state.argument);
      const Real x = d * d * (kurtosis + moment - 1) + 2 * d * sums.variance;
      const Real square = block.ensemble == Ensemble::haar ? 0 : d * d;
      result.spread += b * b * d * d * (kurtosis - 1) + 2 * b * sums.spread;
      moment = kept * kept * moment + 2 * kept * b * (d * moment + sums.variance + d) + b * b * (square + x);
      history->add(b, b);  // times `kept` below, as all older ones
    }
    const Real before_norm = skip * state.square + scale * state.branch_square;
    const Real correlation =
        before_norm > 0 ? block.skip * std::sqrt(state.square / before_norm) : std::copysign(1, block.skip);
    history->advance(correlation, kept);
    result.relative_variance.push_back(moment - 1);
  }
  return result;
}

}  // namespace rezero::theory
