#include "rezero/layers/layer.h"

#include <string>

#include "rezero/core/error.h"

namespace rezero {
namespace {

void check_input(const Layer& layer, const Vector& x) {
  if (x.size() != layer.input_shape().size())
    throw ShapeError("a layer of " + std::to_string(layer.input_shape().features) + " features × " +
                     std::to_string(layer.input_shape().positions) + " positions was given " +
                     std::to_string(x.size()) + " numbers");
}

}  // namespace

Vector Layer::evaluate(const Vector& x) const {
  check_input(*this, x);
  return do_evaluate(x);
}

Linearization Layer::linearize(const Vector& x) const {
  check_input(*this, x);
  return do_linearize(x);
}

}  // namespace rezero
