#include "rezero/jacobian/forward.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "jacobian/pass.h"
#include "linalg/scratch.h"
#include "model/require_finite.h"
#include "rezero/core/contract.h"
#include "rezero/core/error.h"
#include "rezero/linalg/maps.h"
#include "rezero/parallel/parts.h"

namespace rezero {

using detail::fail;
using detail::far_from_one;
using detail::next_to_underflow;
using detail::over_column_panels;
using detail::UnderflowWatch;

namespace {

struct Applied {
  Real largest = 0;  ///< largest modulus of an entry; not finite if an entry is not
  bool underflowed = false;
};

Applied apply_in_panels(const LinearMap& map, const Matrix& in, Matrix& out, int threads) {
  std::mutex mutex;
  Applied all;
  over_column_panels(map, in.cols(), in.rows(), threads, [&](Index start, Index width) {
    const UnderflowWatch watch;
    map.apply(in.middleCols(start, width), out.middleCols(start, width));
    const bool lost = watch.underflowed();
    const Real largest = max_abs(out.middleCols(start, width));  // while it is in cache
    const std::lock_guard<std::mutex> lock(mutex);
    all.underflowed |= lost;
    if (!(largest <= all.largest) && std::isfinite(all.largest)) all.largest = largest;
  });
  return all;
}

/// 0 if the block changes the shape.
Real relative_change(const Matrix& before, const Matrix& after) {
  Real change = 0;
  if (before.rows() != after.rows()) return change;
  for (Index j = 0; j < before.cols(); ++j)
    change = std::max(change, (after.col(j) - before.col(j)).cwiseAbs().maxCoeff());
  const Real size = max_abs(before);
  return size == 0 ? change : change / size;
}

}  // namespace

std::vector<Index> column_panels(Index columns, Index rows, Real flops_per_column, int workers) {
  constexpr Index narrowest = 32, widest = 512;
  // Half a megabyte per panel, or one column for every eight flops in which an entry of a column takes part.
  constexpr Real entries = 65536, columns_a_flop = 0.125;
  const Real r = static_cast<Real>(std::max<Index>(rows, 1));
  const auto wide = static_cast<Index>(
      std::clamp<Real>(std::max(entries / r, columns_a_flop * flops_per_column / r), narrowest, widest));
  const Index even = (columns + std::max(workers, 1) - 1) / std::max(workers, 1);
  const Index width = std::clamp(even, narrowest, wide);
  const Index count = std::max<Index>(1, std::min((columns + width - 1) / width, columns / narrowest));
  std::vector<Index> starts;
  for (Index i = 0; i < count; ++i) starts.push_back(i * columns / count / 8 * 8);
  starts.push_back(columns);
  return starts;
}

namespace {

/// The state and the Jacobian on their way through the blocks.
class ForwardPass {
 public:
  ForwardPass(const Stack& stack, const Vector& x0, Matrix tangents, const ForwardOptions& options)
      : homogeneous_(stack.positively_homogeneous()),
        options_(options),
        state_{x0},
        probe_(tangents),
        jacobian_{std::move(tangents)} {}

  /// Flops of the last block's product.
  Real flops() const { return flops_; }

  void step(Index l, const Block& block) {
    const UnderflowWatch watch;
    const BlockLinearization at = block.linearize_block(state_.mantissa);
    require_finite(l, block, state_.mantissa, at);
    const LinearMapPtr derivative = condense(at.derivative, jacobian_.mantissa.cols());
    const bool lost_before = watch.underflowed();
    if (lost_before) underflow_ = std::max(underflow_, Underflow::derivative);
    flops_ = derivative->flops_per_column() * static_cast<Real>(jacobian_.mantissa.cols());
    detail::resize(next_, derivative->rows(), jacobian_.mantissa.cols());
    const auto [largest, lost] = apply_in_panels(*derivative, jacobian_.mantissa, next_, options_.workers);
    if (lost) underflow_ = std::max(underflow_, Underflow::product);
    if ((lost || lost_before) && next_to_underflow(largest)) underflow_ = Underflow::block;
    if (!std::isfinite(largest)) fail(l, "the Jacobian is not finite (the block's derivative overflowed)");
    if (zero_columns_hold_) zero_columns_hold_ = new_zero_columns_hold(l, at.derivative);
    if (options_.on_block) {
      const Real change = options_.measure_changes ? relative_change(jacobian_.mantissa, next_) : 0;
      options_.on_block({l, block, at, state_, change});
    }
    jacobian_.mantissa.swap(next_);
    const UnderflowWatch renormalizing;
    if (far_from_one(largest)) REZERO_REQUIRE(renormalize(jacobian_));
    if (renormalizing.underflowed()) underflow_ = std::max(underflow_, Underflow::product);
    probe_.step(l, block, state_.mantissa, *at.derivative);
    state_.mantissa = at.value;
    if (homogeneous_ && far_from_one(max_abs(state_.mantissa))) REZERO_REQUIRE(renormalize(state_));
  }

  ForwardStep after(Index blocks) {
    REZERO_REQUIRE(renormalize(jacobian_));
    return {blocks, state_, jacobian_, underflow_, &probe_, zero_columns_hold_};
  }

