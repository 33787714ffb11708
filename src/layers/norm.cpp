#include "rezero/layers/norm.h"

#include <cmath>
#include <limits>

#include "linalg/unit.h"
#include "norm_map.h"
#include "norm_unit.h"
#include "rezero/core/error.h"
#include "rezero/layers/activation.h"
#include "rezero/linalg/maps.h"
#include "set_norm_map.h"

namespace rezero {
namespace {

void check_size(const std::shared_ptr<const Vector>& v, const char* name, Shape shape) {
  if (v && v->size() != shape.features)
    throw ShapeError("a norm's " + std::string(name) + " has " + std::to_string(v->size()) +
                     " numbers, expected " + std::to_string(shape.features));
}

Eigen::Map<Matrix> by_position(Vector& x, Shape shape) {
  return {x.data(), shape.features, shape.positions};
}
Eigen::Map<const Matrix> by_position(const Vector& x, Shape shape) {
  return {x.data(), shape.features, shape.positions};
}

}  // namespace

NormLayer::NormLayer(Shape shape, const NormSpec& spec) : shape_(shape), spec_(spec) {
  check_size(spec_.weight, "weight", shape);
  check_size(spec_.bias, "bias", shape);
  check_size(spec_.running_mean, "running mean", shape);
  check_size(spec_.running_var, "running variance", shape);
}

Vector NormLayer::affine(Vector y) const {
  Eigen::Map<Matrix> Y = by_position(y, shape_);
  if (spec_.weight) Y.array().colwise() *= spec_.weight->array();
  if (spec_.bias) Y.colwise() += *spec_.bias;
  return y;
}

Vector NormLayer::at_positions(const Vector& per_feature) const {
  return per_feature.replicate(shape_.positions, 1);
}

Real Standardization::mean_square(Real square) const {
  return scale_ == Scale::euclidean ? square : square / static_cast<Real>(shape_.features);
}

Vector Standardization::do_evaluate(const Vector& x) const {
  const Real eps = spec_.eps();
  Vector y = x;
  for (Index t = 0; t < shape_.positions; ++t) {
    auto position = y.segment(t * shape_.features, shape_.features);
    const detail::NormUnit unit(position, eps);
    if (center_ == Center::yes) position.array() -= position.mean();
    position /= unit.deviation(mean_square(position.squaredNorm())).significand;
  }
  return affine(std::move(y));
}

Linearization Standardization::do_linearize(const Vector& x) const {
  NormMapParts parts;
  parts.shape = shape_;
  parts.center = center_ == Center::yes;
  parts.gamma = spec_.weight;
  parts.direction = x;
  parts.scale.resize(shape_.positions);
  const Real d = static_cast<Real>(shape_.features), eps = spec_.eps();
  parts.coefficient = Vector::Constant(shape_.positions, scale_ == Scale::euclidean ? 1 : 1 / d);
  for (Index t = 0; t < shape_.positions; ++t) {
    Vector position = by_position(x, shape_).col(t);
    const detail::NormUnit unit(position, eps);
    if (parts.center) position.array() -= position.sum() / d;
    const detail::Deviation s = unit.deviation(mean_square(position.dot(position)));
    parts.scale(t) = s.inverse();
    parts.direction.segment(t * shape_.features, shape_.features) = position / s.significand;
  }
  Vector y = affine(parts.direction);
  return {std::move(y), norm_map(std::move(parts))};
}

SetStandardization::SetStandardization(Shape shape, const NormSpec& spec, Shape set)
    : NormLayer(shape, spec), set_(set) {
  if (set.size() < 1 || shape.features % set.features != 0 || shape.positions % set.positions != 0)
    throw ShapeError("a norm's sets of " + std::to_string(set.features) + " features × " +
                     std::to_string(set.positions) + " positions do not divide " +
                     std::to_string(shape.features) + " × " + std::to_string(shape.positions));
}

Vector SetStandardization::do_evaluate(const Vector& x) const {
  const Real eps = spec_.eps();
  Vector y = x;
  Eigen::Map<Matrix> Y = by_position(y, shape_);
  for (Index t = 0; t < shape_.positions; t += set_.positions)
    for (Index i = 0; i < shape_.features; i += set_.features) {
      Matrix set = Y.block(i, t, set_.features, set_.positions);
      const detail::NormUnit unit(set, eps);
      set.array() -= set.mean();
      const Real variance = set.squaredNorm() / static_cast<Real>(set.size());
      if (set.size() > 1) set /= unit.deviation(variance).significand;  // otherwise 0, for any ε
      Y.block(i, t, set_.features, set_.positions) = set;
    }
  return affine(std::move(y));
}

Linearization SetStandardization::do_linearize(const Vector& x) const {
  SetNormMapParts parts{shape_, set_, x, Matrix(shape_.features, shape_.positions / set_.positions),
                        spec_.weight ? *spec_.weight : Vector(Vector::Ones(shape_.features))};
  const Real size = static_cast<Real>(set_.size()), eps = spec_.eps();
  for (Index run = 0; run < parts.scale.cols(); ++run)
    for (Index i = 0; i < shape_.features; i += set_.features) {
      auto set =
          by_position(parts.direction, shape_).block(i, run * set_.positions, set_.features, set_.positions);
      Matrix centered = set;
      const detail::NormUnit unit(centered, eps);
      centered.array() -= centered.sum() / size;
      const detail::Deviation s = unit.deviation(centered.cwiseAbs2().sum() / size);
      set = centered * (size == 1 ? 0 : 1 / s.significand);
      parts.scale.col(run).segment(i, set_.features).setConstant(size == 1 ? 0 : s.inverse());
    }
  Vector y = affine(parts.direction);
  return {std::move(y), set_norm_map(std::move(parts))};
}

RunningNorm::RunningNorm(Shape shape, const NormSpec& spec)
    : NormLayer(shape, spec),
      slope_((spec.running_var ? *spec.running_var : Vector(Vector::Ones(shape.features))).array() +
             spec.eps()) {
  slope_ = slope_.cwiseSqrt().cwiseInverse();
}

Vector RunningNorm::do_evaluate(const Vector& x) const {
  Vector y = x;
  Eigen::Map<Matrix> Y = by_position(y, shape_);
  Y *= 0.5;  // the difference may exceed the range of double although its product with the slope does not
  if (spec_.running_mean) Y.colwise() -= 0.5 * *spec_.running_mean;
  Y.array().colwise() *= 2 * slope_.array();
  return affine(std::move(y));
}

Linearization RunningNorm::do_linearize(const Vector& x) const {
  const Vector slope = spec_.weight ? Vector(slope_.cwiseProduct(*spec_.weight)) : slope_;
  Vector y = 0.5 * x;
  if (spec_.running_mean) y -= at_positions(0.5 * *spec_.running_mean);
  y.array() *= at_positions(2 * slope).array();
  if (spec_.bias) y += at_positions(*spec_.bias);
  return {std::move(y), diagonal_map(at_positions(slope), shape_.positions)};
}

Vector PointwiseNorm::argument(const Vector& x) const {
  constexpr Real largest = std::numeric_limits<Real>::max();  // where tanh and erf have long been ±1
  return x.unaryExpr([alpha = spec_.param("alpha")](Real entry) {
    const Real product = alpha * entry;
    return std::isinf(product) && std::isfinite(entry) ? std::copysign(largest, product) : product;
  });
}

Vector PointwiseNorm::do_evaluate(const Vector& x) const {
  return affine(Activation(activation_).value(argument(x)));
}

Linearization PointwiseNorm::do_linearize(const Vector& x) const {
  const Activation phi{std::string_view(activation_)};
  const Vector at = argument(x);
  const Activation::Values both = phi.both(at);
  Vector slope = spec_.param("alpha") * both.slope;
  if (spec_.weight) by_position(slope, shape_).array().colwise() *= spec_.weight->array();
  return {affine(both.value), diagonal_map(std::move(slope), shape_.positions)};
}

namespace {

/// A power of two that keeps sums of these numbers within the range of double.
Real headroom(const Vector& x) {
  return x.cwiseAbs().maxCoeff() > 0x1p900 ? 0x1p-64 : 1;
}

}  // namespace

Vector MeanSubtraction::do_evaluate(const Vector& x) const {
  const Real room = headroom(x);
  Vector y = room * x;
  for (Index t = 0; t < shape_.positions; ++t) {
    auto position = y.segment(t * shape_.features, shape_.features);
    position.array() -= position.mean();
  }
  return y / room;
}

Linearization MeanSubtraction::do_linearize(const Vector& x) const {
  NormMapParts parts;
  parts.shape = shape_;
  parts.center = true;
  parts.scale = Vector::Ones(shape_.positions);
  const LinearMapPtr map = norm_map(std::move(parts));
  const Real room = headroom(x);
  Vector y(x.size());
  map->apply(room * x, y);
  return {y / room, map};
}

}  // namespace rezero
