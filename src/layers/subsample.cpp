#include "rezero/layers/subsample.h"

#include <string>
#include <vector>

#include "rezero/core/error.h"

namespace rezero {
namespace {

/// Columns of `features` numbers, one per position: output position q takes that of `source[q]`.
class SubsampleMap final : public LinearMap {
 public:
  SubsampleMap(Shape in, Shape out, std::vector<Index> source)
      : in_(in), out_(out), source_(std::move(source)) {}
  Index rows() const override { return out_.size(); }
  Index cols() const override { return in_.size(); }
  Real flops_per_column() const override { return 0; }

 private:
  void do_apply(ConstColumns v, Columns out) const override {
    out.setZero();
    for (Index j = 0; j < v.cols(); ++j)
      for (Index q = 0; q < out_.positions; ++q)
        out.col(j).segment(q * out_.features, in_.features) = v.col(j).segment(from(q), in_.features);
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override {
    out.setZero();
    for (Index j = 0; j < u.cols(); ++j)
      for (Index q = 0; q < out_.positions; ++q)
        out.col(j).segment(from(q), in_.features) = u.col(j).segment(q * out_.features, in_.features);
  }
  Index from(Index q) const { return source_[static_cast<std::size_t>(q)] * in_.features; }

  Shape in_, out_;
  std::vector<Index> source_;
};

}  // namespace

Subsample::Subsample(Index features, Index outputs, ImageSpec image, Index stride)
    : features_(features), outputs_(outputs), stride_(stride), image_(image) {
  if (outputs < features)
    throw ShapeError("a shortcut by subsampling cannot take " + std::to_string(features) + " channels to " +
                     std::to_string(outputs) + " (it only adds zero channels)");
  ConvSpec point;
  point.kernel_height = point.kernel_width = 1;
  point.stride = stride;
  output_ = conv_output(image, point);
}

Index Subsample::source(Index position) const {
  const Index column = position % output_.width, row = position / output_.width % output_.height;
  const Index image = position / (output_.width * output_.height);
  return (image * image_.height + row * stride_) * image_.width + column * stride_;
}

Vector Subsample::do_evaluate(const Vector& x) const {
  Vector y = Vector::Zero(output_shape().size());
  for (Index q = 0; q < output_.positions(); ++q)
    for (Index c = 0; c < features_; ++c) y(q * outputs_ + c) = x(source(q) * features_ + c);
  return y;
}

Linearization Subsample::do_linearize(const Vector& x) const {
  std::vector<Index> from;
  for (Index q = 0; q < output_.positions(); ++q) from.push_back(source(q));
  auto map = std::make_shared<SubsampleMap>(input_shape(), output_shape(), std::move(from));
  Vector y(map->rows());
  map->apply(x, y);
  return {std::move(y), std::move(map)};
}

}  // namespace rezero
