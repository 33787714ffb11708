/// Dropout: the identity, or in training form a mask drawn by address.

#include "parts.h"
#include "rezero/random/sample.h"

namespace rezero::graph {
namespace {

using namespace operator_parts;  // NOLINT: the vocabulary of this folder

Outcome run_dropout(const Call& call) {
  const Tensor& x = call.in(0);
  const bool training = call.opset >= 12 && call.has(2) && call.in(2).integers().at(0) != 0;
  const Real ratio = call.opset < 12 ? call.real("ratio", 0.5) : call.has(1) ? call.in(1).real_at(0) : 0.5;
  if (training && !(ratio >= 0 && ratio < 1)) throw ShapeError("the ratio is not in [0, 1)");
  Integers kept(at(x.size()), 1);
  Outcome outcome;
  if (!training || ratio == 0) {
    outcome = relabeled(call, x.dims());
  } else {
    // An even number is drawn; uniform on (−1, 1).
    Vector draws(x.size() + x.size() % 2);
    fill_uniform(draws.data(), draws.size(), stream_key(call.seed, StreamRole::dropout, 0, call.place));
    Vector mask(x.size());
    for (Index i = 0; i < x.size(); ++i) {
      kept[at(i)] = (draws(i) + 1) / 2 >= ratio;
      mask(i) = kept[at(i)] ? 1 / (1 - ratio) : 0;
    }
    outcome = one(Tensor::of(x.dims(), Vector(x.reals().cwiseProduct(mask))));
    if (call.wants(0)) add(outcome, 0, diagonal_map(std::move(mask)));
  }
  if (call.count_outputs() > 1)
    outcome.outputs.push_back(Tensor::of(x.dims(), std::move(kept), Element::boolean));
  return outcome;
}

}  // namespace

void operators_dropout(OperatorTable& table) {
  table.push_back({"Dropout", run_dropout, Smoothness::linear});
}

}  // namespace rezero::graph
