#include "analysis/factors.h"

#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "analysis/final_norm.h"
#include "rezero/jacobian/block_maps.h"
#include "rezero/linalg/maps.h"

namespace rezero::detail {
namespace {

class Factors {
 public:
  Factors(StackPtr stack, Index blocks, const TokenView& view, bool final_norm, BlockMapsOptions options)
      : stack_(std::move(stack)),
        view_(view),
        blocks_(blocks),
        final_norm_(final_norm),
        options_(std::move(options)) {}

  Index count() const { return blocks_ + (view_.wrt ? 1 : 0) + (final_norm_ ? 1 : 0) + (view_.of ? 1 : 0); }

  ScaledMap at(Index i, Rounding rounding) {
    options_.checkpoint();
    std::call_once(passed_, [this] { maps_.emplace(stack_, stack_->input(), blocks_, options_); });
    const Index n = stack_->shape().size(), d = stack_->shape().features;
    const Index rows = stack_->shape_after(blocks_).size();
    if (view_.wrt && i-- == 0) return {transpose_map(segment_map(n, *view_.wrt * d, d)), 0};
    if (i < blocks_) {
      const bool other = rounding.simulated;
      return {condense(other ? maps_->in_other_rounding(i, rounding.sample) : maps_->at(i), n), 0};
    }
    if (final_norm_ && i == blocks_)
      return final_norm_at(*stack_, maps_->state(blocks_), blocks_ - 1, rounding).derivative;
    return {segment_map(rows, *view_.of * d, d), 0};
  }

 private:
  StackPtr stack_;
  TokenView view_;
  Index blocks_;
  bool final_norm_;
  BlockMapsOptions options_;
  std::once_flag passed_;
  std::optional<BlockMaps> maps_;
};

FactorSource missing(std::string why) {
  FactorSource none;
  none.missing = std::move(why);
  return none;
}

}  // namespace

FactorSource factors_of(const StackPtr& stack, Index blocks, std::size_t depth, const Cell& cell,
                        const AnalysisOptions& options, const CellContext& context) {
  if (auto why = cell.route.factors_missing(depth)) return missing(std::move(*why));
  BlockMapsOptions maps;
  maps.kept_blocks = cell.route.kept_blocks(context.memory);
  maps.columns = stack->shape().size();
  maps.checkpoint = [&context] { context.checkpoint(); };
  const auto factors =
      std::make_shared<Factors>(stack, blocks, options.view, options.final_norm, std::move(maps));
  FactorSource source;
  source.count = factors->count();
  source.at = [factors](Index i) { return factors->at(i, {}); };
  source.in_other_rounding = [factors](Index i, int sample) { return factors->at(i, {true, sample}); };
  return source;
}

}  // namespace rezero::detail
