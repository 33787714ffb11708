#include "attention_map.h"

#include <algorithm>
#include <map>

#include "layers/softmax_kernel.h"
#include "linalg/small_product.h"
#include "rezero/parallel/parts.h"

namespace rezero {
namespace {

/// Rows padded with zeros to whole vectors.
Matrix with_padding(const Eigen::Ref<const Matrix>& X) {
  Matrix all = Matrix::Zero(padded(X.rows()), X.cols());
  all.topRows(X.rows()) = X;
  return all;
}

/// The operands of a head, as left and as right factors.
struct Head {
  Head(const AttentionMapParts& p, const AttentionHead& head)
      : query_row(head.query_row), key_row(head.key_row), first(head.first) {
    const auto slice = [&](const Matrix& X, Index row) {
      return X.block(row, first, p.head_width, p.length);
    };
    Q = with_padding(slice(p.Q, query_row)), K = with_padding(slice(p.K, key_row));
    V = with_padding(slice(p.V, key_row));
    keys = with_padding(slice(p.K, key_row).transpose()),
    values = with_padding(slice(p.V, key_row).transpose());
    P = with_padding(head.P);
  }
  Index query_row, key_row, first;
  Matrix Q, K, V;       ///< width × T
  Matrix keys, values;  ///< Kᵀ, Vᵀ: T × width
  Matrix P;             ///< T × T, one column per query
};

/// One direction's rows × positions matrix inside a block of directions.
struct Slab {
  Real* data;
  Index rows;
  Real* at(Index row, Index position) const { return data + position * rows + row; }
};
struct ConstSlab {
  const Real* data;
  Index rows;
  const Real* at(Index row, Index position) const { return data + position * rows + row; }
};

struct LeftOperand {
  const Real* data;
  Index stride;
};

/// Buffers that one worker writes while it goes through directions and heads.
class Workspace {
 public:
  Workspace(Index width, Index length)
      : S(padded(length), length),
        width_(width),
        transposed_(Matrix::Zero(padded(length), width)),
        whole_(Matrix::Zero(padded(width), length)),
        result_(padded(width), strip_width) {}

  /// Xᵀ for a slice X (width × T).
  LeftOperand transposed(ConstSlab X, Index row, Index first) {
    for (Index j = 0; j < S.cols(); ++j) {
      const Real* from = X.at(row, first + j);
      for (Index r = 0; r < width_; ++r) transposed_(j, r) = from[r];
    }
    return {transposed_.data(), transposed_.rows()};
  }
  /// X itself, copied only if its rows do not fill whole vectors.
  LeftOperand whole(ConstSlab X, Index row, Index first) {
    if (whole_.rows() == width_) return {X.at(row, first), X.rows};
    for (Index j = 0; j < S.cols(); ++j) std::copy_n(X.at(row, first + j), width_, whole_.col(j).data());
    return {whole_.data(), whole_.rows()};
  }
  /// to = or += a strip of the product(s) written by `multiply`.
  template <class Multiply, class Put>
  void strip(Slab to, Index row, Index position, Index columns, Multiply multiply, Put put) {
    multiply(result_.rows(), columns, result_.data(), result_.rows());
    for (Index j = 0; j < columns; ++j) {
      const Real* from = result_.col(j).data();
      Real* target = to.at(row, position + j);
      for (Index r = 0; r < width_; ++r) put(target[r], from[r]);
    }
  }

  Matrix S;  ///< scores: T × T, or in the forward direction one strip of it

 private:
  Index width_;
  Matrix transposed_, whole_, result_;
};

class AttentionMap final : public LinearMap {
 public:
  explicit AttentionMap(AttentionMapParts parts) : p_(std::move(parts)) {
    for (const AttentionHead& head : p_.heads) heads_.emplace_back(p_, head);
    p_.heads.clear();
    std::map<std::pair<Index, Index>, std::vector<Index>> sharing;
    for (std::size_t h = 0; h < heads_.size(); ++h)
      sharing[{heads_[h].first, heads_[h].key_row}].push_back(static_cast<Index>(h));
    for (auto& [keys, heads] : sharing) groups_.push_back(std::move(heads));
  }
  Index rows() const override { return p_.query_rows * p_.positions; }
  Index cols() const override { return p_.features * p_.positions; }
  Real flops_per_column() const override {
    const Real core = 8 * static_cast<Real>(p_.query_rows) * static_cast<Real>(p_.positions * p_.length);
    return p_.query->flops_per_column() + p_.key->flops_per_column() + p_.value->flops_per_column() + core;
  }

 private:
  LinearMapPtr do_in_other_rounding(SimulatedRounding& rounding) const override {
    AttentionMapParts parts = p_;
    for (const Head& head : heads_)
      parts.heads.push_back({head.query_row, head.key_row, head.first, head.P.topRows(p_.length)});
    for (LinearMapPtr* projection : {&parts.query, &parts.key, &parts.value})
      *projection = in_other_rounding(*projection, rounding);
    return attention_map(std::move(parts));
  }
  void do_apply(ConstColumns v, Columns out) const override {
    const Index k = v.cols(), keys = p_.key_rows * p_.positions;
    Matrix dQ(rows(), k), dK(keys, k), dV(keys, k);
    p_.query->apply(v, dQ);
    p_.key->apply(v, dK);
    p_.value->apply(v, dV);
    each_head(k, [&](Index c, const Head& head, Workspace& work) {
      push_head(head, {dQ.col(c).data(), p_.query_rows}, {dK.col(c).data(), p_.key_rows},
                {dV.col(c).data(), p_.key_rows}, {out.col(c).data(), p_.query_rows}, work);
    });
  }

