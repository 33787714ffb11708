#include "theory/mask_persistence.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace rezero::theory {
namespace {

/// F_l = β φ′² + ω φ², functions of the argument at block l.
struct Function {
  Real slope = 0, value = 0;  ///< β, ω
};

/// Covariances with earlier blocks k: Σ w_k Cov(φ′_k², φ′_l²), Σ β_k β_l of the same, and Σ Cov(F_k, F_l).
struct Sums {
  Real variance = 0, given = 0, total = 0;
};

/// The covariances along the stream, summed over earlier blocks as l advances.
class History {
 public:
  History() = default;
  History(const History&) = delete;
  History& operator=(const History&) = delete;
  virtual ~History() = default;
  /// With block l, whose argument has variance p.
  virtual Sums with(Real p, const Expectations& e, const Function& f) = 0;
  /// Adds that block, with weight w.
  virtual void add(Real w, const Function& f) = 0;
  /// Between blocks: the correlation of neighbouring streams, and the factor of old weights w.
  virtual void advance(Real correlation, Real decay) = 0;
  /// Covariance of Σ F_l with |x_0|², divided by the latter's standard deviation.
  virtual Real with_input() const = 0;
};

/// Degree 1: Cov = jump²/(2π) asin ρ, pair by pair. χ does not depend on q, and ω = 0; φ′² is an odd function
/// and a constant, hence independent of |x_0|².
class Pairs final : public History {
 public:
  Pairs(const GaussianIntegrals& integrals, std::size_t blocks)
      : scale_(integrals.slope_square_covariance(1, 1, 1) / std::asin(Real{1})) {
    past_.reserve(blocks);
  }
  Sums with(Real, const Expectations&, const Function& f) override {
    Sums sums;
    if (scale_ == 0) return sums;
    for (const Past& past : past_) {
      const Real covariance = scale_ * std::asin(std::clamp<Real>(past.correlation, -1, 1));
      sums.variance += past.variance * covariance, sums.given += past.slope * f.slope * covariance;
    }
    sums.total = sums.given;
    return sums;
  }
  void add(Real w, const Function& f) override { past_.push_back({1, w, f.slope}); }
  void advance(Real correlation, Real decay) override {
    for (Past& past : past_) past.correlation *= correlation, past.variance *= decay;
  }
  Real with_input() const override { return 0; }

 private:
  struct Past {
    Real correlation, variance, slope;
  };
  Real scale_;
  std::vector<Past> past_;
};

/// Others: a sum over Hermite modes, each of which decays along the stream by a power of the correlation, in
/// O(modes) per block. What the last mode leaves of a variance (1e-6 of it for tanh at p = 20, 1 % for a jump
/// of φ′) decays as a mode of three times that degree.
class Modes final : public History {
 public:
  explicit Modes(const GaussianIntegrals& integrals)
      : integrals_(integrals),
        variance_(Vector::Zero(count + 1)),
        given_(variance_),
        total_(variance_),
        slope_(variance_),
        function_(variance_) {}

  Sums with(Real p, const Expectations& e, const Function& f) override {
    const GaussianIntegrals::SquareModes modes = integrals_.square_modes(p, count);
    slope_.head(count) = modes.slope;
    function_.head(count) = f.slope * modes.slope + f.value * modes.value;
    close(slope_, e.slope_fourth), close(function_, mean_square(e, f));
    Sums sums;
    sums.variance = variance_.dot(slope_), sums.given = given_.dot(slope_) * f.slope;
    sums.total = total_.dot(function_);
    return sums;
  }
  void add(Real w, const Function& f) override {
    variance_ += w * slope_, given_ += f.slope * slope_, total_ += function_;
    with_input_ += function_(2) * to_input_ * to_input_;
  }
  void advance(Real correlation, Real decay) override {
    Real power = 1;
    for (Index j = 0; j <= count; ++j, power *= correlation) {
      if (j == count) power = std::pow(std::abs(correlation), 3 * count);
      variance_(j) *= power * decay, given_(j) *= power, total_(j) *= power;
    }
    to_input_ *= correlation;
  }
  Real with_input() const override { return with_input_; }

  /// E F².
  static Real mean_square(const Expectations& e, const Function& f) {
    return f.slope * f.slope * e.slope_fourth + 2 * f.slope * f.value * e.mixed_square +
           f.value * f.value * e.fourth;
  }

 private:
  static constexpr Index count = 200;
  /// Puts what the modes leave of E f² into the last one; takes the mean out.
  static void close(Vector& modes, Real mean_square) {
    Real rest = mean_square;
    for (Index j = 0; j < count; ++j) rest -= modes(j) * modes(j);
    modes(count) = std::sqrt(std::max<Real>(0, rest));
    modes(0) = 0;
  }

