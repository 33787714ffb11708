#include "analysis/factors.h"

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "rezero/linalg/maps.h"

namespace rezero::detail {
namespace {

class Factors {
 public:
  Factors(StackPtr stack, Index blocks, const DepthView& view, BlockMapsOptions options)
      : stack_(std::move(stack)), blocks_(blocks), view_(view), options_(std::move(options)) {}

  Index count() const { return before() + blocks_ + view_.count_after(); }

  ScaledMap at(Index i, Rounding rounding) {
    options_.checkpoint();
    if (i < before()) return {view_.before(), 0};
    const Index block = i - before();
    if (block >= blocks_) return view_.after(block - blocks_, rounding);
    std::call_once(passed_, [this] { maps_.emplace(stack_, stack_->input(), blocks_, options_); });
    const LinearMapPtr map =
        rounding.simulated ? maps_->in_other_rounding(block, rounding.sample) : maps_->at(block);
    return {condense(map, options_.columns), 0};
  }

 private:
  Index before() const { return view_.before() ? 1 : 0; }

  StackPtr stack_;
  Index blocks_;
  const DepthView& view_;
  BlockMapsOptions options_;
  std::once_flag passed_;
  std::optional<BlockMaps> maps_;
};

}  // namespace

FactorSource factors_of(const StackPtr& stack, Index blocks, const DepthView& view,
                        BlockMapsOptions options) {
  options.columns = stack->shape().size();
  const auto factors = std::make_shared<Factors>(stack, blocks, view, std::move(options));
  FactorSource source;
  source.count = factors->count();
  source.at = [factors](Index i) { return factors->at(i, {}); };
  source.in_other_rounding = [factors](Index i, int sample) { return factors->at(i, {true, sample}); };
  return source;
}

}  // namespace rezero::detail
