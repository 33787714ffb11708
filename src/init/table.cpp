/// The table of initializers, one row per name.

#include <algorithm>
#include <cmath>

#include "init/laws.h"
#include "rezero/linalg/haar.h"

namespace rezero {
namespace {

using Context = WeightContext;
constexpr Real torch_cut = 2;  // torch and timm cut at the value 2, not at two standard deviations

const ParamInfo law = {
    "law", ParamKind::choice, "normal", "distribution of the entries", {"normal", "uniform"}};

ParamInfo gain(std::string_view default_text) {
  return {"gain",       ParamKind::real_or_choice,
          default_text, "factor, or auto: the activation's own gain",
          {"auto"},     0.0};
}

Real inverse_sqrt(Index fan) {
  return 1 / std::sqrt(static_cast<Real>(fan));
}

EntryLaw he(const Context& context, const Params& params) {
  const Index fan = params.text("mode") == "fan_out" ? context.fan_out() : context.fan_in();
  return detail::law_of(params, detail::gain_of(context, params) * inverse_sqrt(fan));
}

EntryLaw xavier(const Context& context, const Params& params) {
  const Real std = std::sqrt(2.0) * inverse_sqrt(context.fan_in() + context.fan_out());
  return detail::law_of(params, detail::gain_of(context, params) * std);
}

EntryLaw lecun(const Context& context, const Params& params) {
  return detail::law_of(params, inverse_sqrt(context.fan_in()));
}

/// Of r × c numbers, min(r, c) unit vectors times the gain.
EntryLaw orthogonal_law(const Context& context, const Params& params) {
  return EntryLaw::fixed_square(detail::gain_of(context, params) *
                                inverse_sqrt(std::max(context.rows(), context.cols())));
}

Matrix orthogonal(const Context& context, const Params& params, const StreamKey& key) {
  return haar_orthogonal(context.rows(), context.cols(), key) * detail::gain_of(context, params);
}

EntryLaw delta_orthogonal_law(const Context& context, const Params& params) {
  return EntryLaw::fixed_square(detail::gain_of(context, params) *
                                inverse_sqrt(std::max(context.out, context.in) * context.taps));
}

/// Zero except for the centre of the kernel.
Matrix delta_orthogonal(const Context& context, const Params& params, const StreamKey& key) {
  const Matrix centre = haar_orthogonal(context.out, context.in, key) * detail::gain_of(context, params);
  Matrix W = Matrix::Zero(context.rows(), context.cols());
  for (Index c = 0; c < context.in; ++c) W.col(c * context.taps + context.taps / 2) = centre.col(c);
  return W;
}

EntryLaw gaussian(const Context& context, const Params& params) {
  return EntryLaw::normal(params.real("sigma_w") * inverse_sqrt(context.fan_in()));
}

EntryLaw gaussian_bias(const Context&, const Params& params) {
  return EntryLaw::normal(params.real("sigma_b"));
}

bool gaussian_has_bias(const Params& params) {
  return params.real("sigma_b") != 0;
}

EntryLaw normal(const Context&, const Params& params) {
  return EntryLaw::normal(params.real("std"));
}

EntryLaw trunc_normal(const Context&, const Params& params) {
  return EntryLaw::truncated_normal(params.real("std"), torch_cut);
}

/// Weights and biases of torch.nn.Linear.
EntryLaw torch_default(const Context& context, const Params&) {
  return EntryLaw::uniform(inverse_sqrt(context.fan_in()));
}

/// The fused (3d × d) matrix that torch.nn.MultiheadAttention draws for q, k and v at once: its bound is
/// √(6/(fan_in + fan_out)).
EntryLaw fused_xavier(const Context& context) {
  return EntryLaw::uniform(std::sqrt(6 / static_cast<Real>(4 * context.fan_in())));
}

EntryLaw torch_transformer(const Context& context, const Params& params) {
  return context.place == WeightPlace::attention_input ? fused_xavier(context)
                                                       : torch_default(context, params);
}

EntryLaw rezero_notebook(const Context& context, const Params&) {
  if (context.place == WeightPlace::attention_input) return fused_xavier(context);
  return EntryLaw::uniform(std::sqrt(6 / static_cast<Real>(context.fan_in() + context.fan_out())));
}

/// Attention's biases start at zero, the feed-forward layers' at torch's default.
EntryLaw transformer_bias(const Context& context, const Params& params) {
  return context.place == WeightPlace::feed_forward ? torch_default(context, params) : EntryLaw();
}

bool tied_says(const Params& params) {
  return params.text("tied") == "true";
}
bool always(const Params&) {
  return true;
}

std::vector<InitializerKind> table() {
  const ParamInfo mode = {
      "mode", ParamKind::choice, "fan_in", "which fan sets the variance", {"fan_in", "fan_out"}};
  const ParamInfo std_info = {"std", ParamKind::real, "0.02", "standard deviation of an entry", {}, 0.0};
  const ParamInfo sigma_w = {"sigma_w", ParamKind::real, "1", "weight scale: std is sigma_w/√fan_in", {},
                             0.0};
  const ParamInfo sigma_b = {
      "sigma_b", ParamKind::real, "0", "standard deviation of a bias; 0: no biases", {}, 0.0};
  std::vector<InitializerKind> all;
  auto* kind = add_entry(all, "he");
  kind->aliases = {"kaiming"};
  kind->summary = "keeps the mean square through relu layers";
  kind->formula = "std = gain/√fan";
  kind->source = "He, Zhang, Ren & Sun 2015";
  kind->params = {law, mode, gain("1.4142135623730951")};
  kind->law = he;

  kind = add_entry(all, "xavier");
  kind->aliases = {"glorot"};
  kind->summary = "compromise between forward and backward variance";
  kind->formula = "std = gain·√(2/(fan_in + fan_out))";
  kind->source = "Glorot & Bengio 2010";
  kind->params = {law, gain("1")};
  kind->law = xavier;

  kind = add_entry(all, "lecun");
  kind->summary = "keeps the mean square through linear layers";
  kind->formula = "std = 1/√fan_in";
  kind->source = "LeCun, Bottou, Orr & Müller 1998";
  kind->params = {law};
  kind->law = lecun;

  kind = add_entry(all, "orthogonal");
  kind->summary = "Haar-distributed orthonormal rows or columns, whichever are fewer";
  kind->formula = "W = gain·Q, std = gain/√max(fan_in, fan_out)";
  kind->source = "Saxe, McClelland & Ganguli 2014; Mezzadri 2007";
  kind->params = {gain("1")};
  kind->law = orthogonal_law;
  kind->weight = orthogonal;
  kind->factors_a_matrix = true;

  kind = add_entry(all, "delta-orthogonal");
  kind->aliases = {"delta_orthogonal"};
  kind->summary =
      "orthogonal at the kernel's centre, zero elsewhere; the same as orthogonal if there is no kernel";
  kind->formula = "W = gain·Q at the centre tap, Q out × in";
  kind->source = "Xiao et al. 2018 (arXiv 1806.05393)";
  kind->params = {gain("1")};
  kind->law = delta_orthogonal_law;
  kind->weight = delta_orthogonal;
  kind->factors_a_matrix = true;

  kind = add_entry(all, "gaussian");
  kind->summary = "the mean-field parametrization, biases if sigma_b is not 0";
  kind->formula = "std = sigma_w/√fan_in, bias std = sigma_b";
  kind->source = "Poole et al. 2016; Schoenholz et al. 2017";
  kind->params = {sigma_w, sigma_b};
  kind->law = gaussian;
  kind->bias_law = gaussian_bias;
  kind->has_bias = gaussian_has_bias;

  kind = add_entry(all, "normal");
  kind->summary = "the same standard deviation for every width (GPT-2, BERT)";
  kind->formula = "std = std";
  kind->source = "Radford et al. 2019; Devlin et al. 2019";
  kind->params = {std_info};
  kind->law = normal;

  kind = add_entry(all, "trunc-normal");
  kind->summary = "normal cut at ±2, outliers drawn again; at std 0.02 the cut is never reached";
  kind->formula = "std·N(0, 1) given |entry| ≤ 2";
  kind->source = "trunc_normal_ of torch and timm";
  kind->params = {std_info};
  kind->law = trunc_normal;

  kind = add_entry(all, "torch-default");
  kind->summary = "the weights and biases of torch.nn.Linear";
  kind->formula = "U(−1/√fan_in, 1/√fan_in), std = 1/√(3 fan_in)";
  kind->source = "torch.nn.Linear.reset_parameters";
  kind->law = torch_default;
  kind->bias_law = torch_default;

  kind = add_entry(all, "torch-transformer");
  kind->summary =
      "torch.nn.TransformerEncoder: fused q/k/v, torch defaults for the rest, every layer a copy of one";
  kind->formula = "q, k, v: U(±√(6/(4d))), bias 0; output: U(±1/√fan_in), bias 0; others as torch-default";
  kind->source = "torch.nn.MultiheadAttention and TransformerEncoder; the ReZero authors' layer";
  kind->params = {{"tied",
                   ParamKind::choice,
                   "true",
                   "copies of one layer, as TransformerEncoder makes them",
                   {"true", "false"}}};
  kind->law = torch_transformer;
  kind->bias_law = transformer_bias;
  kind->tied_weights = tied_says;
  kind->tied_biases = tied_says;
  kind->fused_attention = true;

  kind = add_entry(all, "rezero-notebook");
  kind->summary =
      "the ReZero authors' notebook: every matrix redrawn xavier-uniform, biases of the copied layer kept";
  kind->formula =
      "q, k, v: U(±√(6/(4d))); others U(±√(6/(fan_in + fan_out))); feed-forward biases U(±1/√fan_in), equal "
      "in all layers";
  kind->source = "Bachlechner et al. 2021 (arXiv 2003.04887), code";
  kind->law = rezero_notebook;
  kind->bias_law = transformer_bias;
  kind->tied_biases = always;
  kind->fused_attention = true;

  return all;
}

}  // namespace

const Registry<InitializerKind>& initializers() {
  static const Registry<InitializerKind> registry("initializer", table());
  return registry;
}

}  // namespace rezero
