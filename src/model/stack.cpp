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
      : spec_(std::move(spec)), geometry_(spec_.geometry()), seed_(seed), layers_(geometry_->layers(depth)) {
    require_fit(spec_, depth);
    const BranchSizes sizes = geometry_->sizes(0);
    const bool norms_are = std::all_of(sizes.conv.norms.begin(), sizes.conv.norms.end(),
                                       [](const NormSpec& norm) { return norm.positively_homogeneous(); });
    homogeneous_ = !spec_.initializer.has_bias() && spec_.family->degree() == 1 &&
                   (!spec_.family->uses_activation() || spec_.activation.homogeneous()) && norms_are &&
                   plan(0).positively_homogeneous();
    if (spec_.scheme.scheme().needs_profile) measure_profile();
  }

  const Geometry& geometry() const override { return *geometry_; }
  Index blocks() const override { return layers_ * blocks_per_layer(); }
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
    BlockParts parts;
    parts.shape = shape_after(l);
    parts.branch = &geometry_->branch(l);
    parts.activation = spec_.activation;
    static_cast<Wiring&>(parts) = decided;
    geometry_->furnish(parts, decided, l);
    std::vector<WeightSlot> slots = parts.branch->slots(geometry_->sizes(l));
    if (parts.shortcut == ShortcutKind::projection)
      slots.push_back({Role::shortcut, parts.output_shape().features, parts.shape.features});
    for (const WeightSlot& slot : slots) parts.weights[slot.role] = draw(slot, decided.gain(slot.role), l);
    return std::make_shared<ResidualBlock>(std::move(parts));
  }

 private:
  BlockPlan plan(Index l) const { return plan_block(spec_, *geometry_, layers_, l, {&profile_, measuring_}); }

  /// One pass through the same blocks that are analyzed later, each planned from its predecessors.
  void measure_profile() {
    measuring_ = true;
    Vector x = input();
    for (Index l = 0; l < blocks(); ++l) {
      const BlockPtr here = block(l);
      const BlockLinearization at = here->linearize_block(x);
      require_finite(l, *here, x, at);
      profile_.push_back({variance(x), variance(at.branch_value)});
      x = at.value;
    }
    measuring_ = false;
  }

  WeightPair draw(const WeightSlot& slot, WeightGain gain, Index l) const {
    const auto role = static_cast<std::uint32_t>(slot.role);
    const Initializer& init = spec_.initializer;
    const auto address = [&](bool tied) {
      return static_cast<std::uint32_t>(tied ? l % blocks_per_layer() : l);
    };
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
  RandomGeometryPtr geometry_;
  std::uint64_t seed_;
  Index layers_;
  std::vector<BlockProfile> profile_;
  bool homogeneous_ = false, measuring_ = false;
};

/// The geometry of given blocks.
class GivenGeometry final : public Geometry {
 public:
  void add(const Block& block) {
    if (shapes_.empty()) shapes_.push_back(block.input_shape());
    shapes_.push_back(block.output_shape());
  }
  Shape shape_after(Index blocks) const override { return shapes_.at(static_cast<std::size_t>(blocks)); }
  /// The weights are already in memory, and may be attention's. Each block counts as two square matrices.
  LayerWork work(Index) const override {
    const auto n = static_cast<Real>(shape().size());
    LayerWork work;
    work.flops_per_column = 4 * n * n;
    work.kept = 8 * n;
    work.matrices_at_work = branches().at("attention").matrices_at_work;
    return work;
  }

 private:
  std::vector<Shape> shapes_;
};

class GivenStack final : public Stack {
 public:
  GivenStack(std::vector<BlockParts> parts, Vector input, NormSpec final_norm)
      : input_(std::move(input)), final_norm_(std::move(final_norm)) {
    if (parts.empty()) throw ShapeError("a stack needs at least one block");
    for (BlockParts& block : parts) {
      blocks_.push_back(std::make_shared<ResidualBlock>(std::move(block)));
      if (blocks_.size() > 1 && blocks_.back()->input_shape() != blocks_[blocks_.size() - 2]->output_shape())
        throw ShapeError("a block of the stack does not take the shape that the one before gives");
      geometry_.add(*blocks_.back());
    }
    if (input_.size() != shape().size())
      throw ShapeError("the input has " + std::to_string(input_.size()) + " numbers, the stack takes " +
                       std::to_string(shape().size()));
    homogeneous_ = std::all_of(blocks_.begin(), blocks_.end(),
                               [](const BlockPtr& block) { return block->positively_homogeneous(); });
  }

