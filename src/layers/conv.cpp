#include "rezero/layers/conv.h"

#include <algorithm>
#include <string>

#include "conv_map.h"
#include "rezero/core/error.h"

namespace rezero {
namespace {

std::string size_text(Index height, Index width) {
  return std::to_string(height) + " × " + std::to_string(width);
}

void check(const ImageSpec& image, const ConvSpec& spec) {
  if (image.height < 1 || image.width < 1 || image.batch < 1)
    throw ShapeError("images need positive sizes, got " + std::to_string(image.batch) + " of " +
                     size_text(image.height, image.width));
  const auto odd = [](Index size) { return size > 0 && size % 2 == 1; };
  if (!odd(spec.kernel_height) || !odd(spec.kernel_width))
    throw ShapeError("a kernel has odd sizes, got " + size_text(spec.kernel_height, spec.kernel_width));
  if (spec.stride < 1) throw ShapeError("a stride is positive, got " + std::to_string(spec.stride));
  if (spec.padding == Padding::circular &&
      (image.height % spec.stride != 0 || image.width % spec.stride != 0))
    throw ShapeError(
        "circular padding needs a stride that divides the image: " + std::to_string(spec.stride) +
        " does not divide " + size_text(image.height, image.width));
}

/// Position of a kernel offset, or −1 beyond a border of zeros.
Index landing(Index at, Index size, Padding padding) {
  if (padding == Padding::zero) return at < size ? std::max<Index>(at, -1) : -1;
  while (at < 0) at += size;
  return at % size;
}

}  // namespace

ImageSpec conv_output(const ImageSpec& image, const ConvSpec& spec) {
  check(image, spec);
  return {(image.height - 1) / spec.stride + 1, (image.width - 1) / spec.stride + 1, image.batch};
}

Conv::Conv(MatrixPtr W, VectorPtr bias, ImageSpec image, ConvSpec spec)
    : W_(std::move(W)),
      bias_(std::move(bias)),
      image_(image),
      output_(conv_output(image, spec)),
      spec_(spec) {
  if (W_->size() == 0 || W_->cols() % spec_.taps() != 0)
    throw ShapeError("a convolution's weight of " + size_text(W_->rows(), W_->cols()) + " is not out × in·" +
                     std::to_string(spec_.taps()));
  if (bias_ && bias_->size() != W_->rows())
    throw ShapeError("a bias of " + std::to_string(bias_->size()) + " numbers does not fit a weight of " +
                     size_text(W_->rows(), W_->cols()));
  map_ = conv_map(W_, image_, spec_);
}

Vector Conv::multiplied(const Vector& x) const {
  const Index in = input_shape().features, taps = spec_.taps();
  const Eigen::Map<const Matrix> X(x.data(), in, image_.positions());
  Matrix P = Matrix::Zero(in * taps, output_.positions());
  for (Index q = 0; q < P.cols(); ++q) {
    const Index j = q % output_.width, i = q / output_.width % output_.height;
    const Index image = q / (output_.width * output_.height);
    for (Index tap = 0; tap < taps; ++tap) {
      const Index row = landing(i * spec_.stride + tap / spec_.kernel_width - spec_.kernel_height / 2,
                                image_.height, spec_.padding),
                  column = landing(j * spec_.stride + tap % spec_.kernel_width - spec_.kernel_width / 2,
                                   image_.width, spec_.padding);
      if (row < 0 || column < 0) continue;
      const auto pixel = X.col((image * image_.height + row) * image_.width + column);
      for (Index c = 0; c < in; ++c) P(c * taps + tap, q) = pixel(c);
    }
  }
  return P.reshaped();
}

Vector Conv::do_evaluate(const Vector& x) const {
  const Index in = input_shape().features, out = output_shape().features, taps = spec_.taps();
  const Eigen::Map<const Matrix> X(x.data(), in, image_.positions());
  Matrix Y = Matrix::Zero(out, output_.positions());
  for (Index a = 0; a < spec_.kernel_height; ++a)
    for (Index b = 0; b < spec_.kernel_width; ++b) {
      Matrix tap(out, in);
      for (Index c = 0; c < in; ++c) tap.col(c) = W_->col(c * taps + a * spec_.kernel_width + b);
      for (Index m = 0; m < image_.batch; ++m)
        for (Index i = 0; i < output_.height; ++i)
          for (Index j = 0; j < output_.width; ++j) {
            const Index row = landing(i * spec_.stride + a - spec_.kernel_height / 2, image_.height,
                                      spec_.padding),
                        column = landing(j * spec_.stride + b - spec_.kernel_width / 2, image_.width,
                                         spec_.padding);
            if (row >= 0 && column >= 0)
              Y.col((m * output_.height + i) * output_.width + j) +=
                  tap * X.col((m * image_.height + row) * image_.width + column);
          }
    }
  if (bias_) Y.colwise() += *bias_;
  return Eigen::Map<const Vector>(Y.data(), Y.size());
}

Linearization Conv::do_linearize(const Vector& x) const {
  Vector y(output_shape().size());
  map_->apply(x, y);
  if (bias_) Eigen::Map<Matrix>(y.data(), W_->rows(), output_.positions()).colwise() += *bias_;
  return {std::move(y), map_};
}

}  // namespace rezero
