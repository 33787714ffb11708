#include "analysis/factors.h"

#include <utility>

#include "rezero/core/contract.h"
#include "rezero/linalg/maps.h"
#include "rezero/parallel/parts.h"

namespace rezero::detail {

void PassedBlocks::add(const BlockStep& step) {
  REZERO_REQUIRE(step.block == static_cast<Index>(blocks_.size()));
  blocks_.push_back(
      {step.before, step.block < kept_ ? step.at.derivative : nullptr, step.layer.piecewise_linear()});
}

BlockPtr PassedBlocks::draw(Index l) const {
  const PartWorkers workers(workers_);
  return stack_->block(l);
}

LinearMapPtr PassedBlocks::derivative(Index l, Index columns, Rounding rounding) const {
  if (rounding.simulated) return condense(in_other_rounding(l, rounding.sample), columns);
  const Passed& passed = blocks_[static_cast<std::size_t>(l)];
  if (passed.derivative) return condense(passed.derivative, columns);
  return condense(draw(l)->linearize_block(passed.state.mantissa).derivative, columns);
}

LinearMapPtr PassedBlocks::in_other_rounding(Index l, int sample) const {
  const Passed& passed = blocks_[static_cast<std::size_t>(l)];
  SimulatedRounding rounding(l, sample);
  if (!passed.piecewise_linear) return draw(l)->linearize_block(passed.state.mantissa, &rounding).derivative;
  return rezero::in_other_rounding(
      passed.derivative ? passed.derivative : draw(l)->linearize_block(passed.state.mantissa).derivative,
      rounding);
}

namespace {

/// The view's maps around the blocks. derivative(l, rounding): of block l.
template <class Derivative>
FactorSource around_blocks(Derivative derivative, Index blocks, const DepthView& view,
                           std::function<void()> checkpoint) {
  const Index before = view.before() ? 1 : 0;
  const auto factor = [derivative = std::move(derivative), checkpoint = std::move(checkpoint), &view, before,
                       blocks](Index i, Rounding rounding) -> ScaledMap {
    checkpoint();
    if (i < before) return {view.before(), 0};
    const Index block = i - before;
    if (block >= blocks) return view.after(block - blocks, rounding);
    return {derivative(block, rounding), 0};
  };
  FactorSource source;
  source.count = before + blocks + view.count_after();
  source.at = [factor](Index i) { return factor(i, {}); };
  source.in_other_rounding = [factor](Index i, int sample) { return factor(i, {true, sample}); };
  return source;
}

}  // namespace

FactorSource factors_of(std::shared_ptr<const PassedBlocks> passed, Index blocks, const DepthView& view,
                        Index columns, std::function<void()> checkpoint) {
  return around_blocks([passed = std::move(passed), columns](
                           Index l, Rounding rounding) { return passed->derivative(l, columns, rounding); },
                       blocks, view, std::move(checkpoint));
}

FactorSource factors_of(const BlockMaps& maps, Index blocks, const DepthView& view,
                        std::function<void()> checkpoint) {
  return around_blocks(
      [&maps](Index l, Rounding rounding) {
        return rounding.simulated ? maps.in_other_rounding(l, rounding.sample) : maps.at(l);
      },
      blocks, view, std::move(checkpoint));
}

}  // namespace rezero::detail
