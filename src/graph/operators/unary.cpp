/// Functions of one number, applied to every entry: y = f(x), ∂y/∂x = diag(f′(x)). One row each.

#include <cmath>
#include <limits>

#include "parts.h"

namespace rezero::graph {
namespace {

using namespace operator_parts;  // NOLINT: the vocabulary of this folder

constexpr Real pi = 3.14159265358979323846;

/// An attribute and its default, as the specification stores it.
struct Setting {
  const char* name = nullptr;
  float otherwise = 0;
};

struct Row {
  const char* name;
  Real (*value)(Real x, Real a, Real b);
  Real (*slope)(Real x, Real a, Real b);
  Smoothness smoothness = Smoothness::smooth;
  Setting a = {}, b = {};
};

Real none(Real, Real, Real) {
  return 0;
}

Real sigmoid(Real x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const Real e = std::exp(x);
  return e / (1 + e);
}

/// log(1 + eˣ) without overflow.
Real softplus(Real x) {
  return std::max<Real>(x, 0) + std::log1p(std::exp(-std::abs(x)));
}

Real hard_sigmoid(Real x, Real a, Real b) {
  return std::max<Real>(0, std::min<Real>(1, a * x + b));
}
Real hard_sigmoid_slope(Real x, Real a, Real b) {
  const Real y = a * x + b;
  return y > 0 && y < 1 ? a : 0;
}

constexpr Smoothness pieces = Smoothness::pieces, linear = Smoothness::linear;

// Formulas: the ONNX operator specification.
const Row rows[] = {
    {"Neg", [](Real x, Real, Real) { return -x; }, [](Real, Real, Real) { return -1.0; }, linear},
    {"Abs", [](Real x, Real, Real) { return std::abs(x); },
     [](Real x, Real, Real) { return x > 0   ? 1.0
                                     : x < 0 ? -1.0
                                             : 0.0; }, pieces},
    {"Sign", [](Real x, Real, Real) { return x > 0   ? 1.0
                                             : x < 0 ? -1.0
                                                     : x; }, none, pieces},
    {"Floor", [](Real x, Real, Real) { return std::floor(x); }, none, pieces},
    {"Ceil", [](Real x, Real, Real) { return std::ceil(x); }, none, pieces},
    {"Round", [](Real x, Real, Real) { return std::nearbyint(x); }, none, pieces},
    {"Reciprocal", [](Real x, Real, Real) { return 1 / x; }, [](Real x, Real, Real) { return -1 / (x * x); }},
    {"Sqrt", [](Real x, Real, Real) { return std::sqrt(x); },
     [](Real x, Real, Real) { return 0.5 / std::sqrt(x); }},
    {"Exp", [](Real x, Real, Real) { return std::exp(x); }, [](Real x, Real, Real) { return std::exp(x); }},
    {"Log", [](Real x, Real, Real) { return std::log(x); }, [](Real x, Real, Real) { return 1 / x; }},
    {"Sin", [](Real x, Real, Real) { return std::sin(x); }, [](Real x, Real, Real) { return std::cos(x); }},
    {"Cos", [](Real x, Real, Real) { return std::cos(x); }, [](Real x, Real, Real) { return -std::sin(x); }},
    {"Tan", [](Real x, Real, Real) { return std::tan(x); },
     [](Real x, Real, Real) { return 1 / (std::cos(x) * std::cos(x)); }},
    {"Asin", [](Real x, Real, Real) { return std::asin(x); },
     [](Real x, Real, Real) { return 1 / std::sqrt((1 - x) * (1 + x)); }},
    {"Acos", [](Real x, Real, Real) { return std::acos(x); },
     [](Real x, Real, Real) { return -1 / std::sqrt((1 - x) * (1 + x)); }},
    {"Atan", [](Real x, Real, Real) { return std::atan(x); },
     [](Real x, Real, Real) { return 1 / (1 + x * x); }},
    {"Sinh", [](Real x, Real, Real) { return std::sinh(x); },
     [](Real x, Real, Real) { return std::cosh(x); }},
    {"Cosh", [](Real x, Real, Real) { return std::cosh(x); },
     [](Real x, Real, Real) { return std::sinh(x); }},
    {"Asinh", [](Real x, Real, Real) { return std::asinh(x); },
     [](Real x, Real, Real) { return 1 / std::hypot(x, 1); }},
    {"Acosh", [](Real x, Real, Real) { return std::acosh(x); },
     [](Real x, Real, Real) { return 1 / std::sqrt((x - 1) * (x + 1)); }},
    {"Atanh", [](Real x, Real, Real) { return std::atanh(x); },
     [](Real x, Real, Real) { return 1 / ((1 - x) * (1 + x)); }},
    {"Tanh", [](Real x, Real, Real) { return std::tanh(x); },
     [](Real x, Real, Real) {
       const Real c = std::cosh(x);
       return 1 / (c * c);
     }},
    {"Erf", [](Real x, Real, Real) { return std::erf(x); },
     [](Real x, Real, Real) { return 2 / std::sqrt(pi) * std::exp(-x * x); }},
    {"Sigmoid", [](Real x, Real, Real) { return sigmoid(x); },
     [](Real x, Real, Real) { return sigmoid(x) * sigmoid(-x); }},
    {"Softplus", [](Real x, Real, Real) { return softplus(x); },
     [](Real x, Real, Real) { return sigmoid(x); }},
    {"Softsign", [](Real x, Real, Real) { return x / (1 + std::abs(x)); },
     [](Real x, Real, Real) { return 1 / ((1 + std::abs(x)) * (1 + std::abs(x))); }},
    {"Mish", [](Real x, Real, Real) { return x * std::tanh(softplus(x)); },
     [](Real x, Real, Real) {
       const Real t = std::tanh(softplus(x));
       return t + x * (1 - t * t) * sigmoid(x);
     }},
    {"Relu", [](Real x, Real, Real) { return x > 0 || std::isnan(x) ? x : 0; },
     [](Real x, Real, Real) { return x > 0 ? 1.0 : 0.0; }, pieces},
    {"LeakyRelu",
     [](Real x, Real a, Real) { return x < 0 ? a * x : x; },
     [](Real x, Real a, Real) { return x < 0 ? a : 1; },
     pieces,
     {"alpha", 0.01F}},
    {"ThresholdedRelu",
     [](Real x, Real a, Real) { return x > a ? x : 0; },
     [](Real x, Real a, Real) { return x > a ? 1.0 : 0.0; },
     pieces,
     {"alpha", 1.0F}},
    {"Elu",
     [](Real x, Real a, Real) { return x < 0 ? a * std::expm1(x) : x; },
     [](Real x, Real a, Real) { return x < 0 ? a * std::exp(x) : 1; },
     Smoothness::smooth,
     {"alpha", 1.0F}},
    {"Celu",
     [](Real x, Real a, Real) { return x < 0 ? a * std::expm1(x / a) : x; },
     [](Real x, Real a, Real) { return x < 0 ? std::exp(x / a) : 1; },
     Smoothness::smooth,
     {"alpha", 1.0F}},
    {"Selu",
     [](Real x, Real a, Real b) { return b * (x <= 0 ? a * std::expm1(x) : x); },
     [](Real x, Real a, Real b) { return b * (x <= 0 ? a * std::exp(x) : 1); },
     Smoothness::smooth,
     {"alpha", 1.67326319217681884765625F},
     {"gamma", 1.05070102214813232421875F}},
    {"HardSigmoid", hard_sigmoid, hard_sigmoid_slope, pieces, {"alpha", 0.2F}, {"beta", 0.5F}},
    {"HardSwish", [](Real x, Real, Real) { return x * hard_sigmoid(x, 1.0 / 6, 0.5); },
     [](Real x, Real, Real) {
       return hard_sigmoid(x, 1.0 / 6, 0.5) + x * hard_sigmoid_slope(x, 1.0 / 6, 0.5);
     }},
    {"Shrink",
     [](Real x, Real bias, Real lambda) { return x < -lambda  ? x + bias
                                                 : x > lambda ? x - bias
                                                              : 0; },
     [](Real x, Real, Real lambda) { return x < -lambda || x > lambda ? 1.0 : 0.0; },
     pieces,
     {"bias", 0.0F},
     {"lambd", 0.5F}},
};

const Row& row_of(const std::string& type) {
  for (const Row& row : rows)
    if (type == row.name) return row;
  throw ShapeError("unknown function");
}

Outcome of_integers(const Call& call) {
  Integers values = call.in(0).integers();
  const std::string& type = call.node->type;
  for (std::int64_t& x : values) {
    if (type == "Neg" || (type == "Abs" && x < 0))
      x = -x;
    else if (type == "Sign")
      x = x > 0 ? 1 : x < 0 ? -1 : 0;
    else if (type != "Abs")
      throw ShapeError("whole numbers are not supported");
  }
  return one(Tensor::of(call.in(0).dims(), std::move(values), call.in(0).element()));
}

Outcome run(const Call& call) {
  if (!call.in(0).is_real()) return of_integers(call);
  const Row& row = row_of(call.node->type);
  const auto setting = [&](const Setting& of) {
    return of.name ? call.real(of.name, single(of.otherwise)) : 0;
  };
  const Real a = setting(row.a), b = setting(row.b);
  const Vector& x = call.in(0).reals();
  Outcome outcome =
      one(Tensor::of(call.in(0).dims(), Vector(x.unaryExpr([&](Real v) { return row.value(v, a, b); }))));
  if (call.wants(0)) add(outcome, 0, diagonal_map(x.unaryExpr([&](Real v) { return row.slope(v, a, b); })));
  return outcome;
}

/// NaN or infinite: a truth value, without a derivative.
Outcome run_test(const Call& call) {
  const bool nan = call.node->type == "IsNaN";
  const bool positive = call.integer("detect_positive", 1) != 0,
             negative = call.integer("detect_negative", 1) != 0;
  Integers truth;
  for (const Real x : call.in(0).reals())
    truth.push_back(nan ? std::isnan(x) : std::isinf(x) && (x > 0 ? positive : negative));
  return one(Tensor::of(call.in(0).dims(), std::move(truth), Element::boolean));
}

Outcome run_not(const Call& call) {
  Integers truth = call.in(0).integers();
  for (std::int64_t& x : truth) x = x == 0;
  return one(Tensor::of(call.in(0).dims(), std::move(truth), Element::boolean));
}

/// A parametric rectifier: x for x ≥ 0, slope · x below; the slope is broadcast to x.
Outcome run_prelu(const Call& call) {
  const Tensor& input = call.in(0);
  Indices indices = broadcast_indices(call.in(1).dims(), input.dims());
  const Vector &x = input.reals(), &slope = call.in(1).reals();
  Vector y = x, dx = Vector::Ones(x.size()), ds = Vector::Zero(x.size());
  for (Index i = 0; i < x.size(); ++i)
    if (x(i) < 0) dx(i) = slope(indices[at(i)]), ds(i) = x(i), y(i) = dx(i) * x(i);
  Outcome outcome = one(Tensor::of(input.dims(), std::move(y)));
  if (call.wants(0)) add(outcome, 0, diagonal_map(std::move(dx)));
  if (call.wants(1)) add(outcome, 1, gather_map(slope.size(), std::move(indices), std::move(ds)));
  return outcome;
}

}  // namespace

void operators_unary(OperatorTable& table) {
  for (const Row& row : rows) table.push_back({row.name, run, row.smoothness});
  table.push_back({"PRelu", run_prelu, Smoothness::pieces});
  table.push_back({"IsNaN", run_test, Smoothness::pieces});
  table.push_back({"IsInf", run_test, Smoothness::pieces});
  table.push_back({"Not", run_not, Smoothness::pieces});
}

}  // namespace rezero::graph
