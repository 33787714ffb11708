#include "rezero/layers/attention.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <complex>

#include "rezero/core/error.h"
#include "rezero/model/block.h"
#include "support/layer_cases.h"
#include "support/layer_laws.h"

namespace rezero {
namespace {

using testing::normal;
using testing::share;

AttentionWeights weights(Index features, Index queries, Index keys, std::uint32_t id) {
  const Real scale = 1 / std::sqrt(static_cast<Real>(features));
  AttentionWeights w;
  w.query = share(Matrix(normal(queries, features, id) * scale));
  w.key = share(Matrix(normal(keys, features, id + 1) * scale));
  w.value = share(Matrix(normal(keys, features, id + 2) * scale));
  return w;
}

AttentionSpec spec_of(Index heads, Index kv_heads, bool causal = false) {
  AttentionSpec spec;
  spec.heads = heads, spec.kv_heads = kv_heads, spec.causal = causal;
  return spec;
}

Vector singular_values(const Matrix& A) {
  return Eigen::JacobiSVD<Matrix>(A).singularValues();
}

BlockParts uniform_block(Role zeroed, bool causal) {
  AttentionSpec spec = spec_of(2, 2, causal);
  BlockParts parts =
      testing::random_parts({"attention", "identity", {6, 4}, 0, testing::Biases::absent, 40, spec});
  parts.weights[zeroed].weight = share(Matrix(Matrix::Zero(6, 6)));
  parts.branch_scale = Scale::number(0.7);
  return parts;
}

/// schemes.md 3.3: Wq = 0 or Wk = 0 gives J = I + a (11ᵀ/T) ⊗ Wo Wv: (T − 1) d ones and the values of I + a
/// Wo Wv.
TEST(Attention, UniformWithoutQueriesOrKeys) {
  for (Role zeroed : {Role::query, Role::key}) {
    const BlockParts parts = uniform_block(zeroed, false);
    const Matrix M = *parts.weights.at(Role::output).weight * *parts.weights.at(Role::value).weight;
    const Matrix J = to_dense(*ResidualBlock(parts).linearize(normal(24, 41)).derivative);
    for (Index i = 0; i < 4; ++i)
      for (Index j = 0; j < 4; ++j) {
        const Matrix wanted = (i == j ? 1.0 : 0.0) * Matrix::Identity(6, 6) + 0.7 / 4 * M;
        EXPECT_LE((J.block(6 * i, 6 * j, 6, 6) - wanted).cwiseAbs().maxCoeff(), 1e-15);
      }
    Vector wanted(24), got = singular_values(J);
    wanted << singular_values(Matrix::Identity(6, 6) + 0.7 * M), Vector::Ones(18);
    std::sort(wanted.data(), wanted.data() + 24, std::greater<>());
    EXPECT_LE((got - wanted).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_EQ(((got.array() - 1).abs() <= 1e-13).count(), 18);
  }
}

TEST(Attention, UniformCausalHasHarmonicBlocks) {
  const BlockParts parts = uniform_block(Role::key, true);
  const Matrix M = *parts.weights.at(Role::output).weight * *parts.weights.at(Role::value).weight;
  const Matrix J = to_dense(*ResidualBlock(parts).linearize(normal(24, 41)).derivative);
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 4; ++j) {
      Matrix wanted = Matrix::Zero(6, 6);
      if (j <= i) wanted = 0.7 / static_cast<Real>(i + 1) * M;
      if (j == i) wanted += Matrix::Identity(6, 6);
      if (j > i) {
        EXPECT_EQ(J.block(6 * i, 6 * j, 6, 6), wanted);
      }
      EXPECT_LE((J.block(6 * i, 6 * j, 6, 6) - wanted).cwiseAbs().maxCoeff(), 1e-15);
    }
}

/// A single position attends only to itself: the values pass, for any queries and keys.
TEST(Attention, OnePositionIsLinear) {
  for (bool causal : {false, true})
    for (Index sequences : {1, 3}) {
      AttentionSpec spec = spec_of(2, 2, causal);
      spec.sequences = sequences, spec.scale = 50, spec.rope = 10;
      const AttentionWeights w = weights(4, 4, 4, 50);
      const Attention layer(w, spec, sequences);
      const Vector x = normal(4 * sequences, 53);
      const Linearization at = layer.linearize(x);
      const Linear values(w.value, nullptr, sequences);
      EXPECT_EQ(to_dense(*at.derivative), to_dense(*values.linearize(x).derivative));
      EXPECT_LE((layer.evaluate(x) - values.evaluate(x)).cwiseAbs().maxCoeff(), 1e-15);
      EXPECT_TRUE(layer.positively_homogeneous());
      AttentionWeights biased = w;
      biased.value_bias = share(normal(4, 54));
      EXPECT_FALSE(Attention(biased, spec, sequences).positively_homogeneous());
    }
}

/// Grouped heads are heads whose keys and values are repeated.
TEST(Attention, SharedKeysAreRepeatedKeys) {
  const AttentionWeights shared = weights(8, 8, 4, 60);  // four heads of width 2 on two keys
  AttentionWeights full = shared;
  const auto repeat = [](const Matrix& W) {
    Matrix all(8, 8);
    all << W.topRows(2), W.topRows(2), W.bottomRows(2), W.bottomRows(2);
    return share(all);
  };
  full.key = repeat(*shared.key), full.value = repeat(*shared.value);
  const Attention a(shared, spec_of(4, 2, true), 5), b(full, spec_of(4, 4, true), 5);
  const Vector x = normal(40, 61);
  EXPECT_LE(testing::relative_distance(a.evaluate(x), b.evaluate(x)), 1e-14);
  EXPECT_LE(
      testing::relative_distance(to_dense(*a.linearize(x).derivative), to_dense(*b.linearize(x).derivative)),
      1e-14);
}

/// The product rule written out, query by query: dA_i = Σ_j P_ji dv_j + V (diag p − p pᵀ) ds_i with
/// ds_ji = scale · (k_j·dq_i + dk_j·q_i).
Matrix tangent_by_definition(const AttentionWeights& w, const AttentionSpec& spec, const Matrix& X,
                             const Matrix& dX) {
  const Index T = X.cols(), width = w.query->rows() / spec.heads, length = T / spec.sequences;
  const Matrix Q = *w.query * X, K = *w.key * X, V = *w.value * X, dQ = *w.query * dX, dK = *w.key * dX,
               dV = *w.value * dX;
  Matrix dA(Q.rows(), T);
  for (Index h = 0; h < spec.heads; ++h)
    for (Index i = 0; i < T; ++i) {
      const Index first = i / length * length, seen = spec.causal ? i - first + 1 : length;
      const auto keys = [&](const Matrix& M) {
        return Matrix(M.block(h * spec.kv_heads / spec.heads * width, first, width, seen));
      };
      const Vector q = Q.col(i).segment(h * width, width), dq = dQ.col(i).segment(h * width, width);
      Vector p = (keys(K).transpose() * q / std::sqrt(static_cast<Real>(width))).array().exp();
      p /= p.sum();
      const Vector ds =
          (keys(K).transpose() * dq + keys(dK).transpose() * q) / std::sqrt(static_cast<Real>(width));
      const Vector dp = p.cwiseProduct(ds) - p * p.dot(ds);
      dA.col(i).segment(h * width, width) = keys(dV) * p + keys(V) * dp;
    }
  return dA;
}

/// Sequences below, at and above whole strips and vectors, heads below, at and above whole vectors.
TEST(Attention, TangentsFollowTheProductRule) {
  for (Index length : {1, 7, 8, 13, 16, 35})
    for (Index width : {1, 3, 8, 20})
      for (bool causal : {false, true}) {
        AttentionSpec spec = spec_of(4, length % 2 == 0 ? 2 : 4, causal);
        spec.sequences = length == 7 ? 3 : 1;
        const Index T = length * spec.sequences, features = 6;
        const AttentionWeights w = weights(features, 4 * width, spec.kv_heads * width, 90);
        const Vector x = normal(features * T, 93);
        const LinearMapPtr map = Attention(w, spec, T).linearize(x).derivative;
        const Matrix v = normal(features * T, 3, 94), u = normal(map->rows(), 3, 95);
        const Matrix Av = testing::applied(*map, v), Atu = testing::applied_transpose(*map, u);
        for (Index c = 0; c < 3; ++c) {
          const Matrix wanted =
              tangent_by_definition(w, spec, x.reshaped(features, T), v.col(c).reshaped(features, T));
          EXPECT_LE(testing::relative_distance(Av.col(c).reshaped(wanted.rows(), T), wanted), 1e-13)
              << length << ' ' << width << ' ' << causal;
        }
        EXPECT_LE((u.transpose() * Av - Atu.transpose() * v).cwiseAbs().maxCoeff(),
                  testing::rounding(map->rows()) * u.norm() * Av.norm());
      }
}

TEST(Attention, SequencesDoNotSeeEachOther) {
  AttentionSpec spec = spec_of(2, 2);
  spec.rope = 10;
  const AttentionWeights w = weights(4, 4, 4, 70);
  const Vector x = normal(24, 71);
  const Attention one(w, spec, 3);
  spec.sequences = 2;
  const Attention both(w, spec, 6);
  const Matrix J = to_dense(*both.linearize(x).derivative);
  EXPECT_EQ(J.topRightCorner(12, 12), Matrix::Zero(12, 12));
  EXPECT_EQ(J.bottomLeftCorner(12, 12), Matrix::Zero(12, 12));
  for (Index s : {0, 1}) {
    const Vector part = x.segment(12 * s, 12);
    EXPECT_LE(testing::relative_distance(both.evaluate(x).segment(12 * s, 12), one.evaluate(part)), 1e-14);
    EXPECT_LE(testing::relative_distance(J.block(12 * s, 12 * s, 12, 12),
                                         to_dense(*one.linearize(part).derivative)),
              1e-14);
  }
}

/// Scores of rotary positions, with pairs (i, i + w/2) as complex numbers: Re Σ q_i conj(k_i) e^{i (s − t)
/// θ_i}.
TEST(Attention, RotaryScoresSeeDistancesOnly) {
  const Index T = 4, w = 4;
  AttentionSpec spec = spec_of(1, 1);
  spec.rope = 7;
  AttentionWeights weight = weights(w, w, w, 80);
  weight.value = share(Matrix(Matrix::Identity(w, w)));
  const Vector x = normal(w * T, 83);
  const Eigen::Map<const Matrix> X(x.data(), w, T);
  const Matrix Q = *weight.query * X, K = *weight.key * X;
  using Complex = std::complex<Real>;
  Matrix wanted(w, T);
  for (Index t = 0; t < T; ++t) {
    Vector P(T);
    for (Index s = 0; s < T; ++s) {
      Complex score = 0;
      for (Index i = 0; i < w / 2; ++i)
        score += Complex(Q(i, t), Q(i + w / 2, t)) * std::conj(Complex(K(i, s), K(i + w / 2, s))) *
                 std::polar(1.0, static_cast<Real>(t - s) * std::pow(7.0, -2.0 * static_cast<Real>(i) / w));
      P(s) = std::exp(score.real() / 2);
    }
    wanted.col(t) = X * P / P.sum();
  }
  const Vector got = Attention(weight, spec, T).evaluate(x);
  EXPECT_LE(testing::relative_distance(Eigen::Map<const Matrix>(got.data(), w, T), wanted), 1e-14);
}

/// Scores far beyond exp's range: the softmax is a choice, its derivative zero.
TEST(Attention, HugeScoresStayFinite) {
  AttentionSpec spec = spec_of(1, 1);
  spec.scale = 1e6;
  const Attention layer(weights(4, 4, 4, 90), spec, 3);
  const Vector x = normal(12, 93);
  const Linearization at = layer.linearize(x);
  EXPECT_TRUE(at.value.allFinite());
  EXPECT_LE(testing::relative_distance(at.value, layer.evaluate(x)), 1e-13);
  EXPECT_LE(to_dense(*at.derivative).cwiseAbs().maxCoeff(), 10) << "one value passes";
}

TEST(Attention, WhatDoesNotFitIsRefused) {
  const AttentionWeights w = weights(6, 6, 6, 100);
  EXPECT_THROW(Attention(w, spec_of(4, 4), 2), ShapeError);
  EXPECT_THROW(Attention(w, spec_of(3, 2), 2), ShapeError);
  EXPECT_THROW(Attention(w, spec_of(0, 0), 2), ShapeError);
  EXPECT_THROW(Attention(w, spec_of(3, 1), 2), ShapeError) << "keys for three heads";
  AttentionSpec runs = spec_of(2, 2);
  runs.sequences = 3;
  EXPECT_THROW(Attention(w, runs, 4), ShapeError);
  AttentionSpec rotary = spec_of(2, 2);
  rotary.rope = 10;
  EXPECT_THROW(Attention(w, rotary, 4), ShapeError) << "head width 3 has no pairs";
  AttentionWeights other = w;
  other.value = share(normal(6, 5, 104));
  EXPECT_THROW(Attention(other, spec_of(2, 2), 2), ShapeError);
  AttentionWeights biased = w;
  biased.key_bias = share(normal(5, 105));
  EXPECT_THROW(Attention(biased, spec_of(2, 2), 2), ShapeError);
}

}  // namespace
}  // namespace rezero
