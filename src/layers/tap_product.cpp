#include "tap_product.h"

#include <algorithm>

namespace rezero::detail {

TapProduct::TapProduct(const Matrix& M, Index in, Index sources, const std::vector<std::vector<Tap>>& taps)
    : in_(in), out_(M.rows()), sources_(sources), kernel_(M.cols() / in) {
  for (const std::vector<Tap>& of_one : taps) add_runs(of_one);
  first_run_.push_back(runs_.size());
  make_groups();
  pack(M);
}

void TapProduct::add_runs(const std::vector<Tap>& taps) {
  first_run_.push_back(runs_.size());
  for (const Tap& tap : taps) {
    const bool first = runs_.size() == first_run_.back();
    if (!first && runs_.back().source + runs_.back().count == tap.source &&
        runs_.back().tap + runs_.back().count == tap.tap)
      ++runs_.back().count;
    else
      runs_.push_back({tap.source, tap.tap, 1});
  }
  taps_ += static_cast<Index>(taps.size());
}

bool TapProduct::same_taps(Index p, Index q) const {
  const auto at = [&](Index x) {
    return runs_.begin() + static_cast<std::ptrdiff_t>(first_run_[static_cast<std::size_t>(x)]);
  };
  return std::equal(at(p), at(p + 1), at(q), at(q + 1),
                    [](const TapRun& a, const TapRun& b) { return a.tap == b.tap && a.count == b.count; });
}

/// There are few kinds of positions: the interior, and those along borders.
void TapProduct::make_groups() {
  std::vector<std::vector<Index>> kinds;
  for (Index q = 0; q + 1 < static_cast<Index>(first_run_.size()); ++q) {
    const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                   [&](const std::vector<Index>& k) { return same_taps(k.front(), q); });
    if (kind == kinds.end())
      kinds.push_back({q});
    else
      kind->push_back(q);
  }
  constexpr std::size_t group_size = 8;
  for (const std::vector<Index>& kind : kinds)
    for (std::size_t i = 0; i < kind.size(); i += group_size) {
      const std::size_t end = std::min(kind.size(), i + group_size);
      const auto begin = static_cast<Index>(order_.size());
      order_.insert(order_.end(), kind.begin() + static_cast<std::ptrdiff_t>(i),
                    kind.begin() + static_cast<std::ptrdiff_t>(end));
      groups_.push_back({begin, static_cast<Index>(order_.size())});
    }
}

void TapProduct::pack(const Matrix& M) {
  const Index blocks = (out_ + tap_lanes - 1) / tap_lanes;
  packed_ = Vector::Zero(blocks * M.cols() * tap_lanes);
  for (Index j = 0; j < M.cols(); ++j)
    for (Index i = 0; i < out_; ++i)
      packed_((i / tap_lanes * M.cols() + j) * tap_lanes + i % tap_lanes) = M(i, j);
}

void TapProduct::apply(const ConstColumns& v, Columns& out) const {
  const TapKernel& kernel = tap_kernel();
  const TapOperands taps{in_,
                         out_,
                         kernel_,
                         sources_,
                         static_cast<Index>(first_run_.size()) - 1,
                         runs_.data(),
                         first_run_.data(),
                         order_.data(),
                         groups_.data(),
                         static_cast<Index>(groups_.size()),
                         packed_.data()};
  Matrix scratch(tap_lanes, v.cols() < tap_lanes ? 0 : inputs());
  Index j = 0;
  for (; j + tap_lanes <= v.cols(); j += tap_lanes)
    kernel.eight_columns(taps, v.data() + j * v.outerStride(), v.outerStride(),
                         out.data() + j * out.outerStride(), out.outerStride(), scratch.data());
  for (; j < v.cols(); ++j)
    kernel.one_column(taps, v.data() + j * v.outerStride(), out.data() + j * out.outerStride());
}

}  // namespace rezero::detail
