#include "rezero/analysis/recipe.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "analysis/checks/parts.h"
#include "analysis/mean_square_interval.h"
#include "model/plan_block.h"
#include "rezero/core/contract.h"
#include "rezero/core/error.h"
#include "rezero/init/entry_law.h"

namespace rezero {
namespace {

/// Four digits.
std::string brief(Real value) {
  std::array<char, 32> text{};
  return {text.data(),
          std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 4).ptr};
}

/// Equal up to the rounding of a file of float32.
bool same(Real a, Real b) {
  return a == b || static_cast<float>(a) == static_cast<float>(b);
}

bool has_form(const Family& family, const std::vector<FoundBlock>& blocks) {
  const std::vector<const BranchKind*> kinds = family.branches();
  if (blocks.size() % kinds.size() != 0) return false;
  for (std::size_t l = 0; l < blocks.size(); ++l)
    if (blocks[l].parts && blocks[l].parts->branch != kinds[l % kinds.size()]) return false;
  return true;
}

/// The only family whose branches are those of the blocks. A block that was not recognized could be any.
const Family& family_of(const std::vector<FoundBlock>& blocks) {
  const Family* found = nullptr;
  bool several = false;
  for (const Family& family : families()) {
    if (!has_form(family, blocks)) continue;
    several = several || found;
    found = &family;
  }
  if (!found || several)
    throw UsageError(std::string("--expect-scheme: the blocks ") +
                     (found ? "could not be recognized well enough to tell which family they are of"
                            : "are not those of one family"));
  return *found;
}

/// The stack of which a block could be a part: a random one of the same sizes.
StackSpec spec_like(const Recipe& recipe, const Family& family, const BlockParts& parts) {
  StackSpec spec(recipe.scheme, family);
  spec.activation = parts.activation;
  if (recipe.init) spec.initializer = *recipe.init;
  spec.width = parts.shape.features;
  spec.tokens.tokens = parts.shape.positions;
  spec.tokens.attention = parts.attention;
  const auto up = parts.weights.find(Role::up);
  if (parts.branch->has_hidden && up != parts.weights.end())
    spec.hidden_ratio = static_cast<Real>(up->second.weight->rows()) / static_cast<Real>(spec.width);
  if (!parts.branch->is_conv) return spec;
  spec.conv.image = parts.conv.image;
  spec.conv.kernel = parts.conv.kernel_height;
  spec.conv.padding = parts.conv.padding;
  spec.conv.bottleneck = parts.conv.bottleneck;
  spec.conv.order = parts.conv.order;
  spec.conv.norm = parts.conv.norms.empty() ? NormSpec{} : parts.conv.norms.front();
  return spec;
}

/// What the scheme decides for one block.
struct Expected {
  StackSpec spec;
  BlockPlan plan;
  std::vector<WeightSlot> slots;
};

Expected expected(const Recipe& recipe, const Family& family, Index l) {
  const BlockParts& parts = *recipe.blocks[static_cast<std::size_t>(l)].parts;
  StackSpec spec = spec_like(recipe, family, parts);
  const RandomGeometryPtr geometry = spec.geometry();
  const Index layers = static_cast<Index>(recipe.blocks.size()) / geometry->blocks_per_layer();
  BlockPlan plan = plan_block(spec, *geometry, layers, l);
  BranchSizes sizes = geometry->sizes(l);
  if (parts.branch->is_conv) sizes.conv = parts.conv;
  return {std::move(spec), std::move(plan), parts.branch->slots(sizes)};
}

/// Slices of unit norm leave the mean square 1/(entries of a slice), whatever was drawn.
EntryLaw scaled(const EntryLaw& drawn, const WeightGain& gain, const Matrix& W) {
  if (gain.unit == UnitNorm::none || drawn.std == 0) return drawn.times(gain.weight);
  const Index entries = gain.unit == UnitNorm::columns ? W.rows() : W.cols();
  return fixed_square_law(1 / std::sqrt(static_cast<Real>(entries))).times(gain.weight);
}

/// Numbers of the file and their law.
struct Sample {
  Index block;
  std::string name;
  Eigen::Map<const Vector> numbers;
  EntryLaw law;

