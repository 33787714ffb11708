#include "parts.h"

namespace rezero {

BranchKind branch_attention() {
  BranchKind kind;
  kind.name = "attention";
  kind.formula = "Wo softmax(q k^T scale) v + bo over heads, q = Wq x + bq, k = Wk x + bk, v = Wv x + bv";
  kind.summary = "multi-head self-attention over the positions";
  kind.source = "Vaswani et al. 2017 (arXiv 1706.03762), section 3.2";
  kind.degree = 0;         // softmax of a quadratic form: not homogeneous
  kind.weight_layers = 4;  // as Fixup counts them
  kind.has_positions = kind.is_attention = true;
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