  const Geometry& geometry() const override { return geometry_; }
  Index blocks() const override { return static_cast<Index>(blocks_.size()); }
  Vector input() const override { return input_; }
  BlockPtr block(Index l) const override { return blocks_.at(static_cast<std::size_t>(l)); }
  bool positively_homogeneous() const override { return homogeneous_; }
  NormSpec final_norm() const override { return final_norm_; }

 private:
  GivenGeometry geometry_;
  std::vector<BlockPtr> blocks_;
  Vector input_;
  NormSpec final_norm_;
  bool homogeneous_ = false;
};

/// Some blocks of a stack, which must outlive this object.
class SliceGeometry final : public Geometry {
 public:
  SliceGeometry(const Geometry& whole, Index first) : whole_(whole), first_(first) {}

  Index blocks_per_layer() const override { return whole_.blocks_per_layer(); }
  Shape shape_after(Index blocks) const override { return whole_.shape_after(first_ + blocks); }
  std::vector<LayerRun> runs(Index layers) const override {
    const Index begin = first_ / blocks_per_layer();
    std::vector<LayerRun> runs;
    for (LayerRun run : whole_.runs(begin + layers)) {
      const Index cut = std::clamp<Index>(begin - run.first, 0, run.count);
      if (cut < run.count) runs.push_back({run.first + cut - begin, run.count - cut});
    }
    return runs;
  }
  LayerWork work(Index layer) const override { return whole_.work(first_ / blocks_per_layer() + layer); }

 private:
  const Geometry& whole_;
  Index first_;
};

class StackSlice final : public Stack {
 public:
  StackSlice(StackPtr stack, Index first, Index count, Vector input)
      : stack_(std::move(stack)),
        geometry_(stack_->geometry(), first),
        first_(first),
        count_(count),
        input_(std::move(input)) {
    REZERO_REQUIRE(0 <= first && count >= 1 && first + count <= stack_->blocks());
    REZERO_REQUIRE(input_.size() == shape().size());
  }

  const Geometry& geometry() const override { return geometry_; }
  Index blocks() const override { return count_; }
  Vector input() const override { return input_; }
  BlockPtr block(Index l) const override { return stack_->block(first_ + l); }
  bool positively_homogeneous() const override { return stack_->positively_homogeneous(); }
  NormSpec final_norm() const override { return stack_->final_norm(); }

 private:
  StackPtr stack_;
  SliceGeometry geometry_;
  Index first_, count_;
  Vector input_;
};

/// A stack in everything but its input.
class Reentered final : public Stack {
 public:
  Reentered(StackPtr stack, Vector input) : stack_(std::move(stack)), input_(std::move(input)) {
    if (input_.size() != shape().size())
      throw ShapeError("the input has " + std::to_string(input_.size()) + " numbers, the stack takes " +
                       std::to_string(shape().size()));
  }

  const Geometry& geometry() const override { return stack_->geometry(); }
  Index blocks() const override { return stack_->blocks(); }
  Vector input() const override { return input_; }
  BlockPtr block(Index l) const override { return stack_->block(l); }
  bool positively_homogeneous() const override { return stack_->positively_homogeneous(); }
  NormSpec final_norm() const override { return stack_->final_norm(); }

 private:
  StackPtr stack_;
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

StackPtr make_stack(std::vector<BlockParts> blocks, Vector input, NormSpec final_norm) {
  return std::make_shared<GivenStack>(std::move(blocks), std::move(input), std::move(final_norm));
}

StackPtr slice_stack(StackPtr stack, Index first, Index count, Vector input) {
  return std::make_shared<StackSlice>(std::move(stack), first, count, std::move(input));
}

StackPtr with_input(StackPtr stack, Vector input) {
  return std::make_shared<Reentered>(std::move(stack), std::move(input));
}

Real block_weight_bytes(const StackSpec& spec) {
  const RandomGeometryPtr geometry = spec.geometry();
  Real numbers = 0;
  for (const LayerRun& run : geometry->runs(geometry->layers(1)))
    for (const Index layer : {run.first, run.last()})
      numbers = std::max(numbers, geometry->work(layer).weights);
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
