/// The norms that can be named: one row each.

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

Index none(const NormSpec&, Shape) {
  return 0;
}
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

/// A row under construction; what is not said is absent.
struct Row : NormKind {
  Row(std::string_view its_name, std::vector<std::string_view> its_aliases, std::string_view its_formula,
      std::string_view its_source, LayerPtr (*its_make)(const NormSpec&, Shape)) {
    name = its_name, aliases = std::move(its_aliases), formula = its_formula, source = its_source;
    make = its_make, null_directions = none;
  }
  Row with(NormParam param) && {
    params.push_back(param);
    return *this;
  }
  Row affine() && {
    has_weight = has_bias = true;
    return *this;
  }
  Row running() && {
    has_running = true;
    return *this;
  }
  Row over_size() && {
    divides_by_size = true;
    return *this;
  }
  Row of_degree_one() && {
    linear = true;
    return *this;
  }
  Row over_positions() && {
    across_positions = true;
    return *this;
  }
  Row fixed_by(std::string_view kind) && {
    with_given_statistics = kind;
    return *this;
  }
  Row nulls(Index (*count)(const NormSpec&, Shape)) && {
    null_directions = count;
    return *this;
  }
};

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
  return {
      Row("layer_norm", {"layernorm", "ln"}, "(x - mean x) / sqrt(var x + eps) * weight + bias",
          "Ba, Kiros & Hinton 2016 (arXiv 1607.06450)", standardization<Center::yes, Scale::root_mean_square>)
          .over_size()
          .with(eps)
          .affine()
          .nulls(one_per_position),
      Row("rms_norm", {"rmsnorm", "rms"}, "x / sqrt(mean x^2 + eps) * weight + bias",
          "Zhang & Sennrich 2019 (arXiv 1910.07467)", standardization<Center::no, Scale::root_mean_square>)
          .over_size()
          .with(eps)
          .affine(),
      Row("l2_norm", {"l2"}, "x / ||x||", "Loshchilov et al. 2024 (arXiv 2410.01131)",
          standardization<Center::no, Scale::euclidean>)
          .over_size()
          .nulls(one_per_position),
      Row("dynamic_tanh", {"dyt"}, "weight * tanh(alpha x) + bias", "Zhu et al. 2025 (arXiv 2503.10622)",
          dynamic_tanh)
          .affine()
          .with(alpha),
      Row("derf", {}, "weight * erf(alpha x) + bias", "2025 (arXiv 2512.10938)", derf).affine().with(alpha),
      Row("mean_subtraction", {}, "x - mean x", "Yang et al. 2023 (arXiv 2310.02244)", mean_subtraction)
          .of_degree_one()
          .nulls(one_per_position),
      Row("batch_norm", {"batchnorm", "bn"},
          "(x - mean x) / sqrt(var x + eps) * weight + bias, each feature over all positions",
          "Ioffe & Szegedy 2015 (arXiv 1502.03167)", batch_norm)
          .over_size()
          .with(eps)
          .affine()
          .over_positions()
          .fixed_by("batch_norm_eval")
          .nulls(one_per_feature),
      Row("batch_norm_eval", {"batchnorm_eval", "bn_eval"},
          "(x - running_mean) / sqrt(running_var + eps) * weight + bias",
          "Ioffe & Szegedy 2015 (arXiv 1502.03167)", batch_norm_eval)
          .with(eps)
          .affine()
          .running()
          .fixed_by("batch_norm_eval")
          .of_degree_one(),
      Row("group_norm", {"groupnorm", "gn"},
          "(x - mean x) / sqrt(var x + eps) * weight + bias, each group of features over a sample's "
          "positions",
          "Wu & He 2018 (arXiv 1803.08494)", group_norm)
          .over_size()
          .with(eps)
          .affine()
          .with({"groups", NormParam::Kind::divisor, 1, 1})
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
  if (spec.kind->find("eps")) spec.set("eps", eps);
  return spec;
}

const NormParam* NormKind::find(std::string_view param) const {
  const auto found =
      std::find_if(params.begin(), params.end(), [param](const NormParam& p) { return p.name == param; });
  return found == params.end() ? nullptr : &*found;
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
         std::any_of(kind->params.begin(), kind->params.end(), [this](const NormParam& p) {
           return p.kind == NormParam::Kind::trained && param(p.name) == 0;
         });
}

}  // namespace rezero
