#include "rezero/model/stack.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "linalg/unit.h"
#include "model/require_finite.h"
#include "plan_block.h"
#include "rezero/core/contract.h"
#include "rezero/core/error.h"
#include "rezero/linalg/standardize.h"
#include "rezero/random/sample.h"

namespace rezero {
namespace {

/// Population variance over all entries.
ScaledReal variance(Vector x) {
  const int unit = detail::into_unit(x);
  return ScaledReal::make((x.array() - x.mean()).square().mean(), 2 * unit);
}

void apply(UnitNorm unit, Matrix& W) {
  switch (unit) {
    case UnitNorm::none:
      return;
    case UnitNorm::rows:
      return normalize_rows(W);
    case UnitNorm::columns:
      return normalize_columns(W);
    case UnitNorm::centered_rows:
      return standardize_rows(W);
  }
}

class RandomStack final : public Stack {
 public:
  RandomStack(StackSpec spec, std::uint64_t seed, Index depth)
      : spec_(std::move(spec)), kinds_(spec_.family->branches()), seed_(seed), layers_(spec_.layers(depth)) {
    require_fit(spec_, depth);
    const NormSpec conv_norm = spec_.family->is_conv() ? spec_.conv_norm() : NormSpec{};
    homogeneous_ = !spec_.initializer.has_bias() && spec_.family->degree() == 1 &&
                   (!spec_.family->uses_activation() || spec_.activation.homogeneous()) &&
                   (!conv_norm || conv_norm.positively_homogeneous()) && plan(0).positively_homogeneous();
    if (spec_.scheme.scheme().needs_profile) measure_profile();
  }

  Index blocks() const override { return layers_ * per_layer(); }
  Index blocks_per_layer() const override { return per_layer(); }
  Shape shape() const override { return spec_.shape(); }
  Shape shape_after(Index blocks) const override {
    return spec_.family->is_conv() ? rezero::shape_after(spec_.conv, spec_.width, blocks) : shape();
  }
  Vector input() const override {
    Vector x = draw_input(spec_.input, shape(), seed_);
    if (spec_.scheme.scheme().unit_input)
      for (Index t = 0; t < shape().positions; ++t)
        normalize(x.segment(t * shape().features, shape().features));
    return x;
  }
  bool positively_homogeneous() const override { return homogeneous_; }

  BlockPtr block(Index l) const override {
    REZERO_REQUIRE(0 <= l && l < blocks());
    const BlockPlan decided = plan(l);
    const BranchSizes sizes = spec_.sizes(l);
    BlockParts parts;
    parts.shape = shape_after(l);
    parts.branch = kinds_[static_cast<std::size_t>(l % per_layer())];
    parts.activation = spec_.activation;
    parts.attention = spec_.tokens.attention;
    static_cast<Wiring&>(parts) = decided;
    if (decided.qk_norm) parts.attention.qk_norm = decided.qk_norm;
    if (decided.attention_scale) parts.attention.scale = decided.attention_scale;
    for (const WeightSlot& slot : parts.branch->slots(sizes))
      parts.weights[slot.role] = draw(slot, decided.gain(slot.role), l);
    if (parts.branch->is_conv) set_conv(parts, sizes, decided, l);
    return std::make_shared<ResidualBlock>(std::move(parts));
  }

 private:
  Index per_layer() const { return static_cast<Index>(kinds_.size()); }

  /// The geometry, the norms with what the scheme makes of the last, the outer activation, and the skip. A
  /// norm follows its projection only where norms follow convolutions.
  void set_conv(BlockParts& parts, const BranchSizes& sizes, const BlockPlan& decided, Index l) const {
    parts.conv = sizes.conv;
    if (decided.last_norm_weight)
      parts.conv.norms.back().weight =
          std::make_shared<Vector>(Vector::Constant(sizes.conv.outputs, *decided.last_norm_weight));
    if (spec_.conv.outer_activation && !parts.post_activation) parts.post_activation = spec_.activation;
    if (!stage_place(spec_.conv, l).transition) return;
    parts.shortcut = spec_.conv_shortcut();
    if (parts.shortcut != ShortcutKind::projection) return;
    parts.weights[Role::shortcut] =
        draw({Role::shortcut, sizes.conv.outputs, sizes.features}, decided.gain(Role::shortcut), l);
    if (sizes.conv.order == ConvOrder::post && !sizes.conv.norms.empty())
      parts.shortcut_norm = sizes.conv.norms.back();
  }

  BlockPlan plan(Index l) const { return plan_block(spec_, layers_, l, {&profile_, measuring_}); }

  /// One pass through the very blocks that are analyzed later, each planned from those before it.
  void measure_profile() {
    measuring_ = true;
    Vector x = input();
    for (Index l = 0; l < blocks(); ++l) {
      const BlockPtr here = block(l);
      const BlockLinearization at = here->linearize_block(x);
      require_finite(l, here->parts(), at);
      profile_.push_back({variance(x), variance(at.branch_value)});
      x = at.value;
    }
    measuring_ = false;
  }

