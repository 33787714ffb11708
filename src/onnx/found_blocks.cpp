#include "rezero/onnx/found_blocks.h"

#include <algorithm>
#include <set>

#include "onnx/onnx_block.h"

namespace rezero::onnx {
namespace {

using graph::Program;
using graph::Step;

bool is_activation(const Step& step) {
  static const std::set<std::string> types = {
      "Relu", "Tanh",     "Sigmoid",   "Erf",         "LeakyRelu", "Elu",   "Selu",
      "Celu", "Softplus", "HardSwish", "HardSigmoid", "Mish",      "PRelu", "ThresholdedRelu"};
  return types.count(step.node->type) > 0;
}

/// A constant matrix with the varying operand that it multiplies.
struct Product {
  std::size_t step = 0;
  int slot = -1;                         ///< of the matrix
  std::shared_ptr<const Matrix> weight;  ///< outputs × inputs
  VectorPtr bias;
  std::string name, bias_name;
};

/// One block, read backwards from the branch's operand of the sum.
class Reading {
 public:
  Reading(const Program& program, const graph::BlockSpan& span)
      : program_(program), span_(span), anatomy_(anatomy_of(program, span)) {
    if (!span.sum || anatomy_.branch < 0) return;
    branch_ = steps_to(anatomy_.branch);
    for (const std::size_t i : branch_) add_product(i);
  }

  FoundBlock found(const std::string& sum) {
    FoundBlock block;
    block.knows_wiring = false;
    block.holds_copies = true;
    block.gate = sum;
    if (whole_) recognize(block);
    if (block.parts) set_gate(block);
    block.unmatched = unmatched();
    return block;
  }

 private:
  const Step& step(std::size_t i) const { return program_.steps[i]; }

  /// The steps of the branch that lead to a slot, in order.
  std::vector<std::size_t> steps_to(int slot) const {
    std::set<int> open = {slot};
    std::vector<std::size_t> all;
    for (std::size_t i = *span_.sum; i-- > span_.parted_at;) {
      const bool read = std::any_of(step(i).outputs.begin(), step(i).outputs.end(),
                                    [&](int output) { return open.count(output) > 0; });
      if (!read) continue;
      all.push_back(i);
      for (const int input : step(i).inputs)
        if (program_.varies(input)) open.insert(input);
    }
    std::reverse(all.begin(), all.end());
    return all;
  }
  bool leads_to(const Product& product, std::size_t later) const {
    for (const int input : step(later).inputs)
      if (program_.varies(input)) {
        const std::vector<std::size_t> way = steps_to(input);
        if (std::find(way.begin(), way.end(), product.step) != way.end()) return true;
      }
    return false;
  }

  void add_product(std::size_t i) {
    const std::string& type = step(i).node->type;
    if (type == "Conv" || type == "ConvTranspose" || type == "Einsum") whole_ = false;
    if (type == "Softmax") softmax_ = i;
    if (is_activation(step(i))) activations_.push_back(i);
    if (type != "MatMul" && type != "Gemm") return;
    const std::vector<int>& inputs = step(i).inputs;
    if (program_.varies(inputs[0]) && program_.varies(inputs[1])) return;
    const bool right = program_.varies(inputs[0]);
    const int slot = right ? inputs[1] : inputs[0];
    const graph::Tensor& W = program_.slot(slot).constant;
    if (W.rank() != 2 || !W.is_real() || (type == "Gemm" && !is_plain_gemm(i))) {
      whole_ = false;
      return;
    }
    const bool transposed = !right || (type == "Gemm" && integer(i, "transB") != 0);  // outputs are the rows
    // The file's numbers are row-major.
    const Eigen::Map<const Matrix> columns(W.reals().data(), W.dims()[1], W.dims()[0]);
    Product product{
        i,
        slot,
        std::make_shared<const Matrix>(transposed ? Matrix(columns.transpose()) : Matrix(columns)),
        nullptr,
        name_of_constant(program_, slot, step(i)),
        {}};
    find_bias(product);
    products_.push_back(std::move(product));
  }

  std::int64_t integer(std::size_t i, const std::string& name) const {
    const auto found = step(i).node->attributes.find(name);
    if (found == step(i).node->attributes.end()) return 0;
    const auto* value = std::get_if<std::int64_t>(&found->second);
    return value ? *value : 0;
  }
  /// x Wᵀ + b or x W + b.
  bool is_plain_gemm(std::size_t i) const {
    for (const char* name : {"alpha", "beta"}) {
      const auto found = step(i).node->attributes.find(name);
      if (found == step(i).node->attributes.end()) continue;
      const Real* value = std::get_if<Real>(&found->second);
      if (!value || *value != 1) return false;
    }
    return integer(i, "transA") == 0 && program_.varies(step(i).inputs[0]);
  }

  void find_bias(Product& product) const {
    const auto take = [&](int slot, const Step& reader) {
      if (slot < 0 || program_.varies(slot)) return;
      const graph::Tensor& b = program_.slot(slot).constant;
      if (!b.is_real() || b.size() != product.weight->rows()) return;
      product.bias = b.shared_reals();
      product.bias_name = name_of_constant(program_, slot, reader);
    };
    const Step& here = step(product.step);
    if (here.node->type == "Gemm" && here.inputs.size() > 2) take(here.inputs[2], here);
    for (const std::size_t i : branch_) {
      const Step& next = step(i);
      const bool adds = next.node->type == "Add" && next.inputs.size() == 2;
      if (!adds || product.bias) continue;
      for (const int side : {0, 1})
        if (next.inputs[static_cast<std::size_t>(side)] == here.outputs[0])
          take(next.inputs[static_cast<std::size_t>(1 - side)], next);
    }
  }

