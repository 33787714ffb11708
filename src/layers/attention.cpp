#include "rezero/layers/attention.h"

#include <cmath>

#include "attention_map.h"
#include "core/underflow.h"
#include "rezero/core/error.h"
#include "rezero/layers/sequential.h"
#include "rotary.h"

namespace rezero {
namespace {

/// Softmax of scaled scores, one column per query, masked above the diagonal if causal. The maximum is
/// subtracted first.
Matrix probabilities(const Matrix& scores, bool causal) {
  Matrix P = Matrix::Zero(scores.rows(), scores.cols());
  for (Index i = 0; i < scores.cols(); ++i) {
    const Index seen = causal ? i + 1 : scores.rows();
    const Real top = scores.col(i).head(seen).maxCoeff();
    Real sum = 0;
    for (Index j = 0; j < seen; ++j) {
      sum += P(j, i) = std::exp(scores(j, i) - top);
      if (P(j, i) == 0) detail::raise_underflow();  // an exact probability is never 0
    }
    P.col(i) /= sum;
  }
  return P;
}

void require_divides(Index a, Index b, const char* what) {
  if (a < 1 || b % a != 0)
    throw ShapeError(std::string(what) + ": " + std::to_string(a) + " does not divide " + std::to_string(b));
}

Matrix by_position(const Vector& x, Index positions) {
  return Eigen::Map<const Matrix>(x.data(), x.size() / positions, positions);
}

}  // namespace

Attention::Attention(AttentionWeights weights, AttentionSpec spec, Index positions)
    : weights_(std::move(weights)), spec_(std::move(spec)), positions_(positions) {
  require_divides(spec_.heads, weights_.query->rows(), "heads of queries");
  require_divides(spec_.kv_heads, spec_.heads, "key heads of heads");
  require_divides(spec_.sequences, positions_, "sequences of positions");
  const Index width = weights_.query->rows() / spec_.heads;
  for (const MatrixPtr& W : {weights_.key, weights_.value})
    if (W->rows() != width * spec_.kv_heads || W->cols() != weights_.query->cols())
      throw ShapeError("keys and values must be " + std::to_string(width * spec_.kv_heads) + " × " +
                       std::to_string(weights_.query->cols()) + ", got " + std::to_string(W->rows()) + " × " +
                       std::to_string(W->cols()));
  scale_ = spec_.scale ? *spec_.scale : 1 / std::sqrt(static_cast<Real>(width));
  query_ = projection(weights_.query, weights_.query_bias, spec_.heads, false);
  key_ = projection(weights_.key, weights_.key_bias, spec_.kv_heads, false);
  value_ = projection(weights_.value, weights_.value_bias, spec_.kv_heads, true);
}

LayerPtr Attention::projection(const MatrixPtr& W, const VectorPtr& b, Index heads, bool is_value) const {
  std::vector<LayerPtr> layers = {std::make_shared<Linear>(W, b, positions_)};
  const Index width = W->rows() / heads;
  // To a norm, each head's slice of a position is a separate position: the numbers are in the same order.
  if (!is_value && spec_.qk_norm) layers.push_back(spec_.qk_norm.layer({width, heads * positions_}));
  if (!is_value && spec_.rope)
    layers.push_back(rotary_layer(width, heads, positions_, spec_.sequences, *spec_.rope));
  return layers.size() == 1 ? layers.front() : std::make_shared<Sequential>(std::move(layers));
}

Vector Attention::do_evaluate(const Vector& x) const {
  const Matrix Q = by_position(query_->evaluate(x), positions_),
               K = by_position(key_->evaluate(x), positions_),
               V = by_position(value_->evaluate(x), positions_);
  const Index width = Q.rows() / spec_.heads, length = positions_ / spec_.sequences;
  Matrix A(Q.rows(), positions_);
  for (Index i = 0; i < positions_; ++i) {
    const Index first = i / length * length, last = spec_.causal ? i : first + length - 1;
    for (Index h = 0; h < spec_.heads; ++h) {
      const Index kv = h * spec_.kv_heads / spec_.heads * width;
      Vector weight(last - first + 1);
      for (Index j = first; j <= last; ++j)
        weight(j - first) = scale_ * Q.col(i).segment(h * width, width).dot(K.col(j).segment(kv, width));
      weight = (weight.array() - weight.maxCoeff()).exp();
      A.col(i).segment(h * width, width) = V.block(kv, first, width, weight.size()) * weight / weight.sum();
    }
  }
  return Eigen::Map<const Vector>(A.data(), A.size());
}

Linearization Attention::do_linearize(const Vector& x) const {
  Linearization query = query_->linearize(x), key = key_->linearize(x), value = value_->linearize(x);
  AttentionMapParts parts;
  parts.features = weights_.query->cols();
  parts.query_rows = weights_.query->rows(), parts.key_rows = weights_.key->rows();
  parts.head_width = parts.query_rows / spec_.heads;
  parts.positions = positions_, parts.length = positions_ / spec_.sequences;
  parts.scale = scale_, parts.causal = spec_.causal;
  parts.Q = by_position(query.value, positions_), parts.K = by_position(key.value, positions_);
  parts.V = by_position(value.value, positions_);
  parts.query = query.derivative, parts.key = key.derivative, parts.value = value.derivative;

  Matrix A(parts.query_rows, positions_);
  for (Index h = 0; h < spec_.heads; ++h)
    for (Index first = 0; first < positions_; first += parts.length) {
      AttentionHead head{
          h * parts.head_width, h * spec_.kv_heads / spec_.heads * parts.head_width, first, {}};
      const auto slice = [&](const Matrix& X, Index row) {
        return X.block(row, first, parts.head_width, parts.length);
      };
      const Matrix scores =
          slice(parts.K, head.key_row).transpose() * slice(parts.Q, head.query_row) * scale_;
      head.P = probabilities(scores, spec_.causal);
      A.block(head.query_row, first, parts.head_width, parts.length) = slice(parts.V, head.key_row) * head.P;
      parts.heads.push_back(std::move(head));
    }
  return {Eigen::Map<const Vector>(A.data(), A.size()), attention_map(std::move(parts))};
}

}  // namespace rezero