  bool is_random() const { return law.std > 0 && !law.fixed_square(); }
};

class Comparison {
 public:
  Comparison(const Recipe& recipe, Index blocks) : recipe_(recipe), family_(family_of(recipe.blocks)) {
    result_.check = "recipe";
    result_.quantity = "tensors that miss the recipe";
    for (Index l = 0; l < blocks; ++l) {
      const FoundBlock& found = recipe.blocks[static_cast<std::size_t>(l)];
      unmatched_.insert(unmatched_.end(), found.unmatched.begin(), found.unmatched.end());
      if (found.parts) look_at(l, found);
    }
  }

  CheckResult result() {
    Index random = 0;
    for (const Sample& sample : samples_) random += sample.is_random() ? 1 : 0;
    for (const Sample& sample : samples_)
      judge(sample, recipe_.level / static_cast<Real>(std::max<Index>(random, 1)));
    result_ = check_parts::finish_count(std::move(result_));
    result_.message = message(random);
    if (samples_.empty()) result_.pass = false;
    return result_;
  }

 private:
  void look_at(Index l, const FoundBlock& found) {
    const Expected right = expected(recipe_, family_, l);
    for (const WeightSlot& slot : right.slots) look_at(l, found, slot, right);
    if (found.knows_wiring) look_at_wiring(l, *found.parts, right.plan);
    look_at_scale(l, found, right.plan);
  }

  void look_at(Index l, const FoundBlock& found, const WeightSlot& slot, const Expected& right) {
    const auto weight = found.parts->weights.find(slot.role);
    if (weight == found.parts->weights.end()) return;
    const Matrix& W = *weight->second.weight;
    const WeightContext context{W.rows(), W.cols() / slot.taps(), right.spec.activation.gain(),
                                role_info(slot.role).place, slot.taps()};
    const WeightGain gain = right.plan.gain(slot.role);
    add(l, found.weights.at(slot.role), W, scaled(weight_law(right.spec.initializer, context), gain, W));
    const EntryLaw bias = bias_law(right.spec.initializer, context).times(gain.bias);
    if (const VectorPtr& b = weight->second.bias)
      add(l, found.biases.at(slot.role), *b, bias);
    else if (bias.std > 0)
      accuse(l, found.biases.at(slot.role), {}, "missing, should have rms " + brief(bias.std));
  }

  template <class Numbers>
  void add(Index l, const std::string& name, const Numbers& numbers, const EntryLaw& law) {
    samples_.push_back({l, name, {numbers.data(), numbers.size()}, law});
  }

  void judge(const Sample& sample, Real level) {
    const Real square = sample.numbers.squaredNorm() / static_cast<Real>(sample.numbers.size());
    const Real rms = std::sqrt(square), std = sample.law.std;
    const std::string found =
        "rms " + brief(rms) + " over " + std::to_string(sample.numbers.size()) + " numbers, should be ";
    if (std == 0) {
      if (!sample.numbers.isZero(0)) accuse(sample.block, sample.name, rms, found + "zero");
      return;
    }
    const detail::Interval range = detail::mean_square_interval(sample.law, sample.numbers.size(), level);
    const Real ratio = square / (std * std);
    if (ratio >= range.low && ratio <= range.high) return;
    const auto bound = [&](Real of) { return brief(std * std::sqrt(std::max<Real>(of, 0))); };
    accuse(sample.block, sample.name, rms,
           found + brief(std) +
               (sample.is_random() ? " (" + bound(range.low) + " to " + bound(range.high) + ")" : ""));
  }

  void look_at_wiring(Index l, const BlockParts& parts, const BlockPlan& plan) {
    if (parts.mix != plan.mix)
      accuse(l, "mix", {},
             "mix " + std::string(to_string(parts.mix)) + ", should be " + std::string(to_string(plan.mix)));
    for (const NormPlace& place : norm_places)
      look_at_norm(l, std::string(place.name), parts.*place.at, plan.*place.at);
    if (!recipe_.scheme.scheme().needs_profile)
      compare(l, "skip_scale", "skip scale", parts.skip_scale.values, plan.skip_scale.values);
    if (plan.last_norm_weight && !parts.conv.norms.empty()) {
      const auto& weight = parts.conv.norms.back().weight;
      compare(l, "norm" + std::to_string(parts.conv.norms.size()) + ".weight", "weight of the last norm",
              weight ? *weight : Vector::Ones(1), Vector::Constant(1, *plan.last_norm_weight));
    }
  }

