#include "rezero/jacobian/block_maps.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "jacobian/pass.h"
#include "linalg/unit.h"
#include "model/require_finite.h"
#include "rezero/core/contract.h"
#include "rezero/linalg/maps.h"
#include "rezero/random/sample.h"

namespace rezero {

namespace detail {

/// The pass and its maps.
struct BlockPass {
  StackPtr stack;
  BlockMapsOptions options;
  std::vector<ScaledVector> states;
  std::vector<LinearMapPtr> maps;         ///< of the kept first blocks
  std::vector<std::int64_t> growth;       ///< exponent of ‖J_l v‖/‖v‖, l = 0 …
  std::vector<Real> flops;                ///< of J_l per column, l = 0 …
  Underflow underflow = Underflow::none;  ///< in the maps
  mutable std::atomic<bool> product_underflowed{false};

  Index blocks() const { return static_cast<Index>(states.size()) - 1; }
  const ScaledVector& state(Index l) const { return states[static_cast<std::size_t>(l)]; }

  /// A branch over one position may be cheaper as one matrix. Over many positions a single column is already
  /// a matrix product, and one matrix per position would fit no cache. The choice must not depend on what is
  /// kept, or results would differ bitwise.
  LinearMapPtr prepared(const LinearMapPtr& derivative) const {
    return stack->shape().positions == 1 ? condense(derivative, options.columns) : derivative;
  }

  LinearMapPtr at(Index l) const {
    REZERO_REQUIRE(l >= 0 && l < blocks());
    if (l < static_cast<Index>(maps.size())) return maps[static_cast<std::size_t>(l)];
    return prepared(stack->block(l)->linearize_block(state(l).mantissa).derivative);
  }

  LinearMapPtr in_other_rounding(Index l, int sample) const {
    const BlockPtr layer = stack->block(l);
    SimulatedRounding rounding(l, sample);
    if (!layer->piecewise_linear())
      return prepared(layer->linearize_block(state(l).mantissa, &rounding).derivative);
    const LinearMapPtr derivative = layer->linearize_block(state(l).mantissa).derivative;
    return prepared(rezero::in_other_rounding(derivative, rounding));
  }
};

namespace {

/// A column on its way through the blocks; its mantissa is kept within range.
struct Carried {
  Matrix mantissa;  ///< one column
  std::int64_t exponent = 0;

  /// Renormalizes, exactly. NumericalError naming the block if an entry is not finite.
  void settle(Index block) {
    const Real largest = max_abs(mantissa);
    if (!std::isfinite(largest)) fail(block, "a tangent is not finite (the block's derivative overflowed)");
    if (!far_from_one(largest)) return;
    ScaledMatrix moved{std::move(mantissa), exponent};
    REZERO_REQUIRE(renormalize(moved));
    mantissa = std::move(moved.mantissa), exponent = moved.exponent;
  }

  /// Writes the column in units of 2^unit.
  void put(Columns out, std::int64_t unit, Index block) const {
    out = detail::shifted(mantissa, exponent - unit);
    if (exponent > unit && !std::isfinite(max_abs(out)))
      fail(block, "a tangent grew beyond the range of double, 2^1023 times the growth of a random one");
  }
};

/// The maps of the blocks, one after another.
class ComposedMap final : public LinearMap {
 public:
  ComposedMap(std::shared_ptr<const BlockPass> pass, Index depth, Rounding rounding)
      : pass_(std::move(pass)),
        depth_(depth),
        rounding_(rounding),
        unit_(pass_->growth[static_cast<std::size_t>(depth)]) {}
  Index rows() const override { return pass_->stack->shape_after(depth_).size(); }
  Index cols() const override { return pass_->stack->shape().size(); }
  Real flops_per_column() const override { return pass_->flops[static_cast<std::size_t>(depth_)]; }

