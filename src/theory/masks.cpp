#include "rezero/theory/masks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "rezero/core/contract.h"

namespace rezero::theory {
namespace {

/// log P(B(trials, p) ≥ k), k = 0..last: sums of the upper tail from the far end, whose terms are all
/// positive.
Vector log_survival(Index trials, Real p, Index last) {
  Vector log_term(trials + 1);
  const Real n = static_cast<Real>(trials);
  Real log_ways = 0;  // of the binomial coefficient; std::lgamma writes to a global variable
  for (Index k = 0; k <= trials; ++k) {
    const auto x = static_cast<Real>(k);
    if (k > 0) log_ways += std::log((n - x + 1) / x);
    const Real hits = k == 0 ? 0 : x * std::log(p), misses = k == trials ? 0 : (n - x) * std::log1p(-p);
    log_term(k) = log_ways + hits + misses;
  }
  Vector survival = Vector::Constant(last + 1, -std::numeric_limits<Real>::infinity());
  Real sum = -std::numeric_limits<Real>::infinity();
  for (Index k = trials; k >= 0; --k) {
    const Real high = std::max(sum, log_term(k));
    if (high > -std::numeric_limits<Real>::infinity())
      sum = high + std::log(std::exp(sum - high) + std::exp(log_term(k) - high));
    if (k <= last) survival(k) = std::min<Real>(0, sum);
  }
  return survival;
}

constexpr Index most_trials = 1000000;

/// The minimum of a growing set of independent binomial numbers.
class Minimum {
 public:
  void add(Index trials, Real p) {
    REZERO_REQUIRE(trials >= 0 && trials <= most_trials && p >= 0 && p <= 1);
    const std::pair<Index, Real> key{trials, p};
    if (!tails_.count(key)) tails_[key] = log_survival(trials, p, trials);
    const Vector& tail = tails_[key];
    if (log_tail_.size() == 0)
      log_tail_ = tail;
    else {
      const Index size = std::min(log_tail_.size(), tail.size());
      log_tail_ = Vector(log_tail_.head(size) + tail.head(size));
    }
  }
  /// Σ over k ≥ 1 of P(minimum ≥ k).
  Real mean() const {
    const Index size = log_tail_.size();
    return size <= 1 ? 0 : log_tail_.tail(size - 1).array().exp().sum();
  }

 private:
  std::map<std::pair<Index, Real>, Vector> tails_;
  Vector log_tail_;
};

/// P(φ′(h) ≠ 0).
Real share_of_slopes(const GaussianIntegrals& integrals, Real argument) {
  if (!integrals.activation().kind().flat) return 1;
  const SlopeLaw law = integrals.slopes(argument);
  Real share = 0;
  for (Index i = 0; i < law.square.size(); ++i)
    if (law.square(i) != 0) share += law.weight(i);
  return std::min<Real>(1, share);
}

}  // namespace

Real expected_minimum(const std::vector<std::pair<Index, Real>>& binomials) {
  REZERO_REQUIRE(!binomials.empty());
  Minimum minimum;
  for (const auto& [trials, p] : binomials) minimum.add(trials, p);
  return minimum.mean();
}

RankLaw rank_law(const NetworkLaw& law, const MeanField& field) {
  const GaussianIntegrals integrals(law.activation);
  const Real n = static_cast<Real>(law.width);
  RankLaw ranks;
  ranks.limit = ranks.expected = ranks.unit = {1};
  Real limit = 1, expected = 1, unit = 1;
  Minimum minimum;
  // Beyond, the limit stands for the expectation: they differ by less than 1e-3.
  bool counted = law.width <= most_trials;
  if (counted) minimum.add(law.width, 1);  // no more than n
  bool untouched = true;                   // no norm and no plain block so far
  for (std::size_t l = 0; l < law.blocks.size(); ++l) {
    const BlockLaw& block = law.blocks[l];
    Real share = 0;
    if (!block.off())
      share = block.form == BranchForm::linear ? 1 : share_of_slopes(integrals, field.blocks[l].argument);
    const bool mlp = block.form == BranchForm::mlp;
    const Real units = mlp ? std::round(block.gamma * n) : n;
    counted = counted && units <= static_cast<Real>(most_trials);
    const Real rank = std::min<Real>(1, share * units / n);
    if (block.norm != NormPlacement::none && !block.off()) untouched = false;
    if (block.norm == NormPlacement::after_sum) untouched = false;
    if (block.skip == 0) {
      untouched = false;
      limit = std::min(limit, rank);
      if (counted) minimum.add(static_cast<Index>(units), share);
      expected = counted ? minimum.mean() / n : std::min(expected, limit);
    }
    unit = untouched ? std::max<Real>(0, unit - 2 * rank) : 0;
    ranks.limit.push_back(limit), ranks.expected.push_back(expected), ranks.unit.push_back(unit);
  }
  return ranks;
}

}  // namespace rezero::theory