  WeightPair draw(const WeightSlot& slot, WeightGain gain, Index l) const {
    const auto role = static_cast<std::uint32_t>(slot.role);
    const Initializer& init = spec_.initializer;
    const auto address = [&](bool tied) { return static_cast<std::uint32_t>(tied ? l % per_layer() : l); };
    const WeightContext context{slot.outputs, slot.inputs, spec_.activation.gain(),
                                role_info(slot.role).place, slot.taps()};
    auto W = std::make_shared<Matrix>(init.weight(
        context, stream_key(seed_, StreamRole::weight, role, address(spec_.tied || init.tied_weights()))));
    apply(gain.unit, *W);
    if (gain.weight != 1) *W *= gain.weight;
    if (!init.has_bias()) return {std::move(W), nullptr};
    auto b = std::make_shared<Vector>(init.bias(
        context, stream_key(seed_, StreamRole::bias, role, address(spec_.tied || init.tied_biases()))));
    if (gain.bias != 1) *b *= gain.bias;
    return {std::move(W), std::move(b)};
  }

  StackSpec spec_;
  std::vector<const BranchKind*> kinds_;
  std::uint64_t seed_;
  Index layers_;
  std::vector<BlockProfile> profile_;
  bool homogeneous_ = false, measuring_ = false;
};

class GivenStack final : public Stack {
 public:
  GivenStack(std::vector<BlockParts> parts, Vector input) : input_(std::move(input)) {
    if (parts.empty()) throw ShapeError("a stack needs at least one block");
    for (BlockParts& block : parts) {
      blocks_.push_back(std::make_shared<ResidualBlock>(std::move(block)));
      if (blocks_.size() > 1 && blocks_.back()->input_shape() != blocks_[blocks_.size() - 2]->output_shape())
        throw ShapeError("a block of the stack does not take the shape that the one before gives");
    }
    if (input_.size() != shape().size())
      throw ShapeError("the input has " + std::to_string(input_.size()) + " numbers, the stack takes " +
                       std::to_string(shape().size()));
    homogeneous_ = std::all_of(blocks_.begin(), blocks_.end(),
                               [](const BlockPtr& block) { return block->positively_homogeneous(); });
  }

  Index blocks() const override { return static_cast<Index>(blocks_.size()); }
  Shape shape() const override { return blocks_.front()->input_shape(); }
  Shape shape_after(Index blocks) const override {
    return blocks == 0 ? shape() : blocks_.at(static_cast<std::size_t>(blocks - 1))->output_shape();
  }
  Vector input() const override { return input_; }
  BlockPtr block(Index l) const override { return blocks_.at(static_cast<std::size_t>(l)); }
  bool positively_homogeneous() const override { return homogeneous_; }

 private:
  std::vector<BlockPtr> blocks_;
  Vector input_;
  bool homogeneous_ = false;
};

class StackSlice final : public Stack {
 public:
  StackSlice(StackPtr stack, Index first, Index count, Vector input)
      : stack_(std::move(stack)), first_(first), count_(count), input_(std::move(input)) {
    REZERO_REQUIRE(0 <= first && count >= 1 && first + count <= stack_->blocks());
    REZERO_REQUIRE(input_.size() == shape().size());
  }

  Index blocks() const override { return count_; }
  Index blocks_per_layer() const override { return stack_->blocks_per_layer(); }
  Shape shape() const override { return stack_->shape_after(first_); }
  Shape shape_after(Index blocks) const override { return stack_->shape_after(first_ + blocks); }
  Vector input() const override { return input_; }
  BlockPtr block(Index l) const override { return stack_->block(first_ + l); }
  bool positively_homogeneous() const override { return stack_->positively_homogeneous(); }

 private:
  StackPtr stack_;
  Index first_, count_;
  Vector input_;
};

/// Each position scaled to norm √features: uniform on the sphere when the entries are normal.
void put_on_sphere(Vector& x, Shape shape) {
  for (Index t = 0; t < shape.positions; ++t) {
    auto position = x.segment(t * shape.features, shape.features);
    position *= std::sqrt(static_cast<Real>(shape.features)) / position.norm();
  }
}

}  // namespace

StackPtr build_stack(const StackSpec& spec, std::uint64_t seed, Index depth) {
  return std::make_shared<RandomStack>(spec, seed, depth);
}

StackPtr make_stack(std::vector<BlockParts> blocks, Vector input) {
  return std::make_shared<GivenStack>(std::move(blocks), std::move(input));
}

StackPtr slice_stack(StackPtr stack, Index first, Index count, Vector input) {
  return std::make_shared<StackSlice>(std::move(stack), first, count, std::move(input));
}

Real block_weight_bytes(const StackSpec& spec) {
  Real numbers = 0;
  for (const BranchKind* kind : spec.family->branches())
    for (const Index l : spec.stage_ends(1)) {
      Real block = 0;
      for (const WeightSlot& slot : kind->slots(spec.sizes(l)))
        block += static_cast<Real>(slot.rows()) * static_cast<Real>(slot.cols());
      numbers = std::max(numbers, block);
    }
  return numbers * sizeof(Real);
}

Vector draw_input(const InputSpec& spec, Shape shape, std::uint64_t seed) {
  if (spec.law == InputLaw::ones) return Vector::Ones(shape.size());
  if (spec.law == InputLaw::values) {
    if (spec.values.size() != shape.size())
      throw ShapeError("the input has " + std::to_string(spec.values.size()) + " numbers, the stack takes " +
                       std::to_string(shape.size()));
    return spec.values;
  }
  Vector x = normal_vector(shape.size(), stream_key(seed, StreamRole::input));
  if (spec.law == InputLaw::sphere) put_on_sphere(x, shape);
  return x;
}

}  // namespace rezero
