/// Einsum: products of any number of tensors, contracted pair by pair from the left. Each pair becomes a
/// batched matrix product between rearrangements, so that the derivative is a chain of such maps.

#include <algorithm>
#include <map>

#include "parts.h"

namespace rezero::graph {
namespace {

using namespace operator_parts;  // NOLINT: the vocabulary of this folder

using Label = Index;
using Labels = std::vector<Label>;
constexpr Label ellipsis = 1000;  // labels from here on are the axes of "...", counted from the last

bool has(const Labels& labels, Label l) {
  return std::find(labels.begin(), labels.end(), l) != labels.end();
}

/// A tensor with a label per axis, and its derivatives with respect to the inputs of the node.
struct Operand {
  Tensor value;
  Labels labels;
  std::vector<std::pair<Index, LinearMapPtr>> maps;  ///< identity: null

  void follow(const LinearMapPtr& next) {
    for (auto& [input, map] : maps) map = map ? product_map({map, next}) : next;
  }
};

class Contraction {
 public:
  explicit Contraction(const Call& call) : call_(call) { parse(); }

  Outcome run() {
    Operand all = operand(0);
    for (Index i = 1; i < call_.size(); ++i) all = contracted(std::move(all), operand(i), needed_after(i));
    all = arranged(std::move(all), output_);
    Outcome outcome = one(all.value);
    for (auto& [input, map] : all.maps) add(outcome, input, map ? map : identity_map(all.value.size()));
    return outcome;
  }

 private:
  void parse() {
    std::string text;
    for (const char c : call_.text("equation", ""))
      if (c != ' ') text += c;
    const std::size_t arrow = text.find("->");
    std::string left = text.substr(0, arrow) + ",";
    for (Index i = 0; !left.empty(); ++i) {
      const std::size_t comma = left.find(',');
      inputs_.push_back(labels(left.substr(0, comma), call_.in(i).rank()));
      left = left.substr(comma + 1);
      bind(inputs_.back(), call_.in(i).dims());
    }
    if (static_cast<Index>(inputs_.size()) != call_.size())
      throw ShapeError("the equation '" + text + "' has another number of operands");
    if (arrow != std::string::npos)
      output_ = labels(text.substr(arrow + 2), -1);
    else
      output_ = implicit_output();
    for (const Label l : output_)
      if (!extents_.count(l))
        throw ShapeError("the equation '" + text + "' gives an axis that no operand has");
  }

  /// `rank` −1: the ellipsis has as many axes as it has in the operands.
  Labels labels(const std::string& term, Index rank) {
    Labels out;
    for (std::size_t i = 0; i < term.size(); ++i) {
      if (term[i] != '.') {
        out.push_back(term[i]);
        continue;
      }
      if (term.compare(i, 3, "...") != 0) throw ShapeError("the equation has a single dot");
      i += 2;
      const Index hidden = rank < 0 ? hidden_axes_ : rank - (static_cast<Index>(term.size()) - 3);
      hidden_axes_ = std::max(hidden_axes_, hidden);
      for (Index k = hidden; k-- > 0;) out.push_back(ellipsis + k);
    }
    if (rank >= 0 && static_cast<Index>(out.size()) != rank)
      throw ShapeError("the term '" + term + "' does not fit a tensor with " + std::to_string(rank) +
                       " axes");
    return out;
  }

  void bind(const Labels& labels, const Dims& dims) {
    for (std::size_t a = 0; a < dims.size(); ++a) {
      Index& extent = extents_.emplace(labels[a], dims[a]).first->second;
      if (extent == 1) extent = dims[a];
      if (dims[a] != extent && dims[a] != 1) throw ShapeError("an axis of the equation has two extents");
    }
  }

  /// Without an arrow: the ellipsis, then every label that stands once, in alphabetical order.
  Labels implicit_output() const {
    std::map<Label, int> counts;
    for (const Labels& labels : inputs_)
      for (const Label l : labels) ++counts[l];
    Labels out;
    for (Index k = hidden_axes_; k-- > 0;) out.push_back(ellipsis + k);
    for (const auto& [label, count] : counts)
      if (label < ellipsis && count == 1) out.push_back(label);
    return out;
  }

