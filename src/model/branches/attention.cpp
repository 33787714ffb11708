#include "parts.h"
#include "rezero/model/geometry.h"

namespace rezero {

BranchKind branch_attention() {
  BranchKind kind;
  kind.name = "attention";
  kind.formula = "Wo softmax(q k^T scale) v + bo over heads, q = Wq x + bq, k = Wk x + bk, v = Wv x + bv";
  kind.summary = "multi-head self-attention over the positions";
  kind.source = "Vaswani et al. 2017 (arXiv 1706.03762), section 3.2";
  kind.degree = 0;         // softmax of a quadratic form: not homogeneous
  kind.weight_layers = 4;  // as Fixup counts them
  kind.has_inner_norm = kind.is_attention = true;
  kind.geometry = token_geometry;
  // Queries, keys, values, their rotated or normalized forms and two results, at most for all columns at
  // once; and weights of every pair of positions and head. Measured: a stored derivative holds the matrices
  // twice.
  kind.matrices_at_work = 1;  // six of a panel's size
  kind.kept_copies = 2;
  kind.pairs = [](const BranchSizes& n) -> PairWork {
    return {8 * static_cast<Real>(n.features), 2 * static_cast<Real>(n.heads)};
  };
  kind.slots = [](const BranchSizes& n) -> std::vector<WeightSlot> {
    const Index kv = n.features / n.heads * n.kv_heads;
    return {{Role::query, n.features, n.features},
            {Role::key, kv, n.features},
            {Role::value, kv, n.features},
            {Role::output, n.features, n.features}};
  };
  kind.build = [](const BranchInputs& in) -> Branch {
    const WeightPair &q = in.weights.at(Role::query), &k = in.weights.at(Role::key),
                     &v = in.weights.at(Role::value);
    LayerPtr heads = std::make_shared<Attention>(
        AttentionWeights{q.weight, k.weight, v.weight, q.bias, k.bias, v.bias}, in.attention, in.positions);
    return branch_parts::finish({std::move(heads)}, in, Role::output);
  };
  return kind;
}

}  // namespace rezero
