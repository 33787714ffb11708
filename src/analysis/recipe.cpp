/// A recipe against blocks: one file, because what is compared exactly, what by its law, and what is left out
/// must add up to all tensors.

#include "rezero/analysis/recipe.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "analysis/checks/parts.h"
#include "analysis/mean_square_interval.h"
#include "model/plan_block.h"
#include "rezero/core/contract.h"
#include "rezero/core/error.h"

namespace rezero {
namespace {

/// Four digits.
std::string brief(Real value) {
  std::array<char, 32> text{};
  return {text.data(),
          std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 4).ptr};
}

std::string counted(Index count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

Real as_bfloat16(Real x) {
  return static_cast<Real>(static_cast<float>(Eigen::bfloat16(static_cast<float>(x))));
}
Real as_half(Real x) {
  return static_cast<Real>(static_cast<float>(Eigen::half(static_cast<float>(x))));
}
Real as_single(Real x) {
  return static_cast<Real>(static_cast<float>(x));
}

/// The formats in which a file may hold a number, with the relative error of rounding to them.
struct Format {
  Real (*rounded)(Real);
  Real unit;
};
const std::array<Format, 3> formats = {{{as_bfloat16, 0x1p-9}, {as_half, 0x1p-12}, {as_single, 0x1p-25}}};

/// `found` is `right`, or what a file holds of it.
bool same(Real found, Real right) {
  return found == right || std::any_of(formats.begin(), formats.end(),
                                       [&](const Format& format) { return found == format.rounded(right); });
}

/// The relative error of numbers that came through a file: that of the coarsest format that holds all of
/// them.
template <class Numbers>
Real rounding_of(const Numbers& numbers) {
  for (const Format& format : formats)
    if (std::all_of(numbers.data(), numbers.data() + numbers.size(),
                    [&](Real x) { return x == format.rounded(x); }))
      return format.unit;
  return 0x1p-53;
}

bool has_form(const Family& family, const std::vector<FoundBlock>& blocks) {
  const std::vector<const BranchKind*> kinds = family.branches();
  if (blocks.size() % kinds.size() != 0) return false;
  for (std::size_t l = 0; l < blocks.size(); ++l)
    if (blocks[l].parts && blocks[l].parts->branch != kinds[l % kinds.size()]) return false;
  return true;
}

/// The branches of the first blocks in order: `attention, mlp, ?`.
std::string forms(const std::vector<FoundBlock>& blocks) {
  constexpr std::size_t listed = 8;
  std::string text;
  for (std::size_t l = 0; l < std::min(blocks.size(), listed); ++l)
    text += (l ? ", " : "") + (blocks[l].parts ? std::string(blocks[l].parts->branch->name) : "?");
  return blocks.size() > listed ? text + ", …" : text;
}

/// The only family whose branches are those of the blocks. A block that was not recognized could be any.
const Family& family_of(const std::vector<FoundBlock>& blocks) {
  const bool any = std::any_of(blocks.begin(), blocks.end(), [](const FoundBlock& b) { return b.parts; });
  if (!any)
    throw UsageError(
        "--expect-scheme: no block has a branch whose weights are known by their role (one, two or three "
        "matrices, or attention, added to a skip)");
  const Family* found = nullptr;
  bool several = false;
  for (const Family& family : families()) {
    if (!has_form(family, blocks)) continue;
    several = several || found;
    found = &family;
  }
  if (!found || several)
    throw UsageError("--expect-scheme: the branches of the blocks (" + forms(blocks) + ") " +
                     (found ? "could belong to several families" : "are not those of one family"));
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
  if (gain.unit == UnitNorm::none || drawn.is_zero()) return drawn.times(gain.weight);
  const Index entries = gain.unit == UnitNorm::columns ? W.rows() : W.cols();
  return EntryLaw::fixed_square(1 / std::sqrt(static_cast<Real>(entries))).times(gain.weight);
}

/// Numbers of the file and their law.
struct Sample {
  Index block;
  std::string name;
  Eigen::Map<const Vector> numbers;
  EntryLaw law;
};

class Comparison {
 public:
  Comparison(const Recipe& recipe, Index blocks) : recipe_(recipe), family_(family_of(recipe.blocks)) {
    result_.check = "recipe";
    result_.quantity = "tensors that miss the recipe";
    for (Index l = 0; l < blocks; ++l) {
      const FoundBlock& found = recipe.blocks[static_cast<std::size_t>(l)];
      findings_.unmatched.insert(findings_.unmatched.end(), found.unmatched.begin(), found.unmatched.end());
      findings_.compares_wiring = findings_.compares_wiring && found.knows_wiring;
      if (found.parts) look_at(l, found);
    }
  }

  CheckResult result() {
    const Index random = count_random();
    const Initializer init = recipe_.init ? *recipe_.init : base_initializer(recipe_.scheme, family_);
    findings_.scheme = recipe_.scheme.canonical(), findings_.init = init.canonical();
    findings_.family = family_.name, findings_.level = recipe_.level;
    findings_.level_of_tensor = recipe_.level / static_cast<Real>(std::max<Index>(random, 1));
    for (const Sample& sample : samples_) judge(sample);
    std::stable_sort(accused_.begin(), accused_.end(),
                     [](const Culprit& a, const Culprit& b) { return a.block < b.block; });
    for (const Culprit& culprit : accused_) check_parts::add(result_, culprit);
    result_ = check_parts::finish_count(std::move(result_));
    result_.message = message(random);
    if (samples_.empty()) {
      result_.pass = false;
      result_.message += ": no weight to compare";
    }
    result_.recipe = std::make_shared<const RecipeFindings>(std::move(findings_));
    return result_;
  }

 private:
  void look_at(Index l, const FoundBlock& found) {
    const Expected right = expected(recipe_, family_, l);
    for (const WeightSlot& slot : right.slots) look_at(l, found, slot, right);
    if (found.knows_wiring) look_at_wiring(l, *found.parts, right.plan);
    compare(l, found.gate, "branch scale", found.parts->branch_scale.values, right.plan.branch_scale.values);
  }

  void look_at(Index l, const FoundBlock& found, const WeightSlot& slot, const Expected& right) {
    const auto weight = found.parts->weights.find(slot.role);
    if (weight == found.parts->weights.end()) return;
    const Matrix& W = *weight->second.weight;
    const WeightContext context{W.rows(), W.cols() / slot.taps(), right.spec.activation.gain(),
                                role_info(slot.role).place, slot.taps()};
    const WeightGain gain = right.plan.gain(slot.role);
    const std::string& name = found.weights.at(slot.role);
    samples_.push_back(
        {l, name, {W.data(), W.size()}, scaled(right.spec.initializer.weight_law(context), gain, W)});
    const EntryLaw bias = right.spec.initializer.bias_law(context).times(gain.bias);
    if (const VectorPtr& b = weight->second.bias)
      samples_.push_back({l, found.biases.at(slot.role), {b->data(), b->size()}, bias});
    else if (!bias.is_zero())
      findings_.without_bias.push_back(name);
  }

  Index count_random() const {
    return std::count_if(samples_.begin(), samples_.end(),
                         [](const Sample& sample) { return sample.law.is_random(); });
  }

  void judge(const Sample& sample) {
    TensorFinding found;
    const Index count = sample.numbers.size();
    const Real sigma = sample.law.std();
    found.block = sample.block, found.name = sample.name, found.shape = sample.law.shape();
    found.count = count, found.expected = sigma;
    // In units of the largest, so that no square and no sum overflows.
    const Real unit = sample.numbers.lpNorm<Eigen::Infinity>();
    if (!sample.numbers.allFinite()) {
      found.rms = found.mean = std::numeric_limits<Real>::quiet_NaN();
    } else if (unit != 0) {
      found.rms = unit * ((sample.numbers / unit).norm() / std::sqrt(static_cast<Real>(count)));
      found.mean = unit * (sample.numbers / unit).mean();
    }
    if (sample.law.is_random()) {
      const Real level = findings_.level_of_tensor / 2;
      const detail::Interval range = interval(sample.law, count, level);
      found.low = sigma * std::sqrt(range.low), found.high = sigma * std::sqrt(range.high);
      found.mean_bound = sigma * detail::mean_bound(count, level);
    }
    const std::string why = fault(sample, found);
    found.pass = why.empty();
    if (!found.pass) accuse(sample.block, sample.name, found.rms, why);
    findings_.tensors.push_back(std::move(found));
  }

  /// Laws of one form and count share an interval.
  detail::Interval interval(const EntryLaw& law, Index count, Real level) {
    const auto [known, is_new] = intervals_.try_emplace({law.fourth(), count});
    if (is_new) known->second = detail::mean_square_interval(law, count, level);
    return known->second;
  }

  /// What is wrong with a tensor; comparisons are such that NaN is wrong.
  static std::string fault(const Sample& sample, const TensorFinding& found) {
    const std::string numbers =
        found.count == 1 ? " (1 number)" : " over " + std::to_string(found.count) + " numbers";
    const std::string rms = "rms " + brief(found.rms) + numbers + ", should be ";
    if (!std::isfinite(found.rms)) return rms + (found.expected == 0 ? "zero" : brief(found.expected));
    if (found.expected == 0) return sample.numbers.isZero(0) ? "" : rms + "zero";
    if (!found.low) {
      // Orthogonal matrices and unit norms of float32 programs are so up to 1e-6.
      const Real tolerance = std::max<Real>(1e-5, 2 * rounding_of(sample.numbers));
      return std::abs(found.rms / found.expected - 1) <= tolerance ? "" : rms + brief(found.expected);
    }
    if (!(found.rms >= *found.low && found.rms <= *found.high))
      return rms + brief(found.expected) + " (" + brief(*found.low) + " to " + brief(*found.high) + ")";
    if (!(std::abs(found.mean) <= *found.mean_bound))
      return "mean " + brief(found.mean) + numbers + ", should be 0 (within ±" + brief(*found.mean_bound) +
             ")";
    const Real largest = sample.numbers.cwiseAbs().maxCoeff();
    if (!(largest <= sample.law.largest() * (1 + 2 * rounding_of(sample.numbers))))
      return "largest number " + brief(largest) + ", should be within ±" + brief(sample.law.largest());
    return "";
  }

  void look_at_wiring(Index l, const BlockParts& parts, const BlockPlan& plan) {
    ++findings_.constants;
    if (parts.mix != plan.mix)
      accuse(l, "mix", {},
             "mix " + std::string(to_string(parts.mix)) + ", should be " + std::string(to_string(plan.mix)));
    for (const NormPlace& place : norm_places)
      look_at_norm(l, std::string(place.name), parts.*place.at, plan.*place.at);
    if (!recipe_.scheme.scheme().needs_profile)
      compare(l, "skip_scale", "skip scale", parts.skip_scale.values, plan.skip_scale.values);
    if (parts.output_bias.size() > 0)
      compare(l, "output_bias", "bias after the sum", parts.output_bias, Vector::Zero(1));
    if (plan.last_norm_weight && !parts.conv.norms.empty()) {
      const auto& weight = parts.conv.norms.back().weight;
      compare(l, "norm" + std::to_string(parts.conv.norms.size()) + ".weight", "weight of the last norm",
              weight ? *weight : Vector::Ones(1), Vector::Constant(1, *plan.last_norm_weight));
    }
  }

  void look_at_norm(Index l, const std::string& place, const NormSpec& found, const NormSpec& right) {
    const auto name = [](const NormSpec& norm) { return norm ? std::string(norm.kind->name) : "none"; };
    ++findings_.constants;
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
    ++findings_.constants;
    if (std::min(found.size(), right.size()) != size && std::min(found.size(), right.size()) != 1)
      return accuse(l, parameter, {},
                    what + " of " + std::to_string(found.size()) + " numbers, should be of " +
                        std::to_string(right.size()));
    for (Index i = 0; i < size; ++i) {
      if (same(at(found, i), at(right, i))) continue;
      return accuse(l, parameter, at(found, i),
                    what + " " + shortest(at(found, i)) + ", should be " + shortest(at(right, i)));
    }
  }

  void accuse(Index l, const std::string& parameter, std::optional<Real> value, const std::string& reason) {
    accused_.push_back({l, parameter, value, parameter + ": " + reason});
  }

  static std::string and_more(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), check_parts::listed_culprits); ++i)
      text += (i ? ", " : "") + names[i];
    if (names.size() > check_parts::listed_culprits)
      text += " and " + std::to_string(names.size() - check_parts::listed_culprits) + " more";
    return text;
  }

  std::string message(Index random) const {
    std::string text = findings_.scheme + " from " + findings_.init + ", " +
                       counted(static_cast<Index>(recipe_.blocks.size()), "block") + " of family " +
                       findings_.family + ": ";
    const auto fixed = static_cast<Index>(samples_.size()) - random;
    if (random > 0)
      text += counted(random, "random tensor") + " at family-wise level " + shortest(recipe_.level);
    if (random > 1) text += ", " + brief(findings_.level_of_tensor) + " each";
    if (random > 0 && fixed > 0) text += "; ";
    if (fixed > 0) text += counted(fixed, random > 0 ? "other" : "tensor") + " of fixed size";
    if (!findings_.without_bias.empty())
      text += "; no bias beside " + std::to_string(findings_.without_bias.size()) +
              " of the weights, where the law has one";
    if (recipe_.scheme.scheme().needs_profile) text += "; skip scales depend on data and were not compared";
    if (!findings_.compares_wiring) text += "; norms and skip scales were not compared";
    if (!findings_.unmatched.empty()) text += "; not matched: " + and_more(findings_.unmatched);
    return text;
  }

  const Recipe& recipe_;
  const Family& family_;
  CheckResult result_;
  RecipeFindings findings_;
  std::vector<Sample> samples_;
  std::vector<Culprit> accused_;
  std::map<std::pair<Real, Index>, detail::Interval> intervals_;  ///< by fourth moment and count
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

Real copied_bytes(const Recipe& recipe) {
  Real numbers = 0;
  for (const FoundBlock& block : recipe.blocks) {
    if (!block.parts || !block.holds_copies) continue;
    for (const auto& [role, pair] : block.parts->weights) numbers += static_cast<Real>(pair.weight->size());
  }
  return numbers * sizeof(Real);
}

}  // namespace rezero
