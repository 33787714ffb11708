#include "accuracy/reference.h"

namespace rezero::reference {
namespace {

/// Row or column of the image under the kernel; −1: in the border of zeros.
Index under_kernel(Index output, Index tap, Index kernel, Index stride, Index size, Padding padding) {
  const Index at = output * stride + tap - kernel / 2;
  if (padding == Padding::circular) return (at % size + size) % size;
  return at >= 0 && at < size ? at : -1;
}

ImageSpec strided(const ImageSpec& image, Index stride) {
  return {(image.height + stride - 1) / stride, (image.width + stride - 1) / stride, image.batch};
}

Index pixel(const ImageSpec& image, Index m, Index row, Index column) {
  return (m * image.height + row) * image.width + column;
}

/// Calls f(m, i, j) for every pixel of every image, in order.
template <class F>
void each_pixel(const ImageSpec& image, F&& f) {
  for (Index m = 0; m < image.batch; ++m)
    for (Index i = 0; i < image.height; ++i)
      for (Index j = 0; j < image.width; ++j) f(m, i, j);
}

}  // namespace

State convolved(const WeightPair& pair, const ImageSpec& image, const ConvSpec& spec, const State& X) {
  const Matrix& W = *pair.weight;
  const Index taps = spec.taps(), in = W.cols() / taps;
  State Y;
  each_pixel(strided(image, spec.stride), [&](Index m, Index i, Index j) {
    for (Index out = 0; out < W.rows(); ++out) {
      Y.emplace_back();
      if (pair.bias) Y.back().value = (*pair.bias)(out);
      for (Index tap = 0; tap < taps; ++tap) {
        const Index row = under_kernel(i, tap / spec.kernel_width, spec.kernel_height, spec.stride,
                                       image.height, spec.padding),
                    column = under_kernel(j, tap % spec.kernel_width, spec.kernel_width, spec.stride,
                                          image.width, spec.padding);
        if (row < 0 || column < 0) continue;
        for (Index c = 0; c < in; ++c)
          Y.back().add(W(out, c * taps + tap),
                       X[static_cast<std::size_t>(pixel(image, m, row, column) * in + c)]);
      }
    }
  });
  return Y;
}

State conv_branch(const BlockParts& parts, const State& X) {
  constexpr Role roles[] = {Role::conv1, Role::conv2, Role::conv3};
  const ConvBranchSpec& conv = parts.conv;
  ImageSpec image = conv.image;
  Index features = parts.shape.features;
  State z = X;
  const auto norm = [&](Index i) {
    if (conv.norms.empty() || !conv.norms[static_cast<std::size_t>(i)]) return;
    z = normed(conv.norms[static_cast<std::size_t>(i)], {features, image.positions()}, z);
  };
  const bool pre = conv.order == ConvOrder::pre;
  const Index count = conv.bottleneck ? 3 : 2;
  for (Index i = 0; i < count; ++i) {
    if (pre) norm(i), z = activated(parts.activation, z);
    const bool square = !conv.bottleneck || i == 1, strides = i == (conv.bottleneck ? 1 : 0);
    const ConvSpec spec{square ? conv.kernel_height : 1, square ? conv.kernel_width : 1,
                        strides ? conv.stride : 1, conv.padding};
    const WeightPair& pair = parts.weights.at(roles[i]);
    z = convolved(pair, image, spec, z);
    features = pair.weight->rows(), image = strided(image, spec.stride);
    if (!pre) norm(i);
    if (!pre && i + 1 < count) z = activated(parts.activation, z);
  }
  return z;
}

State shortcut(const BlockParts& parts, const State& X) {
  if (parts.shortcut == ShortcutKind::identity) return X;
  const ConvBranchSpec& conv = parts.conv;
  const ImageSpec image = strided(conv.image, conv.stride);
  if (parts.shortcut == ShortcutKind::projection) {
    State y = convolved(parts.weights.at(Role::shortcut), conv.image, {1, 1, conv.stride, Padding::zero}, X);
    return parts.shortcut_norm ? normed(parts.shortcut_norm, {conv.outputs, image.positions()}, y) : y;
  }
  State y;
  each_pixel(image, [&](Index m, Index i, Index j) {
    const Index from = pixel(conv.image, m, i * conv.stride, j * conv.stride) * parts.shape.features;
    for (Index c = 0; c < conv.outputs; ++c)
      y.push_back(c < parts.shape.features ? X[static_cast<std::size_t>(from + c)] : Dual{});
  });
  return y;
}

}  // namespace rezero::reference
