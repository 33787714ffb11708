#include "rezero/theory/mean_field.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "rezero/core/error.h"

namespace rezero::theory {
namespace {

/// The stream between blocks, in units of 2^exponent.
struct Stream {
  Real square = 0, mean = 0;
  std::int64_t exponent = 0;

  Real in_units(Real variance) const { return shifted(variance, -exponent); }
};

void rescale(Stream& stream, std::int64_t change) {
  stream.exponent += change;
  stream.square = shifted(stream.square, -change);
  stream.mean = shifted(stream.mean, -change / 2);
}

/// q + ε of a norm, and what the norm makes of q and μ.
struct Normed {
  Real divisor = 1, square = 0, mean = 0;
};
Normed normed(const BlockLaw& law, Real square, Real mean, Real epsilon) {
  const Real spread = law.centered ? std::max<Real>(0, square - mean * mean) : square;
  Normed out;
  out.divisor = spread + epsilon;
  if (out.divisor == 0) return out;
  out.square = spread / out.divisor;
  out.mean = law.centered ? 0 : mean / std::sqrt(out.divisor);
  return out;
}

class Recursion {
 public:
  explicit Recursion(const NetworkLaw& law)
      : law_(law), integrals_(law.activation), identity_(Activation("identity")) {
    bool biases = false;
    for (const BlockLaw& block : law.blocks) biases = biases || block.bias > 0 || block.bias2 > 0;
    // Small arguments: only where φ is of degree 1 throughout, and nothing else sets a scale.
    shrinks_ = law.activation.homogeneous() && !biases;
  }

  MeanField run() {
    Stream stream{law_.input_square, law_.input_mean, 0};
    MeanField field;
    field.blocks.reserve(law_.blocks.size());
    for (std::size_t l = 0; l < law_.blocks.size(); ++l) {
      fit(stream);
      field.blocks.push_back(step(law_.blocks[l], stream, l));
    }
    fit(stream);
    field.final_square = stream.square, field.final_mean = stream.mean;
    field.final_exponent = stream.exponent;
    return field;
  }

 private:
  /// Keeps q within the range of doubles where a change of unit changes nothing else.
  void fit(Stream& stream) const {
    const Real large = std::ldexp(1, 400), small = std::ldexp(1, -400);
    constexpr std::int64_t change = 200;
    while (stream.square > large && integrals_.homogeneous_far_out()) rescale(stream, change);
    while (stream.exponent > 0 && stream.square < 1) rescale(stream, -change);
    while (stream.square > 0 && stream.square < small && shrinks_) rescale(stream, -change);
    while (stream.exponent < 0 && stream.square > 1) rescale(stream, change);
  }

  BlockState step(const BlockLaw& law, Stream& stream, std::size_t l) const {
    BlockState state;
    state.exponent = stream.exponent;
    state.square = stream.square, state.mean = stream.mean;
    const bool before = law.norm == NormPlacement::before_branch;
    Normed in{1, stream.square, stream.mean};
    Stream inner = stream;  // the branch's units
    if (before) {
      in = normed(law, stream.square, stream.mean, stream.in_units(law.epsilon));
      inner.exponent = 0;
    }
    const auto finite = [&](Real value, const char* what) {
      if (!std::isfinite(value))
        throw NumericalError("block " + std::to_string(l) + ": the predicted " + what +
                             " is beyond the range of doubles");
      return value;
    };
    const bool linear = law.form == BranchForm::linear, haar = law.ensemble == Ensemble::haar;
    const Real bias = inner.in_units(law.bias), bias2 = inner.in_units(law.bias2);
    state.argument = law.form == BranchForm::preactivation ? in.square : law.weight * in.square + bias;
    finite(state.argument, "variance of an activation's argument");
    state.at_argument = (linear ? identity_ : integrals_).at(state.argument);
    const Expectations& e = state.at_argument;
    const Real kurtosis = e.kurtosis();
    Real slope = law.weight * e.slope_square;
    switch (law.form) {
      case BranchForm::linear:
        state.branch_square = state.argument, state.eta = haar ? 0 : 1;
        break;
      case BranchForm::dense:
        state.branch_square = e.square, state.branch_mean = e.mean;
        state.eta = haar ? kurtosis - 1 : kurtosis;
        break;
      case BranchForm::preactivation:
        state.branch_square = law.weight * e.square + bias;
        state.eta = haar ? kurtosis - 1 : kurtosis;
        break;
      case BranchForm::mlp:
        state.branch_square = law.weight2 * e.square + bias2;
        slope *= law.weight2;
        state.eta = haar ? kurtosis - 1 : 1 + kurtosis / law.gamma;
        break;
    }
    // A branch behind a norm has values in units of 1, whatever the stream's unit.
    if (before) {
      const Real root = shifted(1, -stream.exponent / 2);
      state.branch_square = stream.in_units(state.branch_square), state.branch_mean *= root;
      slope = slope == 0 ? 0 : stream.in_units(slope) / in.divisor;
    }
    state.branch_slope = finite(slope, "mean square of the branch's derivative");
    const Real skip = law.skip * law.skip, scale = law.scale * law.scale;
    const auto times = [](Real a, Real b) { return a == 0 ? 0 : a * b; };  // α = 0 and an infinite χ
    if (law.skip != 0) state.ratio = times(scale, slope) / skip;
    state.factor = skip + times(scale, slope);

    const Real cross = 2 * law.skip * law.scale * stream.mean * state.branch_mean;
    stream.square = skip * stream.square + cross + scale * state.branch_square;
    stream.mean = law.skip * stream.mean + law.scale * state.branch_mean;
    if (law.norm == NormPlacement::after_sum) {
      const Normed out = normed(law, stream.square, stream.mean, stream.in_units(law.epsilon));
      // In units of 1: the norm divides the derivative by √(2^exponent · divisor).
      if (out.divisor == 0)
        throw NumericalError("block " + std::to_string(l) + ": a norm divides by zero (its eps is 0)");
      state.factor = shifted(state.factor / out.divisor, -stream.exponent);
      finite(out.divisor, "norm");
      state.log_divisor = ScaledReal::make(out.divisor, stream.exponent).log();
      stream = {out.square, out.mean, 0};
    }
    finite(state.branch_square, "variance of the branch");
    finite(state.factor, "growth of the Jacobian");
    finite(stream.square, "variance of the stream"), finite(stream.mean, "mean of the stream");
    return state;
  }

  const NetworkLaw& law_;
  GaussianIntegrals integrals_, identity_;
  bool shrinks_ = false;
};

}  // namespace

ScaledReal MeanField::square(Index l) const {
  if (l == static_cast<Index>(blocks.size())) return ScaledReal::make(final_square, final_exponent);
  const BlockState& state = blocks.at(static_cast<std::size_t>(l));
  return ScaledReal::make(state.square, state.exponent);
}

MeanField mean_field(const NetworkLaw& law) {
  return Recursion(law).run();
}

}  // namespace rezero::theory
