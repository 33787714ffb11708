#include <functional>
#include <map>
#include <string>

#include "accuracy/reference.h"

namespace rezero::reference {
namespace {

struct Point {
  Number value, derivative;
};
using Function = std::function<Point(const Number& x, const Number& a)>;

const Number& zero() {
  static const Number number;
  return number;
}

Number logistic(const Number& x) {
  return 1 / (1 + exp(-x));
}
/// x where the bound leaves it unchanged, otherwise `otherwise`.
Point kept(bool kept, const Number& x, const Number& otherwise = 0, const Number& slope = 0) {
  return kept ? Point{x, 1} : Point{otherwise, slope};
}

Point gelu(const Number& x, const Number&) {
  const Number below = erfc(-x / sqrt(Number(2))) / 2, density = exp(-(x * x) / 2) / sqrt(2 * Number::pi());
  return {x * below, below + x * density};
}

/// x σ(2u): (1 + tanh u)/2 = σ(2u).
Point gelu_tanh(const Number& x, const Number&) {
  const Number c = 0.044715, root = sqrt(2 / Number::pi());
  const Number u = root * (x + c * x * x * x), du = root * (1 + 3 * c * x * x);
  const Number open = logistic(2 * u), closed = logistic(-2 * u);
  return {x * open, open + 2 * x * du * open * closed};
}

Point softplus(const Number& x, const Number&) {
  const Number rest = log1p(exp(-abs(x)));
  return {x > zero() ? x + rest : rest, logistic(x)};
}

Point elu(const Number& x, const Number& a) {
  return kept(x > zero(), x, a * expm1(x), a * exp(x));
}

Point selu(const Number& x, const Number&) {
  const Number lambda = 1.0507009873554805;
  const Point e = elu(x, 1.6732632423543772);
  return {lambda * e.value, lambda * e.derivative};
}

const std::map<std::string_view, Function>& functions() {
  using N = const Number&;
  static const std::map<std::string_view, Function> table = {
      {"identity",
       [](N x, N) {
         return Point{x, 1};
       }},
      {"relu", [](N x, N) { return kept(x > zero(), x); }},
      {"leaky_relu", [](N x, N s) { return kept(x > zero(), x, s * x, s); }},
      {"tanh",
       [](N x, N) {
         return Point{tanh(x), sech(x) * sech(x)};
       }},
      {"erf",
       [](N x, N) {
         return Point{erf(x), 2 / sqrt(Number::pi()) * exp(-(x * x))};
       }},
      {"scaled_erf",
       [](N x, N) {
         const Number pi = Number::pi();
         return Point{erf(sqrt(pi) / 2 * x), exp(-(pi * x * x) / 4)};
       }},
      {"sigmoid",
       [](N x, N) {
         return Point{logistic(x), logistic(x) * logistic(-x)};
       }},
      {"gelu", gelu},
      {"gelu_tanh", gelu_tanh},
      {"silu",
       [](N x, N) {
         const Number s = logistic(x);
         return Point{x * s, s + x * s * logistic(-x)};
       }},
      {"softplus", softplus},
      {"elu", elu},
      {"selu", selu},
      {"hard_tanh",
       [](N x, N) { return kept(x > Number(-1) && x<Number(1), x, x> zero() ? Number(1) : Number(-1)); }},
      {"relu_squared",
       [](N x, N) {
         return x > zero() ? Point{x * x, 2 * x} : Point{};
       }},
      {"sin",
       [](N x, N) {
         return Point{sin(x), cos(x)};
       }},
      {"abs",
       [](N x, N) {
         return Point{abs(x), Number(x > zero() ? 1.0 : x < zero() ? -1.0 : 0.0)};
       }},
  };
  return table;
}

}  // namespace

Dual activated(const Activation& activation, const Dual& x) {
  const auto& values = activation.params().values();
  const Point at =
      functions().at(activation.kind().name)(x.value, values.empty() ? 0 : values.front().number);
  return chain(at.value, at.derivative, x);
}

State activated(const Activation& activation, const State& X) {
  State result;
  for (const Dual& x : X) result.push_back(activated(activation, x));
  return result;
}

}  // namespace rezero::reference
