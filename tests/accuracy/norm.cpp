#include <stdexcept>
#include <string>

#include "accuracy/reference.h"

namespace rezero::reference {
namespace {

/// The entries of a state that share one mean and one scale.
using Set = std::vector<std::size_t>;

/// Rectangles of features × positions, side by side.
std::vector<Set> tiles(Shape shape, Shape tile) {
  std::vector<Set> sets;
  for (Index t = 0; t < shape.positions; t += tile.positions)
    for (Index i = 0; i < shape.features; i += tile.features) {
      sets.emplace_back();
      for (Index u = t; u < t + tile.positions; ++u)
        for (Index j = i; j < i + tile.features; ++j)
          sets.back().push_back(static_cast<std::size_t>(u * shape.features + j));
    }
  return sets;
}

struct Statistics {
  bool center = true, scale = true, mean_square = true;
};

/// Relative to the first of the set, so that equal numbers have exactly their own mean: a kink may follow.
void center(const Set& set, State& X) {
  const Dual first = X[set.front()];
  Dual sum;
  for (const std::size_t i : set) {
    X[i] = X[i] - first;
    sum.add(1, X[i]);
  }
  const Dual mean = 1 / Number(static_cast<double>(set.size())) * sum;
  for (const std::size_t i : set) X[i] = X[i] - mean;
}

void standardize(const Set& set, const Statistics& what, Real eps, State& X) {
  if (what.center) center(set, X);
  if (!what.scale) return;
  Dual square;
  for (const std::size_t i : set) square.add(1, X[i] * X[i]);
  if (what.mean_square) square = Number(1) / Number(static_cast<double>(set.size())) * square;
  square.value = square.value + eps;
  const Dual r = inverse(sqrt(square));
  for (const std::size_t i : set) X[i] = X[i] * r;
}

State over(const std::vector<Set>& sets, const Statistics& what, Real eps, State X) {
  for (const Set& set : sets) standardize(set, what, eps, X);
  return X;
}

Number entry(const std::shared_ptr<const Vector>& values, Index i, Real absent) {
  return values ? (*values)(i) : absent;
}

/// (x − m)/√(v + ε) with numbers that are given.
State running(const NormSpec& norm, Shape shape, State X) {
  for (Index i = 0; i < shape.size(); ++i) {
    const Index feature = i % shape.features;
    Dual& x = X[static_cast<std::size_t>(i)];
    x.value = x.value - entry(norm.running_mean, feature, 0);
    x = Number(1) / sqrt(entry(norm.running_var, feature, 1) + norm.eps()) * x;
  }
  return X;
}

State pointwise(std::string_view name, Real alpha, const State& X) {
  const Activation phi(name);
  State result;
  for (const Dual& x : X) result.push_back(activated(phi, Number(alpha) * x));
  return result;
}

/// A set of one number has no variance: 0, and derivative 0, with any ε.
State batch(const NormSpec& norm, Shape shape, Shape tile, const State& X) {
  return over(tiles(shape, tile), {true, tile.size() > 1, true}, norm.eps(), X);
}

State unweighted(const NormSpec& norm, Shape shape, const State& X) {
  const std::string_view name = norm.kind->name;
  const std::vector<Set> positions = tiles(shape, {shape.features, 1});
  if (name == "layer_norm") return over(positions, {true, true, true}, norm.eps(), X);
  if (name == "rms_norm") return over(positions, {false, true, true}, norm.eps(), X);
  if (name == "l2_norm") return over(positions, {false, true, false}, 0, X);
  if (name == "mean_subtraction") return over(positions, {true, false, false}, 0, X);
  if (name == "dynamic_tanh") return pointwise("tanh", norm.param("alpha"), X);
  if (name == "derf") return pointwise("erf", norm.param("alpha"), X);
  if (name == "batch_norm") return batch(norm, shape, {1, shape.positions}, X);
  if (name == "batch_norm_eval") return running(norm, shape, X);
  if (name == "group_norm")
    return batch(norm, shape,
                 {shape.features / static_cast<Index>(norm.param("groups")), shape.positions / norm.samples},
                 X);
  throw std::logic_error("no formula of the norm " + std::string(name));
}

}  // namespace

State normed(const NormSpec& norm, Shape shape, const State& X) {
  State Y = unweighted(norm, shape, X);
  for (Index i = 0; i < shape.size(); ++i) {
    Dual& y = Y[static_cast<std::size_t>(i)];
    if (norm.weight) y = entry(norm.weight, i % shape.features, 1) * y;
    y.value = y.value + entry(norm.bias, i % shape.features, 0);
  }
  return Y;
}

}  // namespace rezero::reference