  Operand operand(Index i) const {
    Operand o{call_.in(i), inputs_[at(i)], {}};
    if (call_.wants(i)) o.maps.push_back({i, nullptr});
    return o;
  }

  Labels needed_after(Index i) const {
    Labels needed = output_;
    for (std::size_t k = at(i) + 1; k < inputs_.size(); ++k)
      needed.insert(needed.end(), inputs_[k].begin(), inputs_[k].end());
    return needed;
  }

  Dims extents(const Labels& labels) const {
    Dims dims;
    for (const Label l : labels) dims.push_back(extents_.at(l));
    return dims;
  }

  /// The operand with those axes in that order; axes that it has beside them are summed.
  Operand arranged(Operand o, const Labels& order) const {
    Labels all = order;
    for (const Label l : o.labels)
      if (!has(all, l)) all.push_back(l);
    const Dims own = strides_of(o.value.dims());
    Dims strides;
    for (const Label l : all) {
      Index stride = 0;  // repeated labels: the diagonal
      for (std::size_t a = 0; a < o.labels.size(); ++a)
        if (o.labels[a] == l && o.value.dims()[a] != 1) stride += own[a];
      strides.push_back(stride);
    }
    const Indices indices = strided_indices(0, extents(all), strides);
    o.follow(gather_map(o.value.size(), indices));
    o.value = gathered(o.value, indices, extents(all));
    o.labels = order;
    const Index kept = count_of(extents(order)), summed = kept == 0 ? 1 : o.value.size() / kept;
    if (summed == 1) {
      o.value = o.value.reshaped(extents(order));
      return o;
    }
    Indices target;
    for (Index i = 0; i < o.value.size(); ++i) target.push_back(i / summed);
    const LinearMapPtr sum = scatter_map(kept, std::move(target));
    Matrix sums(kept, 1);
    sum->apply(o.value.reals(), sums);
    o.value = Tensor::of(extents(order), Vector(sums.col(0)));
    o.follow(sum);
    return o;
  }

  Operand contracted(Operand a, Operand b, const Labels& needed) const {
    Labels batch, inner, left, right;
    for (const Label l : a.labels) {
      Labels* place = has(b.labels, l) ? (has(needed, l) ? &batch : &inner)
                      : has(needed, l) ? &left
                                       : nullptr;
      if (place && !has(*place, l)) place->push_back(l);
    }
    for (const Label l : b.labels)
      if (!has(a.labels, l) && has(needed, l) && !has(right, l)) right.push_back(l);
    const auto chained = [](Labels x, const Labels& y, const Labels& z) {
      x.insert(x.end(), y.begin(), y.end()), x.insert(x.end(), z.begin(), z.end());
      return x;
    };
    a = arranged(std::move(a), chained(batch, left, inner));
    b = arranged(std::move(b), chained(batch, inner, right));
    BatchedProduct p;
    p.m = count_of(extents(left)), p.k = count_of(extents(inner)), p.n = count_of(extents(right));
    for (Index i = 0; i < count_of(extents(batch)); ++i)
      p.a.push_back(i * p.m * p.k), p.b.push_back(i * p.k * p.n);
    p.a_size = a.value.size(), p.b_size = b.value.size();
    Operand c;
    c.labels = chained(batch, left, right);
    c.value = Tensor::of(extents(c.labels), multiply(p, a.value.reals(), b.value.reals()));
    if (!a.maps.empty()) a.follow(left_product_map(p, b.value.shared_reals()));
    if (!b.maps.empty()) b.follow(right_product_map(p, a.value.shared_reals()));
    c.maps = std::move(a.maps);
    c.maps.insert(c.maps.end(), b.maps.begin(), b.maps.end());
    return c;
  }

  const Call& call_;
  std::vector<Labels> inputs_;
  Labels output_;
  std::map<Label, Index> extents_;
  Index hidden_axes_ = 0;
};

Outcome run_einsum(const Call& call) {
  for (Index i = 0; i < call.size(); ++i)
    if (!call.in(i).is_real()) throw ShapeError("whole numbers are not supported");
  return Contraction(call).run();
}

}  // namespace

void operators_einsum(OperatorTable& table) {
  table.push_back({"Einsum", run_einsum, Smoothness::multilinear, false, 12});
}

}  // namespace rezero::graph
