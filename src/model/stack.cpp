#include "rezero/model/stack.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "rezero/core/contract.h"
#include "rezero/core/error.h"
#include "rezero/random/sample.h"

namespace rezero {
namespace {

class RandomStack final : public Stack {
 public:
  RandomStack(StackSpec spec, std::uint64_t seed, Index depth)
      : spec_(std::move(spec)), seed_(seed), depth_(depth) {
    slots_ = spec_.family->slots(spec_.width, spec_.hidden());
    const BlockPlan first = plan(0);  // a scheme that does not fit this depth says so here
    homogeneous_ = !spec_.initializer.has_bias() && spec_.family->degree == 1 &&
                   (!spec_.family->uses_activation || spec_.activation.homogeneous()) &&
                   (!first.branch_activation || first.branch_activation->homogeneous()) &&
                   (!first.post_activation || first.post_activation->homogeneous());
  }

  Index blocks() const override { return depth_; }
  Shape shape() const override { return {spec_.width, 1}; }
  Vector input() const override { return draw_input(spec_.input, shape(), seed_); }
  bool positively_homogeneous() const override { return homogeneous_; }

  BlockPtr block(Index l) const override {
    REZERO_REQUIRE(0 <= l && l < depth_);
    const BlockPlan decided = plan(l);
    BlockParts parts;
    parts.shape = shape();
    parts.branch = spec_.family;
    parts.activation = spec_.activation;
    parts.pre_norm = decided.pre_norm, parts.branch_norm = decided.branch_norm,
    parts.post_norm = decided.post_norm;
    parts.branch_activation = decided.branch_activation, parts.post_activation = decided.post_activation;
    parts.skip_scale = decided.skip_scale, parts.branch_scale = decided.branch_scale;
    parts.mix = decided.mix;
    for (const WeightSlot& slot : slots_) parts.weights[slot.role] = draw(slot, decided.gain(slot.role), l);
    return std::make_shared<ResidualBlock>(std::move(parts));
  }

 private:
  BlockPlan plan(Index l) const {
    return spec_.scheme.scheme().plan({l, depth_, spec_.family, &spec_.scheme.params(), slots_});
  }

  WeightPair draw(const WeightSlot& slot, WeightGain gain, Index l) const {
    const auto role = static_cast<std::uint32_t>(slot.role);
    const auto address = static_cast<std::uint32_t>(spec_.tied ? 0 : l);
    const WeightContext context{slot.fan_out, slot.fan_in, spec_.activation.gain()};
    auto W = std::make_shared<Matrix>(
        spec_.initializer.weight(context, stream_key(seed_, StreamRole::weight, role, address)));
    if (gain.weight != 1) *W *= gain.weight;
    if (!spec_.initializer.has_bias()) return {std::move(W), nullptr};
    auto b = std::make_shared<Vector>(
        spec_.initializer.bias(context, stream_key(seed_, StreamRole::bias, role, address)));
    if (gain.bias != 1) *b *= gain.bias;
    return {std::move(W), std::move(b)};
  }

  StackSpec spec_;
  std::uint64_t seed_;
  Index depth_;
  std::vector<WeightSlot> slots_;
  bool homogeneous_ = false;
};

class GivenStack final : public Stack {
 public:
  GivenStack(std::vector<BlockParts> parts, Vector input) : input_(std::move(input)) {
    if (parts.empty()) throw ShapeError("a stack needs at least one block");
    for (BlockParts& block : parts) {
      if (block.shape != parts.front().shape) throw ShapeError("blocks of a stack differ in shape");
      blocks_.push_back(std::make_shared<ResidualBlock>(std::move(block)));
    }
    if (input_.size() != shape().size())
      throw ShapeError("the input has " + std::to_string(input_.size()) + " numbers, the stack takes " +
                       std::to_string(shape().size()));
    homogeneous_ = std::all_of(blocks_.begin(), blocks_.end(),
                               [](const BlockPtr& block) { return block->positively_homogeneous(); });
  }

  Index blocks() const override { return static_cast<Index>(blocks_.size()); }
  Shape shape() const override { return blocks_.front()->input_shape(); }
  Vector input() const override { return input_; }
  BlockPtr block(Index l) const override { return blocks_.at(static_cast<std::size_t>(l)); }
  bool positively_homogeneous() const override { return homogeneous_; }

 private:
  std::vector<BlockPtr> blocks_;
  Vector input_;
  bool homogeneous_ = false;
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

Real block_weight_bytes(const StackSpec& spec) {
  Real numbers = 0;
  for (const WeightSlot& slot : spec.family->slots(spec.width, spec.hidden()))
    numbers += static_cast<Real>(slot.fan_out) * static_cast<Real>(slot.fan_in);
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
