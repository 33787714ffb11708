#pragma once
/// One residual block of a graph.

#include "rezero/graph/program.h"
#include "rezero/model/block.h"

namespace rezero::onnx {

/// The parts of a block in terms of its graph.
struct BlockAnatomy {
  graph::BlockSpan span;
  int skip = -1, branch = -1;  ///< operands of the sum; −1 without a sum
  int core = -1;               ///< the branch before constants were added to it: what a scale switches off
  int gate = -1;               ///< a constant that multiplies the branch to give `core`, if there is one
  int ungated = -1;            ///< the other factor
};

BlockAnatomy anatomy_of(const graph::Program& program, const graph::BlockSpan& span);

/// The name of a constant, or of the step that reads it if an exporter made the name up.
std::string name_of_constant(const graph::Program& program, int slot, const graph::Step& reader);

class OnnxBlock final : public Block, public std::enable_shared_from_this<OnnxBlock> {
 public:
  OnnxBlock(graph::ProgramPtr program, const graph::BlockSpan& span);

  Shape input_shape() const override;
  Shape output_shape() const override;
  bool positively_homogeneous() const override { return false; }
  bool piecewise_linear() const override { return piecewise_linear_; }

  BlockLinearization linearize_block(const Vector& x, SimulatedRounding* rounding = nullptr) const override;
  Real weight_count() const override { return weights_; }
  BlockScales scales() const override;
  std::string why_not_finite(const Vector& x) const override;
  void explain(const Vector& x, const BlockLinearization& at, BlockFacts& facts) const override;

  const BlockAnatomy& anatomy() const { return parts_; }
  /// The most numbers that are held at a time while the derivative is applied to one column.
  Real numbers_at_work() const { return at_work_; }

 private:
  Vector do_evaluate(const Vector& x) const override;
  Linearization do_linearize(const Vector& x) const override;

  graph::StepRun run(const Vector& x, const graph::RunOptions& options) const;
  const graph::Dims& dims(int slot) const { return program_->slot(slot).dims; }
  Index size(int slot) const { return graph::count_of(dims(slot)); }
  LinearMapPtr map(const graph::StepRun& run, int from, int to) const;
  LinearMapPtr derivative(const graph::StepRun& run) const;
  ScaledReal gradient_of_parameters(const Vector& x, const Vector& cotangent) const;

  graph::ProgramPtr program_;
  BlockAnatomy parts_;
  bool piecewise_linear_ = true;
  Real weights_ = 0, at_work_ = 0;
};

}  // namespace rezero::onnx
