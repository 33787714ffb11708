#pragma once
/// Two-dimensional convolution over images in the sense of neural networks, that is, cross-correlation.

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

/// Values beyond the border: zeros, or the image repeated, as on a torus.
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

/// The output images of a convolution: ⌈height/stride⌉ × ⌈width/stride⌉. ShapeError if sizes or stride are
/// not positive, if a kernel is even, or if circular padding has a stride that does not divide the image.
ImageSpec conv_output(const ImageSpec& image, const ConvSpec& spec);

/// Y(:, p) = Σ_{a,b} W_ab X(:, stride·p + (a, b) − (kh/2, kw/2)) + bias, per image. X: in × positions. W: out
/// × (in·kh·kw), columns (in, a, b) row-major: the numbers of an out × in × kh × kw tensor. bias: out, or
/// null. Derivative: the same without the bias. Cost: 2·out·in flops per column and tap (taps in the zero
/// padding are free). Memory: W in two packed copies, and 8 columns of the input. Each output column is
/// bitwise independent of the other columns in the call. ShapeError as for conv_output, or if W or bias do
/// not fit.
class Conv final : public Layer {
 public:
  Conv(MatrixPtr W, VectorPtr bias, ImageSpec image, ConvSpec spec);
  Shape input_shape() const override { return {W_->cols() / spec_.taps(), image_.positions()}; }
  Shape output_shape() const override { return {W_->rows(), output_.positions()}; }
  bool positively_homogeneous() const override { return !bias_ || bias_->isZero(0); }
  bool piecewise_linear() const override { return true; }
  const ImageSpec& output_image() const { return output_; }
  /// The pixels under the kernel at each output position, (in·kh·kw) × positions: the operand of W.
  Vector multiplied(const Vector& x) const override;

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
