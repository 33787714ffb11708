#pragma once
/// Two-dimensional convolution over images, as neural networks have it: a cross-correlation.

#include <string_view>

#include "rezero/core/words.h"
#include "rezero/layers/linear.h"

namespace rezero {

/// A batch of images as positions of a state: position = (image, row, column), row-major.
struct ImageSpec {
  Index height = 1, width = 1, batch = 1;

  Index positions() const { return batch * height * width; }
  friend bool operator==(const ImageSpec& a, const ImageSpec& b) {
    return a.height == b.height && a.width == b.width && a.batch == b.batch;
  }
  friend bool operator!=(const ImageSpec& a, const ImageSpec& b) { return !(a == b); }
};

/// What lies beyond the border: zeros, or the image again, as on a torus.
enum class Padding { zero, circular };
template <>
inline constexpr auto words<Padding> = closed_set<Padding>("padding", {{Padding::zero, "zero"},
                                                                       {Padding::circular, "circular"}});

/// Odd kernel sizes; the image is padded by half a kernel, rounded down, on each side.
struct ConvSpec {
  Index kernel_height = 3, kernel_width = 3, stride = 1;
  Padding padding = Padding::zero;

  Index taps() const { return kernel_height * kernel_width; }
};

/// The images a convolution makes: ⌈height/stride⌉ × ⌈width/stride⌉. ShapeError if sizes or stride are not
/// positive, a kernel is even, or circular padding has a stride that does not divide the image.
ImageSpec conv_output(const ImageSpec& image, const ConvSpec& spec);

/// Y(:, p) = Σ_{a,b} W_ab X(:, stride·p + (a, b) − (kh/2, kw/2)) + bias, per image. X: in × positions.
/// W: out × (in·kh·kw), columns (in, a, b) row-major: the numbers of an out × in × kh × kw tensor. bias: out,
/// or null. Derivative: the same without the bias; its cost is 2·out·in flops per column and existing tap (of
/// zero padding none), its memory beside W's two packed copies 8 columns of the input; the bits of a column
/// do not depend on the other columns of a call. ShapeError as conv_output, or if W or bias do not fit.
class Conv final : public Layer {
 public:
  Conv(MatrixPtr W, VectorPtr bias, ImageSpec image, ConvSpec spec);
  Shape input_shape() const override { return {W_->cols() / spec_.taps(), image_.positions()}; }
  Shape output_shape() const override { return {W_->rows(), output_.positions()}; }
  bool positively_homogeneous() const override { return !bias_ || bias_->isZero(0); }
  bool piecewise_linear() const override { return true; }
  const ImageSpec& output_image() const { return output_; }
  /// The pixels under the kernel at each output position: (in·kh·kw) × positions, what W multiplies there.
  Vector patches(const Vector& x) const;

 private:
  Vector do_evaluate(const Vector& x) const override;
  Linearization do_linearize(const Vector& x) const override;
  MatrixPtr W_;
  VectorPtr bias_;
  ImageSpec image_, output_;
  ConvSpec spec_;
  LinearMapPtr map_;  ///< the same at every point
};

}  // namespace rezero