  void recognize(FoundBlock& block) {
    const std::size_t count = products_.size();
    if (softmax_ && count == 4) return attention(block);
    if (softmax_ && count == 2) return fused_attention(block);
    if (softmax_) return;
    if (count == 1) return assign(block, one_matrix(), {Role::linear});
    if (count == 2 && products_[0].weight->rows() == products_[1].weight->cols())
      return assign(block, "mlp", {Role::up, Role::down});
    if (count == 3) gated(block);
  }

  /// The kind of branch with one matrix, or nothing with activations on both sides.
  std::string_view one_matrix() const {
    bool before = false, behind = false;
    for (const std::size_t i : activations_) (i < products_[0].step ? before : behind) = true;
    return before && behind ? "" : before ? "preactivation" : behind ? "dense" : "linear";
  }

  void gated(FoundBlock& block) {
    const auto is_gate = [&](const Product& product) {
      return std::any_of(activations_.begin(), activations_.end(),
                         [&](std::size_t i) { return leads_to(product, i); });
    };
    const bool first = is_gate(products_[0]);
    const Matrix &a = *products_[0].weight, &b = *products_[1].weight;
    if (first == is_gate(products_[1]) || a.rows() != b.rows() || a.cols() != b.cols()) return;
    if (products_[2].weight->cols() != a.rows()) return;
    assign(block, "glu",
           first ? std::vector<Role>{Role::gate, Role::up, Role::down}
                 : std::vector<Role>{Role::up, Role::gate, Role::down});
  }

  void attention(FoundBlock& block) {
    std::vector<Role> roles;
    std::vector<std::size_t> scored;  // query and key
    for (std::size_t p = 0; p < 3; ++p) {
      const bool scores = leads_to(products_[p], *softmax_);
      if (scores) scored.push_back(p);
      roles.push_back(scores ? Role::query : Role::value);
    }
    if (scored.size() != 2 || products_[3].step < *softmax_) return;
    const bool swapped = products_[scored[1]].weight->rows() > products_[scored[0]].weight->rows();
    roles[scored[swapped ? 0 : 1]] = Role::key;
    roles.push_back(Role::output);
    assign(block, "attention", roles);
  }

  void fused_attention(FoundBlock& block) {
    const Product fused = products_[0];
    const Index width = fused.weight->cols();
    if (fused.weight->rows() != 3 * width || products_[1].step < *softmax_) return;
    std::vector<Product> parts;
    for (const Index i : {0, 1, 2}) {
      Product part = fused;
      const std::string which = i == 0 ? " (query)" : i == 1 ? " (key)" : " (value)";
      part.weight = std::make_shared<const Matrix>(fused.weight->middleRows(i * width, width));
      if (fused.bias) part.bias = std::make_shared<Vector>(fused.bias->segment(i * width, width));
      part.name += which, part.bias_name += which;
      parts.push_back(std::move(part));
    }
    parts.push_back(products_[1]);
    products_ = std::move(parts);
    assign(block, "attention", {Role::query, Role::key, Role::value, Role::output});
  }

  void assign(FoundBlock& block, std::string_view kind, const std::vector<Role>& roles) {
    if (kind.empty()) return;
    BlockParts parts;
    parts.branch = &branches().at(kind);
    parts.shape = {products_.front().weight->cols(), 1};
    if (products_.back().weight->rows() != parts.shape.features) return;
    for (std::size_t p = 0; p < roles.size(); ++p) {
      const Product& product = products_[p];
      parts.weights[roles[p]] = {product.weight, product.bias};
      block.weights[roles[p]] = product.name;
      block.biases[roles[p]] = product.bias ? product.bias_name : "bias of " + product.name;
      matched_.insert(product.slot);
    }
    block.parts = std::move(parts);
  }

  void set_gate(FoundBlock& block) const {
    if (anatomy_.gate < 0) return;
    const graph::Tensor& gate = program_.slot(anatomy_.gate).constant;
    if (!gate.is_real() || gate.size() == 0) return;
    block.parts->branch_scale.values = gate.reals();
    for (const std::size_t i : branch_)
      for (const int input : step(i).inputs)
        if (input == anatomy_.gate) block.gate = name_of_constant(program_, input, step(i));
  }

  std::vector<std::string> unmatched() const {
    std::vector<std::string> names;
    std::set<int> seen = matched_;
    for (std::size_t i = span_.first; i < span_.last; ++i)
      for (const int slot : step(i).inputs) {
        if (slot < 0 || program_.varies(slot)) continue;
        const graph::Tensor& tensor = program_.slot(slot).constant;
        const auto axes =
            std::count_if(tensor.dims().begin(), tensor.dims().end(), [](Index n) { return n > 1; });
        if (program_.slot(slot).trained && tensor.is_real() && axes >= 2 && seen.insert(slot).second)
          names.push_back(name_of_constant(program_, slot, step(i)));
      }
    return names;
  }

  const Program& program_;
  graph::BlockSpan span_;
  BlockAnatomy anatomy_;
  std::vector<std::size_t> branch_, activations_;
  std::optional<std::size_t> softmax_;
  std::vector<Product> products_;
  std::set<int> matched_;
  bool whole_ = true;  ///< every product of the branch is understood
};

}  // namespace

std::vector<FoundBlock> found_blocks(const OnnxStack& stack) {
  std::vector<FoundBlock> all;
  for (std::size_t l = 0; l < stack.spans().size(); ++l)
    all.push_back(Reading(stack.program(), stack.spans()[l]).found(stack.sum_name(static_cast<Index>(l))));
  return all;
}

}  // namespace rezero::onnx
