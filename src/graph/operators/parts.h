#pragma once
/// What files of operators share.

#include "rezero/core/error.h"
#include "rezero/graph/maps.h"
#include "rezero/graph/operator.h"

namespace rezero::graph::operator_parts {

inline Outcome one(Tensor value) {
  Outcome outcome;
  outcome.outputs.push_back(std::move(value));
  return outcome;
}

inline void add(Outcome& outcome, Index input, LinearMapPtr map, Index output = 0) {
  outcome.partials.push_back({output, input, std::move(map)});
}

/// A tensor whose numbers are those of input 0 at `indices` (0 where −1), with that map as derivative.
inline Outcome moved(const Call& call, const Indices& indices, Dims dims, Index input = 0) {
  Outcome outcome = one(gathered(call.in(input), indices, std::move(dims)));
  if (call.wants(input) && call.in(input).is_real())
    add(outcome, input, gather_map(call.in(input).size(), indices));
  return outcome;
}

/// The same numbers with other extents.
inline Outcome relabeled(const Call& call, Dims dims) {
  Outcome outcome = one(call.in(0).reshaped(std::move(dims)));
  if (call.wants(0) && call.in(0).is_real()) add(outcome, 0, identity_map(call.in(0).size()));
  return outcome;
}

/// The numbers of any tensor as reals.
inline Vector reals_of(const Tensor& tensor) {
  if (tensor.is_real()) return tensor.reals();
  Vector all(tensor.size());
  for (Index i = 0; i < all.size(); ++i) all(i) = tensor.real_at(i);
  return all;
}

/// A number that a file stores as float32.
inline Real single(float value) {
  return static_cast<Real>(value);
}

inline std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

}  // namespace rezero::graph::operator_parts