  void look_at_scale(Index l, const FoundBlock& found, const BlockPlan& plan) {
    compare(l, found.gate, "branch scale", found.parts->branch_scale.values, plan.branch_scale.values);
  }

  void look_at_norm(Index l, const std::string& place, const NormSpec& found, const NormSpec& right) {
    const auto name = [](const NormSpec& norm) { return norm ? std::string(norm.kind->name) : "none"; };
    if (found.kind != right.kind) return accuse(l, place, {}, name(found) + ", should be " + name(right));
    if (!found) return;
    const Vector ones = Vector::Ones(1), zeros = Vector::Zero(1);
    compare(l, place + ".weight", "weight", found.weight ? *found.weight : ones,
            right.weight ? *right.weight : ones);
    compare(l, place + ".bias", "bias", found.bias ? *found.bias : zeros, right.bias ? *right.bias : zeros);
    for (const NormParam& param : right.kind->numbers)
      if (param.kind == NormParam::Kind::trained)
        compare(l, place + "." + std::string(param.name), std::string(param.name),
                Vector::Constant(1, found.param(param.name)), Vector::Constant(1, right.param(param.name)));
  }

  /// Numbers that the scheme fixes, one for all features or one for each.
  void compare(Index l, const std::string& parameter, const std::string& what, const Vector& found,
               const Vector& right) {
    const Index size = std::max(found.size(), right.size());
    const auto at = [](const Vector& v, Index i) { return v(v.size() == 1 ? 0 : i); };
    if (found.size() != size && found.size() != 1) return;
    for (Index i = 0; i < size; ++i) {
      if (same(at(found, i), at(right, i))) continue;
      return accuse(l, parameter, at(found, i),
                    what + " " + shortest(at(found, i)) + ", should be " + shortest(at(right, i)));
    }
  }

  void accuse(Index l, const std::string& parameter, std::optional<Real> value, std::string reason) {
    check_parts::add(result_, {l, parameter, value, parameter + ": " + std::move(reason)});
  }

  std::string message(Index random) const {
    const Initializer init = recipe_.init ? *recipe_.init : base_initializer(recipe_.scheme, family_);
    std::string text =
        recipe_.scheme.canonical() + " from " + init.canonical() + " over " +
        std::to_string(recipe_.blocks.size()) + " blocks of family " + std::string(family_.name) + ": " +
        std::to_string(random) + " tensors at family-wise level " + shortest(recipe_.level) + ", " +
        std::to_string(static_cast<Index>(samples_.size()) - random) + " more whose size is fixed";
    if (recipe_.scheme.scheme().needs_profile) text += "; skip scales depend on data and were not compared";
    const bool wiring = std::all_of(recipe_.blocks.begin(), recipe_.blocks.end(),
                                    [](const FoundBlock& block) { return block.knows_wiring; });
    if (!wiring) text += "; norms and skip scales were not compared";
    if (!unmatched_.empty()) {
      text += "; not matched: ";
      for (std::size_t i = 0; i < std::min(unmatched_.size(), check_parts::listed_culprits); ++i)
        text += (i ? ", " : "") + unmatched_[i];
      if (unmatched_.size() > check_parts::listed_culprits)
        text += " and " + std::to_string(unmatched_.size() - check_parts::listed_culprits) + " more";
    }
    return text;
  }

  const Recipe& recipe_;
  const Family& family_;
  CheckResult result_;
  std::vector<Sample> samples_;
  std::vector<std::string> unmatched_;
};

}  // namespace

void require_fit(const Recipe& recipe) {
  const Family& family = family_of(recipe.blocks);
  for (std::size_t l = 0; l < recipe.blocks.size(); ++l)
    if (recipe.blocks[l].parts) expected(recipe, family, static_cast<Index>(l));
}

CheckResult check_recipe(const Recipe& recipe, Index blocks) {
  REZERO_REQUIRE(0 <= blocks && blocks <= static_cast<Index>(recipe.blocks.size()));
  return Comparison(recipe, blocks).result();
}

}  // namespace rezero