  const GaussianIntegrals& integrals_;
  Vector variance_, given_, total_;  ///< of the past
  Vector slope_, function_;          ///< of the block at hand
  Real to_input_ = 1, with_input_ = 0;
};

Real growth_of(const BlockLaw& block, const BlockState& state) {
  return block.skip * block.skip + (block.off() ? 0 : block.scale * block.scale * state.branch_slope);
}

/// F_l: what one coordinate adds to n log ‖J‖²_F through the slopes of its block, and through φ² in the
/// increments of the stream, to which all later blocks respond.
std::vector<Function> responses(const NetworkLaw& law, const MeanField& field) {
  std::vector<Function> functions(law.blocks.size());
  Real later = 0;  // ∂ log m1/∂q, in the inverse of the units of q
  std::int64_t exponent = field.final_exponent;
  for (std::size_t l = law.blocks.size(); l-- > 0;) {
    const BlockLaw& block = law.blocks[l];
    later = shifted(later, field.blocks[l].exponent - exponent), exponent = field.blocks[l].exponent;
    const Expectations& e = field.blocks[l].at_argument;
    const Real skip = block.skip * block.skip, growth = growth_of(block, field.blocks[l]);
    if (block.norm != NormPlacement::none || growth == 0) return std::vector<Function>(law.blocks.size());
    const Real strength = block.off() ? 0 : block.scale * block.scale * block.weight;
    functions[l] = {strength / growth, law.activation.homogeneous() ? 0 : strength * later};
    later = later * (skip + strength * e.cross) + strength / growth * e.slope_growth;
    if (law.activation.homogeneous()) later = 0;
  }
  return functions;
}

}  // namespace

/// With K = J Jᵀ, P = τ(K²)/τ(K)², b = α²σ²/f and f = λ² + α²σ²d the growth of τ(K), d = E φ′², per block:
///
///     τ(D²K²)/τ(K)² = d P + C        X = κ d² + d² (P − 1) + 2 d C
///     P′ = (λ⁴/f²) P + 2 (λ²/f) b (d P + C + d) + b² (d² + X)         (Haar: without the d² before X)
///
/// C = Σ_k w_k C(k, l): block k enters with w = λ² b/f, which later blocks multiply by λ²/f.
///
/// Coordinates are independent paths x_0, x_1, … whose increments have the variance α² (σ² mean φ(x_l)² + β).
/// The fluctuation of log ‖J‖²_F is therefore that of the mean over coordinates of Σ_l F_l(x_l).
MaskPersistence mask_persistence(const NetworkLaw& law, const MeanField& field) {
  const GaussianIntegrals integrals(law.activation);
  std::unique_ptr<History> history;
  if (law.activation.homogeneous())
    history = std::make_unique<Pairs>(integrals, law.blocks.size());
  else
    history = std::make_unique<Modes>(integrals);
  const std::vector<Function> functions = responses(law, field);
  MaskPersistence result;
  Real moment = 1;  // P
  result.relative_variance.push_back(0);
  for (std::size_t l = 0; l < law.blocks.size(); ++l) {
    const BlockLaw& block = law.blocks[l];
    const BlockState& state = field.blocks[l];
    const Expectations& e = state.at_argument;
    const Function& f = functions[l];
    const Real skip = block.skip * block.skip, scale = block.off() ? 0 : block.scale * block.scale;
    const Real d = e.slope_square, growth = growth_of(block, state);
    if (growth == 0) {  // J is zero from here on
      result.relative_variance.resize(law.blocks.size() + 1, 0);
      return result;
    }
    const Real kept = skip / growth;
    if (growth > skip) {
      const Real b = (growth - skip) / d / growth, kurtosis = e.kurtosis();
      const Sums sums = history->with(state.argument, e, f);
      const Real x = d * d * (kurtosis + moment - 1) + 2 * d * sums.variance;
      const Real square = block.ensemble == Ensemble::haar ? 0 : d * d;
      const Real mean = f.slope * d + f.value * e.square;
      result.given_squares += f.slope * f.slope * d * d * (kurtosis - 1) + 2 * sums.given;
      result.total += Modes::mean_square(e, f) - mean * mean + 2 * sums.total;
      moment = kept * kept * moment + 2 * kept * b * (d * moment + sums.variance + d) + b * b * (square + x);
      history->add(b, f);  // b times `kept` below, as all older ones
    }
    const Real before_norm = skip * state.square + scale * state.branch_square;
    const Real correlation =
        before_norm > 0 ? block.skip * std::sqrt(state.square / before_norm) : std::copysign(1, block.skip);
    history->advance(correlation, kept);
    result.relative_variance.push_back(moment - 1);
  }
  if (law.fixed_input_square) result.total -= history->with_input() * history->with_input();
  return result;
}

}  // namespace rezero::theory
