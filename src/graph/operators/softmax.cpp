/// Softmax, its logarithm and Hardmax. Before operator set 13 they see the input as a matrix, split at
/// `axis`.

#include <cmath>

#include "parts.h"

namespace rezero::graph {
namespace {

using namespace operator_parts;  // NOLINT: the vocabulary of this folder

/// Lines of `count` numbers, `inner` apart.
struct Lines {
  Index count = 1, inner = 1;

  explicit Lines(const Call& call) {
    const Dims& dims = call.in(0).dims();
    const Index rank = call.in(0).rank();
    const bool matrix = call.opset < 13;
    const Index axis = axis_of(call.integer("axis", matrix ? 1 : -1), rank);
    count = matrix ? count_between(dims, axis, rank) : rank == 0 ? 1 : dims[at(axis)];
    inner = matrix ? 1 : count_between(dims, axis + 1, rank);
  }
  template <class F>
  void each(Vector& y, F&& f) const {
    if (y.size() == 0) return;
    for (Index outer = 0; outer < y.size(); outer += count * inner)
      for (Index i = 0; i < inner; ++i)
        f(Eigen::Map<Vector, 0, Eigen::InnerStride<>>(y.data() + outer + i, count,
                                                      Eigen::InnerStride<>(inner)));
  }
};

/// A line of −∞ alone is not a number: nothing is attended to.
Vector softmax(const Vector& x, const Lines& lines) {
  Vector y = x;
  lines.each(y, [](auto line) {
    const Real top = line.maxCoeff();
    line = (line.array() - top).exp();
    line /= line.sum();
  });
  return y;
}

Outcome run_softmax(const Call& call) {
  const Lines lines(call);
  Vector p = softmax(call.in(0).reals(), lines);
  Outcome outcome = one(Tensor::of(call.in(0).dims(), p));
  if (call.wants(0)) add(outcome, 0, softmax_map(std::move(p), lines.count, lines.inner, SoftmaxForm::plain));
  return outcome;
}

Outcome run_log_softmax(const Call& call) {
  const Lines lines(call);
  Vector y = call.in(0).reals();
  lines.each(y, [](auto line) {
    const Real top = line.maxCoeff();
    const Real log_sum = std::log((line.array() - top).exp().sum());
    line = line.array() - top - log_sum;
  });
  Outcome outcome = one(Tensor::of(call.in(0).dims(), std::move(y)));
  if (call.wants(0))
    add(outcome, 0,
        softmax_map(softmax(call.in(0).reals(), lines), lines.count, lines.inner, SoftmaxForm::logarithm));
  return outcome;
}

/// 1 at the first of the largest numbers.
Outcome run_hardmax(const Call& call) {
  const Lines lines(call);
  Vector y = call.in(0).reals();
  lines.each(y, [](auto line) {
    Index best = 0;
    line.maxCoeff(&best);
    line.setZero();
    line(best) = 1;
  });
  return one(Tensor::of(call.in(0).dims(), std::move(y)));
}

}  // namespace

void operators_softmax(OperatorTable& table) {
  table.push_back({"Softmax", run_softmax});
  table.push_back({"LogSoftmax", run_log_softmax});
  table.push_back({"Hardmax", run_hardmax, Smoothness::pieces});
}

}  // namespace rezero::graph
