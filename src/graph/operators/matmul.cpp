/// Products of matrices: MatMul (batched, with broadcasting) and Gemm.

#include "parts.h"

namespace rezero::graph {
namespace {

using namespace operator_parts;  // NOLINT: the vocabulary of this folder

/// Extents of the product of tensors with at least two axes each, and the offsets of the factors.
struct Plan {
  BatchedProduct product;
  Dims dims;

  Plan(const Dims& a, const Dims& b) {
    product.m = a[a.size() - 2], product.k = a.back(), product.n = b.back();
    if (b[b.size() - 2] != product.k)
      throw ShapeError("matrices of " + text_of(a) + " and " + text_of(b) + " do not fit");
    const Dims batch_a(a.begin(), a.end() - 2), batch_b(b.begin(), b.end() - 2);
    dims = broadcast(batch_a, batch_b);
    product.a = broadcast_indices(batch_a, dims), product.b = broadcast_indices(batch_b, dims);
    for (Index& offset : product.a) offset *= product.m * product.k;
    for (Index& offset : product.b) offset *= product.k * product.n;
    product.a_size = count_of(a), product.b_size = count_of(b);
    dims.push_back(product.m), dims.push_back(product.n);
  }
  /// One matrix on the right for all rows on the left.
  bool one_right() const { return product.b_size == product.k * product.n; }
  Index left_rows() const { return product.count() * product.m; }
  bool plain_left() const { return product.a_size == left_rows() * product.k; }
};

/// A row-major k × n matrix, as the n × k matrix that has the same numbers in column-major order.
MatrixPtr flipped(const Tensor& B, Index k, Index n) {
  return std::make_shared<const Matrix>(Eigen::Map<const Matrix>(B.reals().data(), n, k));
}

Outcome run_matmul(const Call& call) {
  Dims a = call.in(0).dims(), b = call.in(1).dims();
  if (a.empty() || b.empty()) throw ShapeError("a factor has no axis");
  const bool row = a.size() == 1, column = b.size() == 1;
  if (row) a.insert(a.begin(), 1);
  if (column) b.push_back(1);
  Plan plan(a, b);
  const BatchedProduct& p = plan.product;
  if (column) plan.dims.pop_back();
  if (row) plan.dims.erase(plan.dims.end() - (column ? 1 : 2));
  if (!call.in(0).is_real()) {
    const Vector C = multiply(p, reals_of(call.in(0)), reals_of(call.in(1)));
    Integers whole(at(C.size()));
    for (Index i = 0; i < C.size(); ++i) whole[at(i)] = static_cast<std::int64_t>(C(i));
    return one(Tensor::of(std::move(plan.dims), std::move(whole)));
  }
  const bool shared = plan.one_right() && plan.plain_left();
  MatrixPtr W;
  if (shared) W = call.form<Matrix>(1, [&] { return flipped(call.in(1), p.k, p.n); });
  Outcome outcome;
  if (shared) {
    Matrix C = *W * Eigen::Map<const Matrix>(call.in(0).reals().data(), p.k, plan.left_rows());
    outcome = one(Tensor::of(plan.dims, Vector(C.reshaped())));
  } else {
    outcome = one(Tensor::of(plan.dims, multiply(p, call.in(0).reals(), call.in(1).reals())));
  }
  if (call.wants(0))
    add(outcome, 0,
        shared ? positionwise_map(W, plan.left_rows()) : left_product_map(p, call.in(1).shared_reals()));
  if (call.wants(1)) add(outcome, 1, right_product_map(p, call.in(0).shared_reals()));
  return outcome;
}

/// The indices of a matrix's transpose, or of itself.
Indices turned(const Dims& dims, bool transpose) {
  if (transpose) return strided_indices(0, {dims[1], dims[0]}, {1, dims[1]});
  return strided_indices(0, dims, strides_of(dims));
}

/// Y = α A′ B′ + β C, where ′ may transpose.
Outcome run_gemm(const Call& call) {
  const bool turn_a = call.integer("transA", 0) != 0, turn_b = call.integer("transB", 0) != 0;
  const Real alpha = call.real("alpha", 1), beta = call.real("beta", 1);
  const Dims &a = call.in(0).dims(), &b = call.in(1).dims();
  if (a.size() != 2 || b.size() != 2)
    throw ShapeError("factors of " + text_of(a) + " and " + text_of(b) + " are not matrices");
  const Index m = a[turn_a ? 1 : 0], k = a[turn_a ? 0 : 1], n = b[turn_b ? 0 : 1];
  if (b[turn_b ? 1 : 0] != k)
    throw ShapeError("matrices of " + text_of(a) + " and " + text_of(b) + " do not fit");
  const auto turned_left = [&] { return gathered(call.in(0), turned(a, turn_a), {m, k}); };
  const Tensor A = turn_a ? turned_left() : call.in(0);
  // α B′ as n × k in column-major order: prepared once where B is constant.
  const MatrixPtr W = call.form<Matrix>(1, [&] {
    const Eigen::Map<const Matrix> stored(call.in(1).reals().data(), b[1], b[0]);
    return std::make_shared<const Matrix>(turn_b ? Matrix(alpha * stored.transpose())
                                                 : Matrix(alpha * stored));
  });
  Matrix Y = *W * Eigen::Map<const Matrix>(A.reals().data(), k, m);
  const Dims dims = {m, n};
  Indices c;
  if (call.has(2) && call.in(2).size() > 0) {
    if (broadcast(call.in(2).dims(), dims) != dims)
      throw ShapeError("the addend of " + text_of(call.in(2).dims()) + " does not fit a product of " +
                       text_of(dims));
    c = broadcast_indices(call.in(2).dims(), dims);
    const Vector& C = call.in(2).reals();
    for (Index i = 0; i < Y.size(); ++i) Y.data()[i] += beta * C(c[at(i)]);
  }
  Outcome outcome = one(Tensor::of(dims, Vector(Y.reshaped())));
  if (call.wants(0)) {
    LinearMapPtr map = positionwise_map(W, m);
    if (turn_a) map = product_map({gather_map(call.in(0).size(), turned(a, true)), map});
    add(outcome, 0, std::move(map));
  }
  if (call.wants(1)) {
    BatchedProduct p{m, k, n, {0}, {0}, m * k, k * n};
    std::vector<LinearMapPtr> chain;
    if (turn_b) chain.push_back(gather_map(call.in(1).size(), turned(b, true)));
    chain.push_back(right_product_map(p, A.shared_reals()));
    if (alpha != 1) chain.push_back(diagonal_map(Vector::Constant(m * n, alpha)));
    add(outcome, 1, product_map(std::move(chain)));
  }
  if (call.wants(2) && !c.empty())
    add(outcome, 2,
        gather_map(call.in(2).size(), std::move(c),
                   beta == 1 ? Vector() : Vector(Vector::Constant(m * n, beta))));
  return outcome;
}

}  // namespace

void operators_matmul(OperatorTable& table) {
  table.push_back({"MatMul", run_matmul, Smoothness::multilinear});
  table.push_back({"Gemm", run_gemm, Smoothness::multilinear});
}

}  // namespace rezero::graph
