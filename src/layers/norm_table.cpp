/// The table of norms, one row per name.

#include <algorithm>
#include <memory>
#include <string>

#include "rezero/core/contract.h"
#include "rezero/core/error.h"
#include "rezero/layers/norm.h"

namespace rezero {
namespace {

using Center = Standardization::Center;
using Scale = Standardization::Scale;

Index one_per_position(const NormSpec&, Shape shape) {
  return shape.positions;
}
Index one_per_feature(const NormSpec&, Shape shape) {
  return shape.features;
}
Index groups(const NormSpec& spec) {
  return static_cast<Index>(spec.param("groups"));
}
Index one_per_group(const NormSpec& spec, Shape) {
  return groups(spec) * spec.samples;
}

constexpr NormParam eps = {"eps", NormParam::Kind::constant, 1e-5, 0};
constexpr NormParam alpha = {"alpha", NormParam::Kind::trained, 0.5};

template <Center center, Scale scale>
LayerPtr standardization(const NormSpec& spec, Shape shape) {
  return std::make_shared<Standardization>(shape, spec, center, scale);
}

LayerPtr dynamic_tanh(const NormSpec& spec, Shape shape) {
  return std::make_shared<PointwiseNorm>(shape, spec, "tanh");
}
LayerPtr derf(const NormSpec& spec, Shape shape) {
  return std::make_shared<PointwiseNorm>(shape, spec, "erf");
}
LayerPtr mean_subtraction(const NormSpec&, Shape shape) {
  return std::make_shared<MeanSubtraction>(shape);
}
LayerPtr batch_norm(const NormSpec& spec, Shape shape) {
  return std::make_shared<SetStandardization>(shape, spec, Shape{1, shape.positions});
}
LayerPtr batch_norm_eval(const NormSpec& spec, Shape shape) {
  return std::make_shared<RunningNorm>(shape, spec);
}
LayerPtr group_norm(const NormSpec& spec, Shape shape) {
  const Index count = groups(spec);
  if (count < 1 || spec.samples < 1 || shape.features % count != 0 || shape.positions % spec.samples != 0)
    throw ShapeError(std::to_string(count) + " groups and " + std::to_string(spec.samples) +
                     " samples do not divide " + std::to_string(shape.features) + " features and " +
                     std::to_string(shape.positions) + " positions");
  return std::make_shared<SetStandardization>(shape, spec,
                                              Shape{shape.features / count, shape.positions / spec.samples});
}

std::vector<NormKind> table() {
  std::vector<NormKind> all;
  auto* kind = add_entry(all, "layer_norm");
  kind->aliases = {"layernorm", "ln"};
  kind->summary = "(x - mean x) / sqrt(var x + eps) * weight + bias";
  kind->source = "Ba, Kiros & Hinton 2016 (arXiv 1607.06450)";
  kind->numbers = {eps};
  kind->divides_by_size = true;
  kind->has_weight = kind->has_bias = true;
  kind->null_directions = one_per_position;
  kind->make = standardization<Center::yes, Scale::root_mean_square>;

  kind = add_entry(all, "rms_norm");
  kind->aliases = {"rmsnorm", "rms"};
  kind->summary = "x / sqrt(mean x^2 + eps) * weight + bias";
  kind->source = "Zhang & Sennrich 2019 (arXiv 1910.07467)";
  kind->numbers = {eps};
  kind->divides_by_size = true;
  kind->has_weight = kind->has_bias = true;
  kind->make = standardization<Center::no, Scale::root_mean_square>;

  kind = add_entry(all, "l2_norm");
  kind->aliases = {"l2"};
  kind->summary = "x / ||x||";
  kind->source = "Loshchilov et al. 2024 (arXiv 2410.01131)";
  kind->divides_by_size = true;
  kind->null_directions = one_per_position;
  kind->make = standardization<Center::no, Scale::euclidean>;

  kind = add_entry(all, "dynamic_tanh");
  kind->aliases = {"dyt"};
  kind->summary = "weight * tanh(alpha x) + bias";
  kind->source = "Zhu et al. 2025 (arXiv 2503.10622)";
  kind->numbers = {alpha};
  kind->has_weight = kind->has_bias = true;
  kind->make = dynamic_tanh;

  kind = add_entry(all, "derf");
  kind->summary = "weight * erf(alpha x) + bias";
  kind->source = "2025 (arXiv 2512.10938)";
  kind->numbers = {alpha};
  kind->has_weight = kind->has_bias = true;
  kind->make = derf;

  kind = add_entry(all, "mean_subtraction");
  kind->summary = "x - mean x";
  kind->source = "Yang et al. 2023 (arXiv 2310.02244)";
  kind->linear = true;
  kind->null_directions = one_per_position;
  kind->make = mean_subtraction;

  kind = add_entry(all, "batch_norm");
  kind->aliases = {"batchnorm", "bn"};
  kind->summary = "(x - mean x) / sqrt(var x + eps) * weight + bias, each feature over all positions";
  kind->source = "Ioffe & Szegedy 2015 (arXiv 1502.03167)";
  kind->numbers = {eps};
  kind->divides_by_size = true;
  kind->has_weight = kind->has_bias = true;
  kind->across_positions = true;
  kind->with_given_statistics = "batch_norm_eval";
  kind->null_directions = one_per_feature;
  kind->make = batch_norm;

  kind = add_entry(all, "batch_norm_eval");
  kind->aliases = {"batchnorm_eval", "bn_eval"};
  kind->summary = "(x - running_mean) / sqrt(running_var + eps) * weight + bias";
  kind->source = "Ioffe & Szegedy 2015 (arXiv 1502.03167)";
  kind->numbers = {eps};
  kind->has_weight = kind->has_bias = true;
  kind->has_running = true;
  kind->with_given_statistics = "batch_norm_eval";
  kind->linear = true;
  kind->make = batch_norm_eval;

  kind = add_entry(all, "group_norm");
  kind->aliases = {"groupnorm", "gn"};
  kind->summary =
      "(x - mean x) / sqrt(var x + eps) * weight + bias, each group of features over a sample's "
      "positions";
  kind->source = "Wu & He 2018 (arXiv 1803.08494)";
  kind->numbers = {eps, {"groups", NormParam::Kind::divisor, 1, 1}};
  kind->divides_by_size = true;
  kind->has_weight = kind->has_bias = true;
  kind->across_positions = true;
  kind->null_directions = one_per_group;
  kind->make = group_norm;

  return all;
}

}  // namespace

const Registry<NormKind>& norms() {
  static const Registry<NormKind> registry("norm", table());
  return registry;
}

NormSpec NormSpec::of(std::string_view name, Real eps) {
  NormSpec spec;
  spec.kind = &norms().at(name);
  if (spec.kind->find("eps")) spec.set("eps", eps);
  return spec;
}

const NormParam* NormKind::find(std::string_view param) const {
  const auto found =
      std::find_if(numbers.begin(), numbers.end(), [param](const NormParam& p) { return p.name == param; });
  return found == numbers.end() ? nullptr : &*found;
}

Real NormSpec::param(std::string_view name) const {
  const NormParam* declared = kind->find(name);
  REZERO_REQUIRE(declared);
  const auto set = params_.find(name);
  return set == params_.end() ? declared->fallback : set->second;
}

NormSpec& NormSpec::set(std::string_view name, Real value) {
  const NormParam* declared = kind->find(name);
  REZERO_REQUIRE(declared);
  params_[declared->name] = value;
  return *this;
}

bool NormSpec::has_zero_parameter() const {
  return (weight && weight->isZero(0)) ||
         std::any_of(kind->numbers.begin(), kind->numbers.end(), [this](const NormParam& p) {
           return p.kind == NormParam::Kind::trained && param(p.name) == 0;
         });
}

}  // namespace rezero