 private:
  /// A zero column may result from cancellation. It then does not vanish if the operands are rounded
  /// differently.
  bool new_zero_columns_hold(Index l, const LinearMapPtr& derivative) const {
    const Matrix& before = jacobian_.mantissa;
    std::vector<Index> columns;
    for (Index j = 0; j < next_.cols(); ++j)
      if (next_.rows() > 0 && next_(0, j) == 0 && next_.col(j).isZero(0) && !before.col(j).isZero(0))
        columns.push_back(j);
    if (columns.empty()) return true;
    SimulatedRounding rounding(l);
    Matrix beside(before.rows(), static_cast<Index>(columns.size()));
    for (Index i = 0; i < beside.cols(); ++i)
      beside.col(i) = rounding(before.col(columns[static_cast<std::size_t>(i)]));
    Matrix image(next_.rows(), beside.cols());
    in_other_rounding(derivative, rounding)->apply(beside, image);
    return image.isZero(0);
  }

  bool homogeneous_, zero_columns_hold_ = true;
  const ForwardOptions& options_;
  ScaledVector state_;
  RoundingProbe probe_;
  ScaledMatrix jacobian_;
  Matrix next_;
  Underflow underflow_ = Underflow::none;
  Real flops_ = std::numeric_limits<Real>::infinity();
};

/// Blocks 0 … last − 1 on their way through a pass, drawn by all threads: the numbers of one block in parts
/// or, if one thread suffices for a block's product, whole blocks while the preceding ones are multiplied.
class Walk {
 public:
  Walk(const Stack& stack, Index last, ForwardPass& pass, const ForwardOptions& options)
      : stack_(stack),
        last_(last),
        pass_(pass),
        options_(options),
        costs_(static_cast<std::size_t>(stack.blocks_per_layer())) {}

  void to(Index end) {
    while (at_ < end) {
      if (drawn_.empty() && blocks_are_small()) drawn_ = drawn(at_, options_.workers);
      if (drawn_.empty())
        draw_and_step();
      else
        step_and_draw(end);
    }
  }

 private:
  struct Cost {
    Real flops = std::numeric_limits<Real>::infinity(), weights = flops;
  };

  /// For all kinds of blocks: products cost more than starting a thread but too little for a thread of their
  /// own, and two batches of weights take little memory.
  bool blocks_are_small() const {
    constexpr Real little_work = 1e5, few_weights = 65536;
    return options_.workers > 1 && std::all_of(costs_.begin(), costs_.end(), [](const Cost& cost) {
             return cost.flops > little_work && cost.flops < detail::worth_sharing &&
                    cost.weights <= few_weights;
           });
  }

  void step(const Block& block) {
    pass_.step(at_, block);
    Cost& cost = costs_[static_cast<std::size_t>(at_) % costs_.size()];
    cost = {pass_.flops(), block.weight_count()};
    ++at_;
  }

  void checkpoint() const {
    if (options_.checkpoint) options_.checkpoint();
  }

  void draw_and_step() {
    checkpoint();
    const PartWorkers workers(options_.workers);
    step(*stack_.block(at_));
  }

  /// Applies the available blocks up to `end`, and draws the following ones at the same time.
  void step_and_draw(Index end) {
    const auto count = std::min<std::ptrdiff_t>(end - at_, static_cast<std::ptrdiff_t>(drawn_.size()));
    const std::vector<BlockPtr> now(drawn_.begin(), drawn_.begin() + count);
    drawn_.erase(drawn_.begin(), drawn_.begin() + count);
    const Index next = at_ + count;
    std::vector<BlockPtr> ahead;
    const bool draws = drawn_.empty() && blocks_are_small();
    for_each_index(draws ? 2 : 1, options_.workers, [&](Index i) {
      if (i == 1) {
        ahead = drawn(next, 1);
        return;
      }
      for (const BlockPtr& block : now) {
        checkpoint();
        step(*block);
      }
    });
    if (draws) drawn_ = std::move(ahead);
  }

  /// Draws as many blocks as possible. One that fails is drawn again, and throws, at its turn.
  std::vector<BlockPtr> drawn(Index first, int workers) const {
    constexpr Index batch = 4;
    std::vector<BlockPtr> blocks(static_cast<std::size_t>(std::clamp<Index>(last_ - first, 0, batch)));
    for_each_index(static_cast<Index>(blocks.size()), workers, [&](Index i) {
      try {
        blocks[static_cast<std::size_t>(i)] = stack_.block(first + i);
      } catch (...) {
      }
    });
    blocks.erase(std::find(blocks.begin(), blocks.end(), nullptr), blocks.end());
    return blocks;
  }

  const Stack& stack_;
  Index last_;
  ForwardPass& pass_;
  const ForwardOptions& options_;
  std::vector<Cost> costs_;      ///< of the last block of each kind
  Index at_ = 0;                 ///< the next block
  std::vector<BlockPtr> drawn_;  ///< that block and its successors, as far as drawn
};

}  // namespace

void forward_jacobian(const Stack& stack, const Vector& x0, Matrix tangents, const std::vector<Index>& blocks,
                      const std::function<void(const ForwardStep&)>& visit, const ForwardOptions& options) {
  REZERO_REQUIRE(std::is_sorted(blocks.begin(), blocks.end()));
  if (blocks.empty()) return;
  REZERO_REQUIRE(blocks.front() >= 1 && blocks.back() <= stack.blocks());
  ForwardPass pass(stack, x0, std::move(tangents), options);
  Walk walk(stack, blocks.back(), pass, options);
  for (const Index count : blocks) {
    with_team(options.workers, [&] { walk.to(count); });
    visit(pass.after(count));
  }
}

}  // namespace rezero
