/// Stretches of steps that act on each position by itself.

#include <algorithm>
#include <mutex>
#include <set>

#include "rezero/graph/program.h"

namespace rezero::graph {
namespace {

/// Operators that act entry by entry, with broadcasting.
const std::set<std::string_view> elementwise = {
    "Abs",  "Add",     "Cast",        "Celu",      "Clip",     "Div",       "Dropout",    "Elu",
    "Erf",  "Exp",     "HardSigmoid", "HardSwish", "Identity", "LeakyRelu", "Log",        "Max",
    "Mean", "Min",     "Mish",        "Mul",       "Neg",      "Pow",       "Reciprocal", "Relu",
    "Selu", "Sigmoid", "Softplus",    "Softsign",  "Sqrt",     "Sub",       "Sum",        "Tanh"};

/// The extents before the last.
Dims leading(const Dims& dims) {
  return dims.empty() ? dims : Dims(dims.begin(), dims.end() - 1);
}

class Locality {
 public:
  Locality(const Program& program, int entry)
      : program_(program), lead_(leading(dims(entry))), local_{entry} {}

  Index positions() const { return count_of(lead_); }
  bool has(int slot) const { return local_.count(slot) > 0; }
  /// Adds the outputs of a step that acts on the positions one by one.
  bool add(const Step& step) {
    if (!is_local(step)) return false;
    local_.insert(step.outputs.begin(), step.outputs.end());
    return true;
  }

 private:
  const Dims& dims(int slot) const { return program_.slot(slot).dims; }

  bool is_local(const Step& step) const {
    for (const int slot : step.inputs)
      if (program_.varies(slot) && !has(slot)) return false;
    for (const int slot : step.outputs)
      if (dims(slot).size() != lead_.size() + 1 || leading(dims(slot)) != lead_) return false;
    const std::string& type = step.node->type;
    if (elementwise.count(type)) return true;
    const auto constant = [&](std::size_t i) {
      return i >= step.inputs.size() || !program_.varies(step.inputs[i]);
    };
    if (type == "MatMul") return constant(1) && dims(step.inputs[1]).size() == 2;
    if (type == "Gemm") return constant(1) && constant(2) && integer(step, "transA", 0) == 0;
    if (type == "LayerNormalization") return is_last(step, -1);
    if (type == "Softmax" || type == "LogSoftmax") return is_last(step, step.opset < 13 ? 1 : -1);
    // Only the last axis can have become 1 while the others are as before.
    if (type == "ReduceMean" || type == "ReduceSum" || type == "ReduceL2" || type == "ReduceSumSquare")
      return dims(step.outputs[0]).back() == 1;
    return false;
  }

  static Index integer(const Step& step, const std::string& name, Index otherwise) {
    const auto found = step.node->attributes.find(name);
    if (found == step.node->attributes.end()) return otherwise;
    const auto* value = std::get_if<std::int64_t>(&found->second);
    return value ? *value : otherwise;
  }
  bool is_last(const Step& step, Index otherwise) const {
    const Index axis = integer(step, "axis", otherwise), rank = static_cast<Index>(lead_.size()) + 1;
    return axis == -1 || axis == rank - 1;
  }

  const Program& program_;
  Dims lead_;
  std::set<int> local_;
};

/// A map that is known to be block-diagonal. One product with the identity at every position gives all
/// blocks.
class LocalMap final : public LinearMap {
 public:
  LocalMap(LinearMapPtr whole, Index positions) : whole_(std::move(whole)), positions_(positions) {}
  Index rows() const override { return whole_->rows(); }
  Index cols() const override { return whole_->cols(); }
  Real flops_per_column() const override { return whole_->flops_per_column(); }
  Index local_positions() const override { return positions_; }

 private:
  Index height() const { return rows() / positions_; }
  Index width() const { return cols() / positions_; }

  void do_apply(ConstColumns v, Columns out) const override { whole_->apply(v, out); }
  void do_apply_transpose(ConstColumns u, Columns out) const override { whole_->apply_transpose(u, out); }
  void do_apply_at(Index t, ConstColumns v, Columns out) const override {
    Matrix all = Matrix::Zero(cols(), v.cols()), image(rows(), v.cols());
    all.middleRows(t * width(), width()) = v;
    whole_->apply(all, image);
    out = image.middleRows(t * height(), height());
  }
  void do_apply_transpose_at(Index t, ConstColumns u, Columns out) const override {
    Matrix all = Matrix::Zero(rows(), u.cols()), image(cols(), u.cols());
    all.middleRows(t * height(), height()) = u;
    whole_->apply_transpose(all, image);
    out = image.middleRows(t * width(), width());
  }
  Matrix do_block(Index t) const override {
    std::call_once(formed_, [this] {
      blocks_.resize(rows(), width());
      whole_->apply(Matrix::Identity(width(), width()).replicate(positions_, 1), blocks_);
    });
    return blocks_.middleRows(t * height(), height());
  }

  LinearMapPtr do_in_other_rounding(SimulatedRounding& rounding) const override {
    return std::make_shared<LocalMap>(in_other_rounding(whole_, rounding), positions_);
  }

  LinearMapPtr whole_;
  Index positions_;
  mutable std::once_flag formed_;
  mutable Matrix blocks_;  ///< one below the other
};

}  // namespace

std::vector<Edge> with_local_parts(const Program& program, std::size_t first, std::size_t last, int entry,
                                   int exit, const std::vector<Edge>& edges) {
  Locality locality(program, entry);
  const Index size = count_of(program.slot(entry).dims);
  if (locality.positions() < 2 || size == 0) return edges;
  std::vector<int> frontier;  // local slots that others read
  std::set<int> inner = {};
  const auto read_outside = [&](int slot) {
    if (slot != entry && locality.has(slot) &&
        std::find(frontier.begin(), frontier.end(), slot) == frontier.end())
      frontier.push_back(slot);
  };
  for (std::size_t i = first; i < last; ++i) {
    const Step& step = program.steps[i];
    if (locality.add(step)) {
      inner.insert(step.outputs.begin(), step.outputs.end());
      continue;
    }
    for (const int slot : step.inputs) read_outside(slot);
  }
  read_outside(exit);
  std::vector<Edge> parts;
  for (const int slot : frontier) {
    LinearMapPtr whole = map_along(edges, entry, size, slot, count_of(program.slot(slot).dims));
    parts.push_back({entry, slot, std::make_shared<LocalMap>(std::move(whole), locality.positions())});
  }
  for (const Edge& edge : edges)
    if (!inner.count(edge.to)) parts.push_back(edge);
  return parts;
}

}  // namespace rezero::graph
