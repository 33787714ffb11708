#include <algorithm>
#include <numeric>

#include "rezero/core/contract.h"
#include "rezero/linalg/maps.h"

namespace rezero {
namespace {

/// Neighbouring outputs that read neighbouring inputs.
struct Run {
  Index to, from, count;  ///< from −1: zeros
};

std::vector<Run> runs_of(const std::vector<Index>& indices) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto to = static_cast<Index>(i);
    if (!runs.empty()) {
      Run& last = runs.back();
      const bool continues =
          indices[i] < 0 ? last.from < 0 : last.from >= 0 && last.from + last.count == indices[i];
      if (continues) {
        ++last.count;
        continue;
      }
    }
    runs.push_back({to, indices[i] < 0 ? -1 : indices[i], 1});
  }
  return runs;
}

class Gather final : public LinearMap {
 public:
  Gather(Index size, std::vector<Index> indices, Vector weights)
      : size_(size), indices_(std::move(indices)), weights_(std::move(weights)) {
    constexpr std::size_t worth_copying = 4;  // numbers per run
    if (weights_.size() > 0) return;
    runs_ = runs_of(indices_);
    if (runs_.size() * worth_copying > indices_.size())
      runs_.clear();
    else
      indices_.clear();
  }
  Index rows() const override {
    return runs_.empty() ? static_cast<Index>(indices_.size()) : runs_.back().to + runs_.back().count;
  }
  Index cols() const override { return size_; }
  Real flops_per_column() const override { return weights_.size() > 0 ? static_cast<Real>(rows()) : 0; }

 private:
  void do_apply(ConstColumns v, Columns out) const override {
    for (Index j = 0; j < v.cols(); ++j) {
      const Real* from = v.col(j).data();
      Real* to = out.col(j).data();
      for (const Run& run : runs_)
        if (run.from < 0)
          std::fill_n(to + run.to, run.count, 0.0);
        else
          std::copy_n(from + run.from, run.count, to + run.to);
      if (!runs_.empty()) continue;
      const Index count = rows();
      if (weights_.size() > 0)
        for (Index i = 0; i < count; ++i) to[i] = at(i) < 0 ? 0 : weights_(i) * from[at(i)];
      else
        for (Index i = 0; i < count; ++i) to[i] = at(i) < 0 ? 0 : from[at(i)];
    }
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override {
    out.setZero();
    for (Index j = 0; j < u.cols(); ++j) {
      const Real* from = u.col(j).data();
      Real* to = out.col(j).data();
      for (const Run& run : runs_)
        for (Index i = 0; run.from >= 0 && i < run.count; ++i) to[run.from + i] += from[run.to + i];
      if (!runs_.empty()) continue;
      const Index count = rows();
      for (Index i = 0; i < count; ++i)
        if (at(i) >= 0) to[at(i)] += weights_.size() > 0 ? weights_(i) * from[i] : from[i];
    }
  }
  Index at(Index i) const { return indices_[static_cast<std::size_t>(i)]; }

  Index size_;
  std::vector<Index> indices_;
  Vector weights_;
  std::vector<Run> runs_;  ///< instead of the indices, where they are long
};

bool is_identity(Index size, const std::vector<Index>& indices) {
  if (static_cast<Index>(indices.size()) != size) return false;
  for (std::size_t i = 0; i < indices.size(); ++i)
    if (indices[i] != static_cast<Index>(i)) return false;
  return true;
}

}  // namespace

LinearMapPtr gather_map(Index size, std::vector<Index> indices, Vector weights) {
  REZERO_REQUIRE(weights.size() == 0 || weights.size() == static_cast<Index>(indices.size()));
  if (is_identity(size, indices))
    return weights.size() > 0 ? diagonal_map(std::move(weights)) : identity_map(size);
  return std::make_shared<Gather>(size, std::move(indices), std::move(weights));
}

LinearMapPtr scatter_map(Index size, std::vector<Index> indices, Vector weights) {
  return transpose_map(gather_map(size, std::move(indices), std::move(weights)));
}

LinearMapPtr segment_map(Index size, Index first, Index count) {
  REZERO_REQUIRE(first >= 0 && count >= 0 && first + count <= size);
  std::vector<Index> indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), first);
  return gather_map(size, std::move(indices));
}

}  // namespace rezero
