#include "rezero/init/entry_law.h"

#include <cmath>
#include <map>

#include "init/laws.h"
#include "rezero/core/contract.h"

namespace rezero {
namespace {

using Context = WeightContext;

EntryLaw normal(Real std) {
  return {std, 3, 15};
}
EntryLaw uniform(Real bound) {
  return {bound / std::sqrt(Real{3}), Real{9} / 5, Real{27} / 7};
}
EntryLaw of_law(const Params& params, Real std) {
  return params.text("law") == "uniform" ? uniform(std::sqrt(Real{3}) * std) : normal(std);
}

Real inverse_sqrt(Index fan) {
  return 1 / std::sqrt(static_cast<Real>(fan));
}

/// N(0, s²) given |w| ≤ c s: with r = 2 φ(c)/(2Φ(c) − 1), E z² = 1 − c r, E z⁴ = 3 E z² − c³ r and
/// E z⁶ = 5 E z⁴ − c⁵ r.
EntryLaw truncated(Real s, Real cut) {
  if (s == 0) return normal(0);
  const Real c = cut / s;
  const Real density = std::exp(-c * c / 2) / std::sqrt(2 * std::acos(Real{-1}));
  const Real r = 2 * density / std::erf(c / std::sqrt(Real{2}));
  if (c < 0.1) return uniform(cut);  // the differences below cancel; the normal is flat to 0.5 % there
  const Real second = 1 - c * r, fourth = 3 * second - std::pow(c, 3) * r,
             sixth = 5 * fourth - std::pow(c, 5) * r;
  return {s * std::sqrt(second), fourth / (second * second), sixth / std::pow(second, 3)};
}

EntryLaw he(const Context& at, const Params& params) {
  const Index fan = params.text("mode") == "fan_out" ? at.fan_out() : at.fan_in();
  return of_law(params, detail::gain_of(at, params) * inverse_sqrt(fan));
}
EntryLaw xavier(const Context& at, const Params& params) {
  return of_law(params,
                detail::gain_of(at, params) * std::sqrt(Real{2}) * inverse_sqrt(at.fan_in() + at.fan_out()));
}
EntryLaw lecun(const Context& at, const Params& params) {
  return of_law(params, inverse_sqrt(at.fan_in()));
}
EntryLaw orthogonal(const Context& at, const Params& params) {
  return fixed_square_law(detail::gain_of(at, params) * inverse_sqrt(std::max(at.rows(), at.cols())));
}
EntryLaw delta_orthogonal(const Context& at, const Params& params) {
  return fixed_square_law(detail::gain_of(at, params) * inverse_sqrt(std::max(at.out, at.in) * at.taps));
}
EntryLaw gaussian(const Context& at, const Params& params) {
  return normal(params.real("sigma_w") * inverse_sqrt(at.fan_in()));
}
EntryLaw fixed_normal(const Context&, const Params& params) {
  return normal(params.real("std"));
}
EntryLaw trunc_normal(const Context&, const Params& params) {
  return truncated(params.real("std"), 2);
}
EntryLaw torch_default(const Context& at, const Params&) {
  return uniform(inverse_sqrt(at.fan_in()));
}
EntryLaw fused_xavier(const Context& at) {
  return uniform(std::sqrt(6 / static_cast<Real>(4 * at.fan_in())));
}
EntryLaw torch_transformer(const Context& at, const Params& params) {
  return at.place == WeightPlace::attention_input ? fused_xavier(at) : torch_default(at, params);
}
EntryLaw rezero_notebook(const Context& at, const Params&) {
  if (at.place == WeightPlace::attention_input) return fused_xavier(at);
  return uniform(std::sqrt(6 / static_cast<Real>(at.fan_in() + at.fan_out())));
}

EntryLaw gaussian_bias(const Context&, const Params& params) {
  return normal(params.real("sigma_b"));
}
EntryLaw transformer_bias(const Context& at, const Params& params) {
  return at.place == WeightPlace::feed_forward ? torch_default(at, params) : normal(0);
}

using Law = EntryLaw (*)(const Context&, const Params&);
struct Laws {
  Law weight, bias;
};

/// By the names of the table of initializers; a test demands a row for each.
const std::map<std::string_view, Laws>& laws() {
  static const std::map<std::string_view, Laws> all = {
      {"he", {he, nullptr}},
      {"xavier", {xavier, nullptr}},
      {"lecun", {lecun, nullptr}},
      {"orthogonal", {orthogonal, nullptr}},
      {"delta-orthogonal", {delta_orthogonal, nullptr}},
      {"gaussian", {gaussian, gaussian_bias}},
      {"normal", {fixed_normal, nullptr}},
      {"trunc-normal", {trunc_normal, nullptr}},
      {"torch-default", {torch_default, torch_default}},
      {"torch-transformer", {torch_transformer, transformer_bias}},
      {"rezero-notebook", {rezero_notebook, transformer_bias}},
  };
  return all;
}

const Laws& laws_of(const Initializer& init) {
  const auto found = laws().find(init.kind().name);
  REZERO_REQUIRE(found != laws().end());
  return found->second;
}

}  // namespace

EntryLaw EntryLaw::times(Real gain) const {
  EntryLaw scaled = *this;
  scaled.std *= std::abs(gain);
  return scaled;
}

EntryLaw fixed_square_law(Real std) {
  return {std, 1, 1};
}

EntryLaw weight_law(const Initializer& init, const WeightContext& context) {
  return laws_of(init).weight(context, init.params());
}

EntryLaw bias_law(const Initializer& init, const WeightContext& context) {
  const Law bias = laws_of(init).bias;
  return bias && init.has_bias() ? bias(context, init.params()) : EntryLaw{};
}

}  // namespace rezero
