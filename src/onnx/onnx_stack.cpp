#include "rezero/onnx/onnx_stack.h"

#include <algorithm>
#include <regex>

#include "onnx/onnx_block.h"
#include "rezero/core/error.h"
#include "rezero/core/text.h"
#include "rezero/model/geometry.h"

namespace rezero::onnx {
namespace {

class OnnxGeometry final : public Geometry {
 public:
  void add(const OnnxBlock& block, const LayerWork& work) {
    if (shapes_.empty()) shapes_.push_back(block.input_shape());
    shapes_.push_back(block.output_shape());
    work_.push_back(work);
  }
  Shape shape_after(Index blocks) const override { return shapes_.at(static_cast<std::size_t>(blocks)); }
  std::vector<LayerRun> runs(Index layers) const override {
    std::vector<LayerRun> runs;
    for (Index l = 0; l < layers; ++l) runs.push_back({l, 1});
    return runs;
  }
  LayerWork work(Index layer) const override { return work_.at(static_cast<std::size_t>(layer)); }
  bool checked_by_runs() const override { return shapes_.front().size() != shapes_.back().size(); }

 private:
  std::vector<Shape> shapes_;
  std::vector<LayerWork> work_;
};

class TracedStack final : public OnnxStack {
 public:
  TracedStack(graph::ProgramPtr program, graph::Tensor input, const OnnxOptions& options)
      : program_(std::move(program)),
        input_(input.reals()),
        spans_(graph::find_blocks(*program_, filter(options))) {
    Vector x = input_;
    for (const graph::BlockSpan& span : spans_) {
      blocks_.push_back(std::make_shared<const OnnxBlock>(program_, span));
      const OnnxBlock& block = *blocks_.back();
      const Linearization at = block.linearize(x);
      LayerWork work;
      work.flops_per_column = at.derivative->flops_per_column();
      work.weights = block.weight_count();
      work.weights_at_work = 2 * work.weights;
      work.kept = work.weights + 2 * block.numbers_at_work();
      work.matrices_at_work = block.numbers_at_work() / static_cast<Real>(std::max<Index>(x.size(), 1));
      work.positions_at_once = block.input_shape().positions;
      geometry_.add(block, work);
      x = at.value;
    }
  }

  const Geometry& geometry() const override { return geometry_; }
  Index blocks() const override { return static_cast<Index>(blocks_.size()); }
  Vector input() const override { return input_; }
  BlockPtr block(Index l) const override { return blocks_.at(static_cast<std::size_t>(l)); }
  bool positively_homogeneous() const override { return false; }

  const graph::Program& program() const override { return *program_; }
  const std::vector<graph::BlockSpan>& spans() const override { return spans_; }
  std::string sum_name(Index block) const override {
    const graph::BlockSpan& span = spans_.at(static_cast<std::size_t>(block));
    return span.sum ? program_->slot(program_->steps[*span.sum].outputs[0]).name : "";
  }
  std::string exit_name(Index block) const override {
    return program_->slot(spans_.at(static_cast<std::size_t>(block)).exit).name;
  }
  std::optional<Gate> gate(Index block) const override {
    const int slot = blocks_.at(static_cast<std::size_t>(block))->anatomy().gate;
    if (slot < 0) return std::nullopt;
    return Gate{program_->slot(slot).name, program_->slot(slot).constant};
  }

 private:
  static std::function<bool(const std::string&)> filter(const OnnxOptions& options) {
    if (!options.block_pattern) return {};
    try {
      return [pattern = std::regex(*options.block_pattern)](const std::string& name) {
        return std::regex_search(name, pattern);
      };
    } catch (const std::regex_error&) {
      throw UsageError("--block-pattern '" + printable(*options.block_pattern) +
                       "' is no regular expression");
    }
  }

  graph::ProgramPtr program_;
  Vector input_;
  std::vector<graph::BlockSpan> spans_;
  std::vector<std::shared_ptr<const OnnxBlock>> blocks_;
  OnnxGeometry geometry_;
};

}  // namespace

Shape shape_of(const graph::Dims& dims) {
  const Index size = graph::count_of(dims);
  if (dims.empty() || dims.size() > 3 || dims.back() == 0) return {size, 1};
  return {dims.back(), size / dims.back()};
}

OnnxStackPtr make_onnx_stack(std::shared_ptr<const graph::Model> model, const Endpoints& ends,
                             graph::Tensor input, const OnnxOptions& options) {
  if (input.size() == 0) throw UsageError("the tensor '" + printable(ends.from) + "' has no numbers");
  graph::TraceRequest request{ends.from, ends.to, input, options.feeds, options.seed};
  return std::make_shared<TracedStack>(graph::trace(std::move(model), request), std::move(input), options);
}

}  // namespace rezero::onnx
