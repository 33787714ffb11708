#include "rezero/layers/norm.h"

#include <cmath>

#include "norm_map.h"
#include "rezero/core/contract.h"
#include "rezero/core/error.h"
#include "rezero/layers/activation.h"
#include "rezero/linalg/maps.h"

namespace rezero {
namespace {

void check_size(const std::shared_ptr<const Vector>& v, const char* name, Shape shape) {
  if (v && v->size() != shape.features)
    throw ShapeError("a norm's " + std::string(name) + " has " + std::to_string(v->size()) +
                     " numbers, expected " + std::to_string(shape.features));
}

Eigen::Map<const Matrix> by_position(const Vector& x, Shape shape) {
  return {x.data(), shape.features, shape.positions};
}

/// γ ⊙ Y + β in place, per position.
void affine(Vector& y, const NormSpec& spec, Shape shape) {
  Eigen::Map<Matrix> Y(y.data(), shape.features, shape.positions);
  if (spec.weight) Y.array().colwise() *= spec.weight->array();
  if (spec.bias) Y.colwise() += *spec.bias;
}

template <Standardization::Center center, Standardization::Scale scale>
LayerPtr make_standardization(const NormSpec& spec, Shape shape) {
  return std::make_shared<Standardization>(shape, spec, center, scale);
}

std::vector<NormKind> table() {
  using C = Standardization::Center;
  using S = Standardization::Scale;
  return {
      {"layer_norm",
       {"layernorm", "ln"},
       "(x - mean x) / sqrt(var x + eps) * weight + bias",
       "Ba, Kiros & Hinton 2016 (arXiv 1607.06450)",
       true,
       true,
       true,
       false,
       false,
       1,
       make_standardization<C::yes, S::root_mean_square>},
      {"rms_norm",
       {"rmsnorm", "rms"},
       "x / sqrt(mean x^2 + eps) * weight + bias",
       "Zhang & Sennrich 2019 (arXiv 1910.07467)",
       true,
       true,
       true,
       false,
       false,
       0,
       make_standardization<C::no, S::root_mean_square>},
      {"l2_norm",
       {"l2"},
       "x / ||x||",
       "Loshchilov et al. 2024 (arXiv 2410.01131)",
       false,
       false,
       false,
       false,
       false,
       1,
       make_standardization<C::no, S::euclidean>},
      {"dynamic_tanh",
       {"dyt"},
       "weight * tanh(alpha x) + bias",
       "Zhu et al. 2025 (arXiv 2503.10622)",
       false,
       true,
       true,
       true,
       false,
       0,
       [](const NormSpec& spec, Shape shape) -> LayerPtr {
         return std::make_shared<PointwiseNorm>(shape, spec, "tanh");
       }},
      {"derf",
       {},
       "weight * erf(alpha x) + bias",
       "2025 (arXiv 2512.10938)",
       false,
       true,
       true,
       true,
       false,
       0,
       [](const NormSpec& spec, Shape shape) -> LayerPtr {
         return std::make_shared<PointwiseNorm>(shape, spec, "erf");
       }},
      {"mean_subtraction",
       {},
       "x - mean x",
       "Yang et al. 2023 (arXiv 2310.02244)",
       false,
       false,
       false,
       false,
       true,
       1,
       [](const NormSpec&, Shape shape) -> LayerPtr { return std::make_shared<MeanSubtraction>(shape); }}};
}

}  // namespace

const Registry<NormKind>& norms() {
  static const Registry<NormKind> registry("norm", table());
  return registry;
}

NormSpec NormSpec::of(std::string_view name, Real eps) {
  NormSpec spec;
  spec.kind = &norms().at(name);
  spec.eps = eps;
  return spec;
}

Standardization::Standardization(Shape shape, const NormSpec& spec, Center center, Scale scale)
    : shape_(shape), spec_(spec), center_(center), scale_(scale) {
  check_size(spec_.weight, "weight", shape);
  check_size(spec_.bias, "bias", shape);
}

Vector Standardization::do_evaluate(const Vector& x) const {
  Vector y = x;
  for (Index t = 0; t < shape_.positions; ++t) {
    auto position = y.segment(t * shape_.features, shape_.features);
    if (center_ == Center::yes) position.array() -= position.mean();
    const Real square = position.squaredNorm();
    const Real s = scale_ == Scale::euclidean
                       ? std::sqrt(square)
                       : std::sqrt(square / static_cast<Real>(shape_.features) + spec_.eps);
    position /= s;
  }
  affine(y, spec_, shape_);
  return y;
}

Linearization Standardization::do_linearize(const Vector& x) const {
  NormMapParts parts;
  parts.shape = shape_;
  parts.center = center_ == Center::yes;
  parts.gamma = spec_.weight;
  parts.direction = x;
  parts.scale.resize(shape_.positions);
  const Real d = static_cast<Real>(shape_.features);
  const bool euclidean = scale_ == Scale::euclidean;
  parts.coefficient = Vector::Constant(shape_.positions, euclidean ? 1 : 1 / d);
  for (Index t = 0; t < shape_.positions; ++t) {
    Vector position = by_position(x, shape_).col(t);
    if (parts.center) position.array() -= position.sum() / d;
    const Real square = position.dot(position);
    const Real s = euclidean ? std::sqrt(square) : std::sqrt(square / d + spec_.eps);
    parts.scale(t) = 1 / s;
    parts.direction.segment(t * shape_.features, shape_.features) = position / s;
  }
  Vector y = parts.direction;
  affine(y, spec_, shape_);
  return {std::move(y), norm_map(std::move(parts))};
}

PointwiseNorm::PointwiseNorm(Shape shape, const NormSpec& spec, std::string_view activation)
    : shape_(shape), spec_(spec), activation_(activation) {
  check_size(spec_.weight, "weight", shape);
  check_size(spec_.bias, "bias", shape);
}

Vector PointwiseNorm::do_evaluate(const Vector& x) const {
  Vector y = Activation(activation_).value(spec_.alpha * x);
  affine(y, spec_, shape_);
  return y;
}

Linearization PointwiseNorm::do_linearize(const Vector& x) const {
  const Activation phi{std::string_view(activation_)};
  const Vector argument = spec_.alpha * x;
  Vector slope = spec_.alpha * phi.derivative(argument);
  if (spec_.weight)
    Eigen::Map<Matrix>(slope.data(), shape_.features, shape_.positions).array().colwise() *=
        spec_.weight->array();
  Vector y = phi.value(argument);
  affine(y, spec_, shape_);
  return {std::move(y), diagonal_map(std::move(slope), shape_.positions)};
}

Vector MeanSubtraction::do_evaluate(const Vector& x) const {
  Vector y = x;
  for (Index t = 0; t < shape_.positions; ++t) {
    auto position = y.segment(t * shape_.features, shape_.features);
    position.array() -= position.mean();
  }
  return y;
}

Linearization MeanSubtraction::do_linearize(const Vector& x) const {
  NormMapParts parts;
  parts.shape = shape_;
  parts.center = true;
  parts.scale = Vector::Ones(shape_.positions);
  const LinearMapPtr map = norm_map(std::move(parts));
  Vector y(x.size());
  map->apply(x, y);
  return {std::move(y), map};
}

}  // namespace rezero
