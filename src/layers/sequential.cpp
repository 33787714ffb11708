#include "rezero/layers/sequential.h"

#include <algorithm>

#include "rezero/core/error.h"
#include "rezero/linalg/maps.h"

namespace rezero {

Sequential::Sequential(std::vector<LayerPtr> layers) : layers_(std::move(layers)) {
  if (layers_.empty()) throw ShapeError("a sequence of layers needs at least one layer");
  for (std::size_t i = 1; i < layers_.size(); ++i)
    if (layers_[i]->input_shape().size() != layers_[i - 1]->output_shape().size())
      throw ShapeError(
          "layer " + std::to_string(i) + " takes " + std::to_string(layers_[i]->input_shape().size()) +
          " numbers, the layer before gives " + std::to_string(layers_[i - 1]->output_shape().size()));
}

bool Sequential::positively_homogeneous() const {
  return std::all_of(layers_.begin(), layers_.end(),
                     [](const LayerPtr& f) { return f->positively_homogeneous(); });
}

bool Sequential::piecewise_linear() const {
  return std::all_of(layers_.begin(), layers_.end(),
                     [](const LayerPtr& f) { return f->piecewise_linear(); });
}

Vector Sequential::do_evaluate(const Vector& x) const {
  Vector y = x;
  for (const LayerPtr& layer : layers_) y = layer->evaluate(y);
  return y;
}

Linearization Sequential::do_linearize(const Vector& x) const {
  Vector value = x;
  std::vector<LinearMapPtr> factors;
  for (const LayerPtr& layer : layers_) {
    Linearization step = layer->linearize(value);
    value = std::move(step.value);
    factors.push_back(std::move(step.derivative));
  }
  return {std::move(value), product_map(std::move(factors))};
}

}  // namespace rezero