 private:
  void do_apply(ConstColumns v, Columns out) const override {
    for (Index j = 0; j < v.cols(); ++j) {
      Carried column{v.col(j)};
      for (Index l = 0; l < depth_; ++l)
        step(column, l, [](const LinearMap& f, const Matrix& in, Matrix& to) {
          to.resize(f.rows(), 1);
          f.apply(in, to);
        });
      column.put(out.col(j), unit_, depth_ - 1);
    }
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override {
    for (Index j = 0; j < u.cols(); ++j) {
      Carried column{u.col(j)};
      for (Index l = depth_; l-- > 0;)
        step(column, l, [](const LinearMap& f, const Matrix& in, Matrix& to) {
          to.resize(f.cols(), 1);
          f.apply_transpose(in, to);
        });
      column.put(out.col(j), unit_, 0);
    }
  }
  template <class Apply>
  void step(Carried& column, Index l, Apply&& apply) const {
    if (pass_->options.checkpoint) pass_->options.checkpoint();
    const LinearMapPtr block =
        rounding_.simulated ? pass_->in_other_rounding(l, rounding_.sample) : pass_->at(l);
    Matrix next;
    const UnderflowWatch watch;
    apply(*block, column.mantissa, next);
    if (watch.underflowed()) pass_->product_underflowed = true;
    column.mantissa.swap(next);
    column.settle(l);
  }

  std::shared_ptr<const BlockPass> pass_;
  Index depth_;
  Rounding rounding_;
  std::int64_t unit_;
};

}  // namespace
}  // namespace detail

using detail::Carried;
using detail::far_from_one;

BlockMaps::BlockMaps(StackPtr stack, const Vector& x0, Index blocks, BlockMapsOptions options) {
  REZERO_REQUIRE(blocks >= 1 && blocks <= stack->blocks());
  const auto pass = std::make_shared<detail::BlockPass>();
  pass->stack = std::move(stack), pass->options = std::move(options);
  const bool homogeneous = pass->stack->positively_homogeneous();
  Carried probe{normal_vector(x0.size(), pass->options.probe)};
  probe.mantissa /= probe.mantissa.norm();
  ScaledVector state{x0};
  pass->states.push_back(state), pass->growth.push_back(0), pass->flops.push_back(0);
  for (Index l = 0; l < blocks; ++l) {
    if (pass->options.checkpoint) pass->options.checkpoint();
    const detail::UnderflowWatch watch;
    const BlockPtr block = pass->stack->block(l);
    const BlockLinearization at = block->linearize_block(state.mantissa);
    require_finite(l, *block, state.mantissa, at);
    const LinearMapPtr derivative = pass->prepared(at.derivative);
    if (watch.underflowed()) pass->underflow = std::max(pass->underflow, Underflow::derivative);
    Matrix next(derivative->rows(), 1);
    derivative->apply(probe.mantissa, next);
    if (watch.underflowed() && detail::next_to_underflow(max_abs(next))) pass->underflow = Underflow::block;
    probe.mantissa.swap(next);
    probe.settle(l);
    state.mantissa = at.value;
    if (homogeneous && far_from_one(max_abs(state.mantissa))) REZERO_REQUIRE(renormalize(state));
    pass->states.push_back(state);
    pass->growth.push_back(frobenius_norm(probe.mantissa).shifted(probe.exponent).exponent);
    pass->flops.push_back(pass->flops.back() + derivative->flops_per_column());
    if (l < pass->options.kept_blocks) pass->maps.push_back(derivative);
  }
  pass_ = pass;
}

Index BlockMaps::blocks() const {
  return pass_->blocks();
}
LinearMapPtr BlockMaps::at(Index block) const {
  return pass_->at(block);
}
LinearMapPtr BlockMaps::in_other_rounding(Index block, int sample) const {
  REZERO_REQUIRE(block >= 0 && block < blocks());
  return pass_->in_other_rounding(block, sample);
}
const ScaledVector& BlockMaps::state(Index l) const {
  return pass_->state(l);
}

ScaledMap BlockMaps::jacobian(Index depth, Rounding rounding) const {
  REZERO_REQUIRE(depth >= 1 && depth <= blocks());
  return {std::make_shared<detail::ComposedMap>(pass_, depth, rounding),
          pass_->growth[static_cast<std::size_t>(depth)]};
}

Underflow BlockMaps::underflow() const {
  return pass_->product_underflowed ? std::max(pass_->underflow, Underflow::product) : pass_->underflow;
}

Real BlockMaps::flops_per_column(Index depth) const {
  return pass_->flops[static_cast<std::size_t>(depth)];
}

}  // namespace rezero
