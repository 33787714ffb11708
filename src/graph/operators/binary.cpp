/// Functions of two numbers, applied entry by entry with broadcasting: ∂y/∂a = diag(f_a(a, b)) · (the
/// broadcast of a), one gather_map.

#include <algorithm>
#include <cmath>

#include "parts.h"

namespace rezero::graph {
namespace {

using namespace operator_parts;  // NOLINT: the vocabulary of this folder

/// The two operands at every entry of the output.
struct Pairing {
  Dims dims;
  Indices a, b;

  Pairing(const Tensor& x, const Tensor& y)
      : dims(broadcast(x.dims(), y.dims())),
        a(broadcast_indices(x.dims(), dims)),
        b(broadcast_indices(y.dims(), dims)) {}
  Index size() const { return static_cast<Index>(a.size()); }
  /// f(x_i, y_i) for all entries.
  template <class F>
  Vector each(const Tensor& x, const Tensor& y, F&& f) const {
    const Vector &u = x.reals(), &v = y.reals();
    Vector out(size());
    for (Index i = 0; i < out.size(); ++i) out(i) = f(u(a[at(i)]), v(b[at(i)]));
    return out;
  }
};

struct Row {
  const char* name;
  Real (*value)(Real a, Real b);
  Real (*slope_a)(Real a, Real b);  ///< null: 1
  Real (*slope_b)(Real a, Real b);
  std::int64_t (*whole)(std::int64_t a, std::int64_t b);
  Smoothness smoothness;
};

std::int64_t quotient(std::int64_t a, std::int64_t b) {
  if (b == 0) throw ShapeError("a whole number is divided by zero");
  return b == -1 ? static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(a)) : a / b;
}

/// Two's complement, as the formats define overflow.
template <class F>
std::int64_t wrapped(std::int64_t a, std::int64_t b, F f) {
  return static_cast<std::int64_t>(f(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
}

std::int64_t whole_power(std::int64_t a, std::int64_t b) {
  if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
  std::int64_t result = 1;
  for (; b > 0; b >>= 1) {
    if (b & 1) result = wrapped(result, a, [](auto x, auto y) { return x * y; });
    a = wrapped(a, a, [](auto x, auto y) { return x * y; });
  }
  return result;
}

Real power(Real a, Real b) {
  return b == 2 ? a * a : std::pow(a, b);
}
Real power_by_base(Real a, Real b) {
  return b == 0 ? 0 : b == 1 ? 1 : b == 2 ? 2 * a : b * std::pow(a, b - 1);
}
Real power_by_exponent(Real a, Real b) {
  return a > 0 ? std::pow(a, b) * std::log(a) : 0;
}

const Row rows[] = {
    {"Add", [](Real a, Real b) { return a + b; }, nullptr, nullptr,
     [](std::int64_t a, std::int64_t b) { return wrapped(a, b, [](auto x, auto y) { return x + y; }); },
     Smoothness::linear},
    {"Sub", [](Real a, Real b) { return a - b; }, nullptr, [](Real, Real) { return -1.0; },
     [](std::int64_t a, std::int64_t b) { return wrapped(a, b, [](auto x, auto y) { return x - y; }); },
     Smoothness::linear},
    {"Mul", [](Real a, Real b) { return a * b; }, [](Real, Real b) { return b; },
     [](Real a, Real) { return a; },
     [](std::int64_t a, std::int64_t b) { return wrapped(a, b, [](auto x, auto y) { return x * y; }); },
     Smoothness::multilinear},
    {"Div", [](Real a, Real b) { return a / b; }, [](Real, Real b) { return 1 / b; },
     [](Real a, Real b) { return -a / (b * b); }, quotient, Smoothness::smooth},
    {"Pow", power, power_by_base, power_by_exponent, whole_power, Smoothness::smooth},
};

const Row& row_of(const std::string& type) {
  for (const Row& row : rows)
    if (type == row.name) return row;
  throw ShapeError("unknown function");
}

/// The derivative with respect to one operand.
LinearMapPtr partial(const Tensor& operand, const Indices& indices, const Pairing& pair, const Tensor& x,
                     const Tensor& y, Real (*slope)(Real, Real)) {
  return gather_map(operand.size(), indices, slope ? pair.each(x, y, slope) : Vector());
}

Outcome whole_numbers(const Tensor& x, const Tensor& y, const Pairing& pair,
                      std::int64_t (*f)(std::int64_t, std::int64_t), Element element) {
  const Integers &u = x.integers(), &v = y.integers();
  Integers out(pair.a.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = f(u[at(pair.a[i])], v[at(pair.b[i])]);
  return one(Tensor::of(pair.dims, std::move(out), element));
}

Tensor as_real(const Tensor& tensor) {
  return tensor.is_real() ? tensor : Tensor::of(tensor.dims(), reals_of(tensor));
}

Outcome run(const Call& call) {
  const Row& row = row_of(call.node->type);
  const Pairing pair(call.in(0), call.in(1));
  if (!call.in(0).is_real() && !call.in(1).is_real())
    return whole_numbers(call.in(0), call.in(1), pair, row.whole, call.in(0).element());
  const Tensor x = as_real(call.in(0)), y = as_real(call.in(1));
  Outcome outcome = one(Tensor::of(pair.dims, pair.each(x, y, row.value)));
  if (call.wants(0) && call.in(0).is_real()) add(outcome, 0, partial(x, pair.a, pair, x, y, row.slope_a));
  if (call.wants(1) && call.in(1).is_real()) add(outcome, 1, partial(y, pair.b, pair, x, y, row.slope_b));
  return outcome;
}

/// a mod b: with the sign of b for whole numbers, or of a under fmod.
Outcome run_mod(const Call& call) {
  const Pairing pair(call.in(0), call.in(1));
  const bool fmod = call.integer("fmod", 0) != 0;
  if (call.in(0).is_real()) {
    const auto remainder = [fmod](Real a, Real b) {
      const Real r = std::fmod(a, b);
      return !fmod && r != 0 && (r < 0) != (b < 0) ? r + b : r;
    };
    Outcome outcome = one(Tensor::of(pair.dims, pair.each(call.in(0), call.in(1), remainder)));
    if (call.wants(0)) add(outcome, 0, gather_map(call.in(0).size(), pair.a));
    const auto quotient_of = [&](Real a, Real b) { return -(a - remainder(a, b)) / b; };
    if (call.wants(1))
      add(outcome, 1, gather_map(call.in(1).size(), pair.b, pair.each(call.in(0), call.in(1), quotient_of)));
    return outcome;
  }
  const auto whole = [](std::int64_t a, std::int64_t b) {
    const std::int64_t r = a - quotient(a, b) * b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
  };
  const auto whole_fmod = [](std::int64_t a, std::int64_t b) { return a - quotient(a, b) * b; };
  if (fmod) return whole_numbers(call.in(0), call.in(1), pair, whole_fmod, call.in(0).element());
  return whole_numbers(call.in(0), call.in(1), pair, whole, call.in(0).element());
}

/// Comparisons and logic: truth values, without a derivative.
Outcome run_truth(const Call& call) {
  const std::string& type = call.node->type;
  const Tensor &x = call.in(0), &y = call.in(1);
  const Pairing pair(x, y);
  Integers truth(pair.a.size());
  const auto compare = [&type](auto a, auto b) {
    if (type == "Equal") return a == b;
    if (type == "Greater") return a > b;
    if (type == "GreaterOrEqual") return a >= b;
    if (type == "Less") return a < b;
    if (type == "LessOrEqual") return a <= b;
    if (type == "And") return a != 0 && b != 0;
    if (type == "Or") return a != 0 || b != 0;
    return (a != 0) != (b != 0);
  };
  const bool whole = !x.is_real() && !y.is_real();
  for (std::size_t i = 0; i < truth.size(); ++i)
    truth[i] = whole ? compare(x.integers()[at(pair.a[i])], y.integers()[at(pair.b[i])])
                     : compare(x.real_at(pair.a[i]), y.real_at(pair.b[i]));
  return one(Tensor::of(pair.dims, std::move(truth), Element::boolean));
}

/// Sum, Mean, Max and Min of any number of operands. Equal operands of Max share nothing: the first has it.
Outcome run_many(const Call& call) {
  const std::string& type = call.node->type;
  Dims dims = call.in(0).dims();
  for (Index i = 1; i < call.size(); ++i) dims = broadcast(dims, call.in(i).dims());
  const bool sums = type == "Sum" || type == "Mean";
  const Real factor = type == "Mean" ? 1 / static_cast<Real>(call.size()) : 1;
  std::vector<Indices> indices;
  for (Index i = 0; i < call.size(); ++i) indices.push_back(broadcast_indices(call.in(i).dims(), dims));
  const Index count = count_of(dims);
  if (!call.in(0).is_real()) {
    Integers out(at(count));
    for (Index e = 0; e < count; ++e)
      for (Index i = 0; i < call.size(); ++i) {
        const std::int64_t x = call.in(i).integers()[at(indices[at(i)][at(e)])];
        std::int64_t& y = out[at(e)];
        y = i == 0 ? x : type == "Sum" ? y + x : type == "Max" ? std::max(y, x) : std::min(y, x);
      }
    return one(Tensor::of(std::move(dims), std::move(out), call.in(0).element()));
  }
  Vector y = Vector::Zero(count);
  Indices chosen(at(count), 0);
  for (Index i = 0; i < call.size(); ++i) {
    const Vector& x = call.in(i).reals();
    for (Index e = 0; e < count; ++e) {
      const Real value = x(indices[at(i)][at(e)]);
      if (sums)
        y(e) += value;
      else if (i == 0 || (type == "Max" ? value > y(e) : value < y(e)) || std::isnan(value))
        y(e) = value, chosen[at(e)] = i;
    }
  }
  if (factor != 1) y *= factor;
  Outcome outcome = one(Tensor::of(dims, std::move(y)));
  for (Index i = 0; i < call.size(); ++i) {
    if (!call.wants(i)) continue;
    Vector weights = factor != 1 ? Vector(Vector::Constant(count, factor)) : Vector();
    if (!sums) {
      for (Index e = 0; e < count; ++e)
        if (chosen[at(e)] != i) indices[at(i)][at(e)] = -1;
    }
    add(outcome, i, gather_map(call.in(i).size(), std::move(indices[at(i)]), std::move(weights)));
  }
  return outcome;
}

}  // namespace

void operators_binary(OperatorTable& table) {
  for (const Row& row : rows) table.push_back({row.name, run, row.smoothness});
  table.push_back({"Mod", run_mod, Smoothness::pieces});
  for (const char* name : {"Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "And", "Or", "Xor"})
    table.push_back({name, run_truth, Smoothness::pieces});
  table.push_back({"Sum", run_many, Smoothness::linear});
  table.push_back({"Mean", run_many, Smoothness::linear});
  table.push_back({"Max", run_many, Smoothness::pieces});
  table.push_back({"Min", run_many, Smoothness::pieces});
}

}  // namespace rezero::graph
