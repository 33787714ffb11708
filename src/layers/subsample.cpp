#include "rezero/layers/subsample.h"

#include <string>
#include <vector>

#include "rezero/core/error.h"
#include "rezero/linalg/maps.h"

namespace rezero {
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
  std::vector<Index> indices;  // −1: a channel that only the output has
  for (Index q = 0; q < output_.positions(); ++q)
    for (Index c = 0; c < outputs_; ++c) indices.push_back(c < features_ ? source(q) * features_ + c : -1);
  LinearMapPtr map = gather_map(x.size(), std::move(indices));
  Vector y(map->rows());
  map->apply(x, y);
  return {std::move(y), std::move(map)};
}

}  // namespace rezero