  void do_apply_transpose(ConstColumns u, Columns out) const override {
    const Index k = u.cols(), keys = p_.key_rows * p_.positions;
    Matrix dQ(rows(), k), dK = Matrix::Zero(keys, k), dV = Matrix::Zero(keys, k);
    each_head(k, [&](Index c, const Head& head, Workspace& work) {
      pull_head(head, {u.col(c).data(), p_.query_rows}, {dQ.col(c).data(), p_.query_rows},
                {dK.col(c).data(), p_.key_rows}, {dV.col(c).data(), p_.key_rows}, work);
    });
    Matrix part(cols(), k);
    p_.query->apply_transpose(dQ, out);
    p_.key->apply_transpose(dK, part);
    out += part;
    p_.value->apply_transpose(dV, part);
    out += part;
  }

  /// Heads that share no keys write to separate places. For a single column they run in parallel.
  template <class Do>
  void each_head(Index columns, Do&& head_of_column) const {
    const auto go = [&](Index c, const std::vector<Index>& group, Workspace& work) {
      for (const Index h : group) head_of_column(c, heads_[static_cast<std::size_t>(h)], work);
    };
    if (columns == 1)
      return for_each_part(static_cast<Index>(groups_.size()), [&](Index g) {
        Workspace work(p_.head_width, p_.length);
        go(0, groups_[static_cast<std::size_t>(g)], work);
      });
    Workspace work(p_.head_width, p_.length);
    for (Index c = 0; c < columns; ++c)
      for (const std::vector<Index>& group : groups_) go(c, group, work);
  }

  /// A = V P with P = softmax(scale · Kᵀ Q): dA = V dP + dV P, dP from dS = Kᵀ dQ + dKᵀ Q. In strips of
  /// queries, so that scores stay in the first-level cache; causal queries skip later keys.
  void push_head(const Head& head, ConstSlab dQ, ConstSlab dK, ConstSlab dV, Slab dA, Workspace& work) const {
    const LeftOperand keys = work.transposed(dK, head.key_row, head.first),
                      values = work.whole(dV, head.key_row, head.first);
    const Index w = p_.head_width, T = p_.length, stride = work.S.rows();
    Real* S = work.S.data();
    for (Index i = 0; i < T; i += strip_width) {
      const Index columns = std::min(strip_width, T - i), seen = p_.causal ? i + columns : T;
      const Real* P = head.P.col(i).data();
      add_products({head.keys.data(), stride, dQ.at(head.query_row, head.first + i), 1, dQ.rows, w},
                   {keys.data, keys.stride, head.Q.col(i).data(), 1, head.Q.rows(), w}, padded(seen), columns,
                   S, stride);
      detail::softmax_kernel().through(P, p_.scale, padded(seen), columns, S, stride);
      work.strip(
          dA, head.query_row, head.first + i, columns,
          [&](auto... to) {
            add_products({head.V.data(), head.V.rows(), S, 1, stride, seen},
                         {values.data, values.stride, P, 1, stride, seen}, to...);
          },
          [](Real& to, Real x) { to = x; });
    }
  }

  /// The transpose of push_head, step by step: strips of queries for dS and dQ, then of keys for dK and dV,
  /// to which heads with shared keys add.
  void pull_head(const Head& head, ConstSlab dA, Slab dQ, Slab dK, Slab dV, Workspace& work) const {
    const LeftOperand results = work.whole(dA, head.query_row, head.first);
    const Index w = p_.head_width, T = p_.length, stride = work.S.rows();
    for (Index i = 0; i < T; i += strip_width) {
      const Index columns = std::min(strip_width, T - i), seen = p_.causal ? i + columns : T;
      Real* S = work.S.col(i).data();
      small_product({head.values.data(), stride, dA.at(head.query_row, head.first + i), 1, dA.rows, w},
                    padded(seen), columns, S, stride);
      detail::softmax_kernel().through(head.P.col(i).data(), p_.scale, padded(seen), columns, S, stride);
      work.strip(
          dQ, head.query_row, head.first + i, columns,
          [&](auto... to) {
            small_product({head.K.data(), head.K.rows(), S, 1, stride, seen}, to...);
          },
          [](Real& to, Real x) { to = x; });
    }
    const auto add = [](Real& to, Real x) { to += x; };
    for (Index j = 0; j < T; j += strip_width) {
      const Index columns = std::min(strip_width, T - j), from = p_.causal ? j : 0, seeing = T - from;
      const auto transposed = [&](LeftOperand A, const Matrix& B) {
        return SmallProduct{A.data + from * A.stride, A.stride, &B(j, from), stride, 1, seeing};
      };
      work.strip(
          dV, head.key_row, head.first + j, columns,
          [&](auto... to) { small_product(transposed(results, head.P), to...); }, add);
      work.strip(
          dK, head.key_row, head.first + j, columns,
          [&](auto... to) {
            small_product(transposed({head.Q.data(), head.Q.rows()}, work.S), to...);
          },
          add);
    }
  }

  AttentionMapParts p_;
  std::vector<Head> heads_;
  std::vector<std::vector<Index>> groups_;  ///< heads that share keys
};

}  // namespace

LinearMapPtr attention_map(AttentionMapParts parts) {
  return std::make_shared<AttentionMap>(std::move(parts));
}

}  // namespace rezero
