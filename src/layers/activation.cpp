#include "rezero/layers/activation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/underflow.h"
#include "layers/activation_kernel.h"
#include "rezero/linalg/maps.h"

namespace rezero {

using detail::ActivationKernel;

namespace {

constexpr Real pi = 3.14159265358979323846, sqrt_half = 0.70710678118654752440,
               sqrt_two = 1.41421356237309504880;
constexpr Real selu_lambda = 1.0507009873554805, selu_alpha = 1.6732632423543772;  // Klambauer et al. 2017
constexpr Real gelu_cubic = 0.044715;                                              // Hendrycks & Gimpel 2016

Real sigmoid(Real x) {  // overflows on neither side
  const Real e = std::exp(-std::abs(x));
  return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}
Real normal_cdf(Real x) {
  return std::erfc(-x * sqrt_half) / 2;
}
Real normal_pdf(Real x) {
  return std::exp(-x * x / 2) / std::sqrt(2 * pi);
}
Real gelu_argument(Real x) {
  return std::sqrt(2 / pi) * (x + gelu_cubic * x * x * x);
}
/// x · density-like factor, 0 in the far tails where the factor underflows and x may be huge.
Real damped(Real x, Real factor) {
  return factor == 0 ? 0 : x * factor;
}

/// 1 − tanh² x as 4 σ(2x) σ(−2x): keeps its relative accuracy where tanh rounds to ±1.
Real tanh_derivative(Real x) {
  const Real e = std::exp(-2 * std::abs(x)), s = 1 + e;
  return 4 * e / (s * s);
}
/// (1 + tanh u)/2 = σ(2u), so that x/2 (1 + t) = x σ(2u).
Real gelu_tanh_derivative(Real x) {
  const Real u = gelu_argument(x);
  return sigmoid(2 * u) +
         damped(x / 2 * (1 + 3 * gelu_cubic * x * x), tanh_derivative(u) * std::sqrt(2 / pi));
}
Real elu(Real x, Real a) {
  return x > 0 ? x : a * std::expm1(x);
}
Real elu_derivative(Real x, Real a) {
  return x > 0 ? 1 : a * std::exp(x);
}
Real softplus(Real x) {
  return std::log1p(std::exp(-std::abs(x))) + std::max(x, Real{0});
}

Real relu_gain(Real) {
  return sqrt_two;
}

template <ActivationKernel::Function ActivationKernel::*function>
unsigned by_kernel(const Real* x, Index n, Real a, Real* value, Real* slope) {
  return (detail::activation_kernel().*function)(x, n, a, value, slope);
}

/// By the C library, since large arguments need hundreds of digits of π. NaN if an argument is not finite.
unsigned sine(const Real* x, Index n, Real, Real* value, Real* slope) {
  unsigned lost = 0;
  for (Index i = 0; i < n; ++i) {
    value[i] = std::sin(x[i]), slope[i] = std::cos(x[i]);
    if (std::abs(value[i]) < std::numeric_limits<Real>::min() && x[i] != 0) lost |= 1;
  }
  return lost;
}

std::vector<ActivationKind> table() {
  // Derivatives as autodiff of the usual implementation gives them; at kinks as in torch 1.13, except
  // hard_tanh.
  std::vector<ActivationKind> all;
  auto* kind = add_entry(all, "identity");
  kind->aliases = {"linear"};
  kind->summary = "x";
  kind->derivative_formula = "1";
  kind->value = [](Real x, Real) { return x; };
  kind->derivative = [](Real, Real) { return Real{1}; };
  kind->both = by_kernel<&ActivationKernel::identity>;
  kind->degree = 1;

  kind = add_entry(all, "relu");
  kind->summary = "max(x, 0)";
  kind->derivative_formula = "1[x > 0]";
  kind->kink = "φ′(0) = 0";
  kind->source = "Nair & Hinton 2010";
  kind->value = [](Real x, Real) { return x > 0 ? x : x * 0; };
  kind->derivative = [](Real x, Real) { return x > 0 ? Real{1} : x * 0; };
  kind->both = by_kernel<&ActivationKernel::relu>;
  kind->degree = 1;
  kind->gain = relu_gain;
  kind->flat = true;

  kind = add_entry(all, "leaky_relu");
  kind->aliases = {"leaky-relu", "leaky"};
  kind->summary = "x > 0 ? x : s x";
  kind->derivative_formula = "x > 0 ? 1 : s";
  kind->kink = "φ′(0) = s";
  kind->source = "Maas et al. 2013";
  kind->params = {{"slope", ParamKind::real, "0.01", "slope s for x ≤ 0"}};
  kind->value = [](Real x, Real s) { return x > 0 ? x : s * x; };
  kind->derivative = [](Real x, Real s) { return x > 0 ? Real{1} : s + x * 0; };
  kind->both = by_kernel<&ActivationKernel::leaky_relu>;
  kind->degree = 1;
  kind->gain = [](Real s) { return std::sqrt(2 / (1 + s * s)); };

  kind = add_entry(all, "tanh");
  kind->summary = "tanh x";
  kind->derivative_formula = "1 − tanh² x";
  kind->value = [](Real x, Real) { return std::tanh(x); };
  kind->derivative = [](Real x, Real) { return tanh_derivative(x); };
  kind->both = by_kernel<&ActivationKernel::tanh>;
  kind->gain = [](Real) { return Real{5} / 3; };

  kind = add_entry(all, "erf");
  kind->summary = "erf x";
  kind->derivative_formula = "(2/√π) exp(−x²)";
  kind->value = [](Real x, Real) { return std::erf(x); };
  kind->derivative = [](Real x, Real) { return 2 / std::sqrt(pi) * std::exp(-x * x); };
  kind->both = by_kernel<&ActivationKernel::erf>;

  kind = add_entry(all, "scaled_erf");
  kind->aliases = {"scaled-erf"};
  kind->summary = "erf(√π x / 2)";
  kind->derivative_formula = "exp(−π x² / 4)";
  kind->source = "Pennington et al. 2018, Table 1";
  kind->value = [](Real x, Real) { return std::erf(std::sqrt(pi) / 2 * x); };
  kind->derivative = [](Real x, Real) { return std::exp(-pi * x * x / 4); };
  kind->both = by_kernel<&ActivationKernel::scaled_erf>;

  kind = add_entry(all, "sigmoid");
  kind->summary = "1 / (1 + e^−x)";
  kind->derivative_formula = "φ (1 − φ)";
  kind->value = [](Real x, Real) { return sigmoid(x); };
  kind->derivative = [](Real x, Real) { return sigmoid(x) * sigmoid(-x); };
  kind->both = by_kernel<&ActivationKernel::sigmoid>;

  kind = add_entry(all, "gelu");
  kind->summary = "x Φ(x)";
  kind->derivative_formula = "Φ(x) + x N(x)";
  kind->source = "Hendrycks & Gimpel 2016";
  kind->value = [](Real x, Real) { return x * normal_cdf(x); };
  kind->derivative = [](Real x, Real) { return normal_cdf(x) + damped(x, normal_pdf(x)); };
  kind->both = by_kernel<&ActivationKernel::gelu>;

  kind = add_entry(all, "gelu_tanh");
  kind->aliases = {"gelu-tanh"};
  kind->summary = "x/2 (1 + tanh(√(2/π) (x + 0.044715 x³)))";
  kind->derivative_formula = "(1+t)/2 + x/2 (1−t²) √(2/π) (1 + 3·0.044715 x²)";
  kind->source = "Hendrycks & Gimpel 2016";
  kind->value = [](Real x, Real) { return x * sigmoid(2 * gelu_argument(x)); };
  kind->derivative = [](Real x, Real) { return gelu_tanh_derivative(x); };
  kind->both = by_kernel<&ActivationKernel::gelu_tanh>;

  kind = add_entry(all, "silu");
  kind->aliases = {"swish"};
  kind->summary = "x σ(x)";
  kind->derivative_formula = "σ(x) (1 + x σ(−x))";
  kind->source = "Elfwing et al. 2018; Ramachandran et al. 2017";
  kind->value = [](Real x, Real) { return x * sigmoid(x); };
  kind->derivative = [](Real x, Real) { return sigmoid(x) * (1 + damped(x, sigmoid(-x))); };
  kind->both = by_kernel<&ActivationKernel::silu>;

  kind = add_entry(all, "softplus");
  kind->summary = "ln(1 + e^x)";
  kind->derivative_formula = "σ(x)";
  kind->value = [](Real x, Real) { return softplus(x); };
  kind->derivative = [](Real x, Real) { return sigmoid(x); };
  kind->both = by_kernel<&ActivationKernel::softplus>;

  kind = add_entry(all, "elu");
  kind->summary = "x > 0 ? x : a (e^x − 1)";
  kind->derivative_formula = "x > 0 ? 1 : a e^x";
  kind->kink = "φ′(0) = a";
  kind->source = "Clevert et al. 2016";
  kind->params = {{"a", ParamKind::real, "1", "saturation −a"}};
  kind->value = [](Real x, Real a) { return elu(x, a); };
  kind->derivative = [](Real x, Real a) { return elu_derivative(x, a); };
  kind->both = by_kernel<&ActivationKernel::elu>;

  kind = add_entry(all, "selu");
  kind->summary = "λ elu_a(x), λ = 1.0507…, a = 1.6733…";
  kind->derivative_formula = "λ elu_a′(x)";
  kind->kink = "φ′(0) = λ a";
  kind->source = "Klambauer et al. 2017";
  kind->value = [](Real x, Real) { return selu_lambda * elu(x, selu_alpha); };
  kind->derivative = [](Real x, Real) { return selu_lambda * elu_derivative(x, selu_alpha); };
  kind->both = by_kernel<&ActivationKernel::selu>;
  kind->gain = [](Real) { return Real{3} / 4; };

  kind = add_entry(all, "hard_tanh");
  kind->aliases = {"hard-tanh", "hardtanh"};
  kind->summary = "min(max(x, −1), 1)";
  kind->derivative_formula = "1[−1 < x < 1]";
  kind->kink = "φ′(±1) = 0";
  kind->value = [](Real x, Real) { return x < -1 ? Real{-1} : x > 1 ? Real{1} : x; };
  kind->derivative = [](Real x, Real) { return x > -1 && x < 1 ? Real{1} : x * 0; };
  kind->both = by_kernel<&ActivationKernel::hard_tanh>;
  kind->flat = true;

  kind = add_entry(all, "relu_squared");
  kind->aliases = {"squared_relu", "squared-relu", "relu-squared"};
  kind->summary = "max(x, 0)²";
  kind->derivative_formula = "2 max(x, 0)";
  kind->source = "So et al. 2021";
  kind->value = [](Real x, Real) { return x > 0 ? x * x : x * 0; };
  kind->derivative = [](Real x, Real) { return x > 0 ? 2 * x : x * 0; };
  kind->both = by_kernel<&ActivationKernel::relu_squared>;
  kind->degree = 2;
  kind->gain = [](Real) { return std::sqrt(Real{2} / 3); };
  kind->flat = true;

  kind = add_entry(all, "sin");
  kind->summary = "sin x";
  kind->derivative_formula = "cos x";
  kind->value = [](Real x, Real) { return std::sin(x); };
  kind->derivative = [](Real x, Real) { return std::cos(x); };
  kind->both = sine;

  kind = add_entry(all, "abs");
  kind->summary = "|x|";
  kind->derivative_formula = "sign x";
  kind->kink = "φ′(0) = 0";
  kind->value = [](Real x, Real) { return std::abs(x); };
  kind->derivative = [](Real x, Real) { return x > 0 ? Real{1} : x < 0 ? Real{-1} : x; };
  kind->both = by_kernel<&ActivationKernel::abs>;
  kind->degree = 1;
  kind->flat = true;

  return all;
}

}  // namespace

const Registry<ActivationKind>& activations() {
  static const Registry<ActivationKind> registry("activation", table());
  return registry;
}

Activation::Activation(const NamedSpec& spec)
    : kind_(&activations().at(spec.name)),
      params_(resolve_params(spec, kind_->params, "activation '" + std::string(kind_->name) + "'")) {
  if (!params_.values().empty()) parameter_ = params_.values().front().number;
}

bool Activation::is_identity() const {
  return kind_->name == "identity";
}

bool Activation::flat() const {
  const bool off = !params_.values().empty() && parameter_ == 0;  // the slope or the saturation
  return kind_->flat || off;
}

Activation::Values Activation::results(const Vector& x, unsigned watched) const {
  Values all{Vector(x.size()), Vector(x.size())};
  const bool before = detail::underflow_raised();
  const unsigned lost = kind_->both(x.data(), x.size(), parameter_, all.value.data(), all.slope.data());
  if (!before) detail::clear_underflow();
  if ((lost & watched) != 0 && !flat()) detail::raise_underflow();
  return all;
}

Vector Activation::value(const Vector& x) const {
  return results(x, 1).value;
}

Vector Activation::derivative(const Vector& x) const {
  return results(x, 2).slope;
}

Linearization ActivationLayer::do_linearize(const Vector& x) const {
  Activation::Values at = activation_.both(x);
  return {std::move(at.value), diagonal_map(std::move(at.slope), shape_.positions)};
}

}  // namespace rezero
