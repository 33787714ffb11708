#include "parts.h"
#include "rezero/core/contract.h"
#include "rezero/model/geometry.h"

namespace rezero {
namespace {

constexpr Role conv_roles[] = {Role::conv1, Role::conv2, Role::conv3};

std::vector<WeightSlot> slots(const BranchSizes& n) {
  const ConvBranchSpec& c = n.conv;
  std::vector<WeightSlot> all;
  Index inputs = n.features;
  for (Index i = 0; i < c.convolutions(); ++i) {
    const ConvSpec at = c.convolution(i);
    const Index outputs = i + 1 == c.convolutions() ? c.outputs : c.inner;
    all.push_back({conv_roles[i], outputs, inputs, at.kernel_height, at.kernel_width});
    inputs = outputs;
  }
  return all;
}

/// The stages in order, with the output image of each convolution.
class Builder {
 public:
  explicit Builder(const BranchInputs& in) : in_(in), image_(in.conv.image) {
    const MatrixPtr& first = in.weights.at(Role::conv1).weight;
    const ConvSpec at = in.conv.convolution(0);
    features_ = first->cols() / (at.kernel_height * at.kernel_width);
  }

  Branch take() {
    const Index count = in_.conv.convolutions();
    for (Index i = 0; i < count; ++i) {
      if (in_.conv.order == ConvOrder::pre) norm(i), activation();
      convolution(i);
      if (in_.conv.order == ConvOrder::pre) continue;
      norm(i);
      if (i + 1 < count) activation();
    }
    return std::move(branch_);
  }

 private:
  Shape shape() const { return {features_, image_.positions()}; }

  void convolution(Index i) {
    const WeightPair& pair = in_.weights.at(conv_roles[i]);
    const ConvSpec spec = in_.conv.convolution(i);
    branch_.last = branch_.stages.size();
    if (i == 0) branch_.first = branch_.last;
    branch_.stages.push_back(std::make_shared<Conv>(pair.weight, pair.bias, image_, spec));
    features_ = pair.weight->rows();
    image_ = conv_output(image_, spec);
  }
  void norm(Index i) {
    if (in_.conv.norms.empty()) return;
    const NormSpec& spec = in_.conv.norms.at(static_cast<std::size_t>(i));
    if (spec) branch_.stages.push_back(spec.layer(shape()));
  }
  void activation() { branch_.stages.push_back(branch_parts::activation(in_, shape())); }

  const BranchInputs& in_;
  ImageSpec image_;
  Index features_ = 0;
  Branch branch_;
};

}  // namespace

BranchKind branch_conv() {
  BranchKind kind;
  kind.name = "conv";
  kind.formula = "norm2(conv2(phi(norm1(conv1(x))))), or conv2(phi(norm2(conv1(phi(norm1(x))))))";
  kind.summary = "two k x k convolutions, or a 1 x 1, k x k, 1 x 1 bottleneck, over images";
  kind.source = "He et al. 2016 (arXiv 1512.03385, 1603.05027)";
  kind.weight_layers = 0;
  kind.uses_activation = kind.is_conv = true;
  kind.geometry = image_geometry;
  kind.copies_at_work = 7;
  kind.kept_copies = 2;
  kind.slots = slots;
  kind.build = [](const BranchInputs& in) { return Builder(in).take(); };
  return kind;
}

}  // namespace rezero
