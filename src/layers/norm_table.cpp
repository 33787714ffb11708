/// The norms that can be named: one row each.

#include <memory>
#include <string>

#include "rezero/core/error.h"
#include "rezero/layers/norm.h"

namespace rezero {
namespace {

using Center = Standardization::Center;
using Scale = Standardization::Scale;

Index none(const NormSpec&, Shape) {
  return 0;
}
Index one_per_position(const NormSpec&, Shape shape) {
  return shape.positions;
}
Index one_per_feature(const NormSpec&, Shape shape) {
  return shape.features;
}
Index one_per_group(const NormSpec& spec, Shape) {
  return spec.groups * spec.samples;
}

/// A row under construction; what is not said is absent.
struct Row : NormKind {
  Row(std::string_view its_name, std::vector<std::string_view> its_aliases, std::string_view its_formula,
      std::string_view its_source, LayerPtr (*its_make)(const NormSpec&, Shape)) {
    name = its_name, aliases = std::move(its_aliases), formula = its_formula, source = its_source;
    make = its_make, null_directions = none;
  }
  Row eps() && { return has_eps = true, *this; }
  Row affine() && { return has_weight = has_bias = true, *this; }
  Row alpha() && { return has_alpha = true, *this; }
  Row running() && { return has_running = true, *this; }
  Row groups() && { return has_groups = true, *this; }
  Row over_size() && { return divides_by_size = true, *this; }
  Row of_degree_one() && { return linear = true, *this; }
  Row over_positions() && { return across_positions = true, *this; }
  Row nulls(Index (*count)(const NormSpec&, Shape)) && { return null_directions = count, *this; }
};

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
  if (spec.groups < 1 || spec.samples < 1 || shape.features % spec.groups != 0 ||
      shape.positions % spec.samples != 0)
    throw ShapeError(std::to_string(spec.groups) + " groups and " + std::to_string(spec.samples) +
                     " samples do not divide " + std::to_string(shape.features) + " features and " +
                     std::to_string(shape.positions) + " positions");
  return std::make_shared<SetStandardization>(
      shape, spec, Shape{shape.features / spec.groups, shape.positions / spec.samples});
}

std::vector<NormKind> table() {
  return {
      Row("layer_norm", {"layernorm", "ln"}, "(x - mean x) / sqrt(var x + eps) * weight + bias",
          "Ba, Kiros & Hinton 2016 (arXiv 1607.06450)", standardization<Center::yes, Scale::root_mean_square>)
          .over_size()
          .eps()
          .affine()
          .nulls(one_per_position),
      Row("rms_norm", {"rmsnorm", "rms"}, "x / sqrt(mean x^2 + eps) * weight + bias",
          "Zhang & Sennrich 2019 (arXiv 1910.07467)", standardization<Center::no, Scale::root_mean_square>)
          .over_size()
          .eps()
          .affine(),
      Row("l2_norm", {"l2"}, "x / ||x||", "Loshchilov et al. 2024 (arXiv 2410.01131)",
          standardization<Center::no, Scale::euclidean>)
          .over_size()
          .nulls(one_per_position),
      Row("dynamic_tanh", {"dyt"}, "weight * tanh(alpha x) + bias", "Zhu et al. 2025 (arXiv 2503.10622)",
          dynamic_tanh)
          .affine()
          .alpha(),
      Row("derf", {}, "weight * erf(alpha x) + bias", "2025 (arXiv 2512.10938)", derf).affine().alpha(),
      Row("mean_subtraction", {}, "x - mean x", "Yang et al. 2023 (arXiv 2310.02244)", mean_subtraction)
          .of_degree_one()
          .nulls(one_per_position),
      Row("batch_norm", {"batchnorm", "bn"},
          "(x - mean x) / sqrt(var x + eps) * weight + bias, each feature over all positions",
          "Ioffe & Szegedy 2015 (arXiv 1502.03167)", batch_norm)
          .over_size()
          .eps()
          .affine()
          .over_positions()
          .nulls(one_per_feature),
      Row("batch_norm_eval", {"batchnorm_eval", "bn_eval"},
          "(x - running_mean) / sqrt(running_var + eps) * weight + bias",
          "Ioffe & Szegedy 2015 (arXiv 1502.03167)", batch_norm_eval)
          .eps()
          .affine()
          .running()
          .of_degree_one(),
      Row("group_norm", {"groupnorm", "gn"},
          "(x - mean x) / sqrt(var x + eps) * weight + bias, each group of features over a sample's "
          "positions",
          "Wu & He 2018 (arXiv 1803.08494)", group_norm)
          .over_size()
          .eps()
          .affine()
          .groups()
          .over_positions()
          .nulls(one_per_group),
  };
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

}  // namespace rezero
