#include "accuracy/decorate.h"

#include <initializer_list>

#include "accuracy/splitmix.h"

namespace rezero::reference {
namespace {

class Decorator {
 public:
  Decorator(std::uint64_t seed, std::uint64_t index) : draw_(~seed, index) {}

  BlockParts block(BlockParts parts) {
    const Index in = parts.shape.features, out = parts.output_shape().features;
    norm(parts.pre_norm, in), norm(parts.branch_norm, out), norm(parts.post_norm, out);
    for (std::size_t i = 0; i < parts.conv.norms.size(); ++i) norm(parts.conv.norms[i], channels(parts, i));
    scale(parts.skip_scale, out), scale(parts.branch_scale, out);
    if (draw_.one_in(4)) parts.output_bias = vector(out, 0, 1);
    if (draw_.one_in(6)) parts.branch_activation = activation();
    if (draw_.one_in(6)) parts.post_activation = activation();
    if (draw_.one_in(6)) parts.mix = MixRule::gated, parts.skip_scale = {};
    return parts;
  }

 private:
  /// Channels of norm i: the output of its convolution, or the input if it precedes it.
  static Index channels(const BlockParts& parts, std::size_t i) {
    if (parts.conv.order == ConvOrder::pre) return i == 0 ? parts.shape.features : parts.conv.inner;
    return i + 1 < parts.conv.norms.size() ? parts.conv.inner : parts.conv.outputs;
  }
  Vector vector(Index size, Real middle, Real range) {
    Vector values(size);
    for (Index i = 0; i < size; ++i) values(i) = middle + range * draw_.symmetric();
    return values;
  }
  void put(std::shared_ptr<const Vector>& place, bool fits, Index size, Real middle, Real range) {
    if (fits && draw_.one_in(2)) place = std::make_shared<Vector>(vector(size, middle, range));
  }
  void norm(NormSpec& norm, Index features) {
    if (!norm) return;
    const NormKind& kind = *norm.kind;
    put(norm.weight, kind.has_weight, features, 0, 2), put(norm.bias, kind.has_bias, features, 0, 1);
    put(norm.running_mean, kind.has_running, features, 0, 1);
    put(norm.running_var, kind.has_running, features, 1, 1);
    if (kind.find("eps") && draw_.one_in(4))
      norm.set("eps", draw_.pick(std::initializer_list<Real>{1e-12, 1e-3, 1}));
    if (kind.find("alpha") && draw_.one_in(2)) norm.set("alpha", 2 * draw_.symmetric());
  }
  void scale(Scale& scale, Index features) {
    if (draw_.one_in(3)) scale.values = vector(draw_.one_in(2) ? features : 1, 0.5, 1);
  }
  Activation activation() { return Activation(draw_.pick(activations()).name); }

  SplitMix draw_;
};

}  // namespace

StackPtr decorated(const Stack& stack, Index blocks, std::uint64_t seed, std::uint64_t index) {
  Decorator decorator(seed, index);
  std::vector<BlockParts> parts;
  for (Index l = 0; l < blocks; ++l) parts.push_back(decorator.block(stack.block(l)->parts()));
  return make_stack(std::move(parts), stack.input());
}

}  // namespace rezero::reference
