#include "accuracy/random_cell.h"

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "accuracy/splitmix.h"
#include "rezero/init/initializer.h"
#include "rezero/io/npy.h"

namespace rezero::reference {
namespace {

using Texts = std::initializer_list<std::string_view>;

/// Options as a plan file has them.
class Builder {
 public:
  Builder(std::uint64_t seed, std::uint64_t index) : draw_(seed, index) {}

  RandomCell take() {
    family_ = std::string(draw_.pick(families()).name);
    plan_["family"] = family_;
    plan_["scheme"] = with_parameters(draw_.pick(schemes()), {"0", "0.3", "1", "-0.5", "2"});
    if (families().at(family_).has_images())
      images();
    else
      vectors();
    weights();
    input();
    analysis();
    return {plan_options_from_json(plan_.dump(), "random"), std::move(npy_), typed(true), typed(false),
            draw_.one_in(4)};
  }

 private:
  template <class Kind>
  std::string with_parameters(const Kind& kind, Texts numbers) {
    std::string text(kind.name);
    for (const ParamInfo& info : kind.params) {
      if (info.kind == ParamKind::series || !draw_.one_in(2)) continue;
      if (!info.choices.empty() && (info.kind == ParamKind::choice || draw_.one_in(2))) {
        text += ":" + std::string(info.name) + "=" + std::string(draw_.pick(info.choices));
        continue;
      }
      const std::string_view number = draw_.pick(numbers);
      const Real value = parse_real(number, info.name);
      if (value < info.minimum || value > info.maximum) continue;
      text += ":" + std::string(info.name) + "=" + std::string(number);
    }
    return text;
  }

  void vectors() {
    const Family& family = families().at(family_);
    width_ = draw_.between(1, 6);
    if (family.has_tokens()) positions_ = draw_.between(1, std::min<Index>(4, 16 / width_));
    plan_["width"] = width_, plan_["depth"] = depth();
    if (family.has_tokens()) plan_["tokens"] = positions_;
    if (family.has_hidden()) plan_["hidden_ratio"] = draw_.pick(std::initializer_list<Real>{0.5, 1, 1, 2});
    if (family.has_attention()) attention();
    if (family.has_tokens() && draw_.one_in(6)) plan_["wrt"] = token();
    if (family.has_tokens() && draw_.one_in(6)) plan_["of"] = token();
  }

  void attention() {
    const Index heads = width_ % 2 == 0 && draw_.one_in(2) ? 2 : 1;
    plan_["heads"] = heads;
    if (heads > 1 && draw_.one_in(2)) plan_["kv_heads"] = 1;
    if (draw_.one_in(3)) plan_["causal"] = true;
    if (width_ / heads % 2 == 0 && draw_.one_in(3)) plan_["rope"] = true;
    if (draw_.one_in(3))
      plan_["qk_norm"] =
          draw_.pick(Texts{"layer_norm", "rms_norm", "l2_norm", "dynamic_tanh", "derf", "mean_subtraction"});
  }

  void images() {
    const Index height = draw_.between(1, 3), width = draw_.between(1, 9 / height / height);
    const Index batch = draw_.between(1, std::max<Index>(1, 6 / (height * width)));
    positions_ = height * width * batch;
    width_ = draw_.between(1, std::clamp<Index>(16 / positions_, 1, 4));
    plan_["image"] = std::to_string(height) + "x" + std::to_string(width);
    plan_["batch"] = batch;
    plan_["kernel"] = draw_.pick(std::initializer_list<Index>{1, 3, 3, 5});
    if (draw_.one_in(3)) plan_["padding"] = "circular";
    if (draw_.one_in(2)) plan_["order"] = std::string(draw_.pick(Texts{"post", "pre"}));
    if (draw_.one_in(2))
      plan_["norm"] = std::string(
          draw_.pick(Texts{"none", "batch_norm", "group_norm", "layer_norm", "rms_norm", "batch_norm_eval"}));
    if (draw_.one_in(6)) plan_["bn_statistics"] = "initial";
    if (draw_.one_in(6)) plan_["outer_activation"] = true;
    if (width_ % 4 == 0 && draw_.one_in(2)) plan_["bottleneck"] = true;
    draw_.one_in(3) ? stages() : one_stage();
  }
  void one_stage() { plan_["width"] = width_, plan_["depth"] = depth(); }
  /// Projections only where they follow the sum: their input before the norms of a pre block is not settled.
  void stages() {
    plan_["stages"] = std::to_string(draw_.between(1, 3)) + "," + std::to_string(draw_.between(1, 3));
    plan_["widths"] = std::to_string(width_) + "," + std::to_string(width_ * draw_.between(1, 2));
    plan_["shortcut"] = "subsample";
    if (plan_.value("order", "") == "post")
      plan_["shortcut"] = std::string(draw_.pick(Texts{"subsample", "projection"}));
  }

  /// The last depth, sometimes with one before it.
  std::string depth() {
    const Index last = draw_.one_in(12) ? draw_.between(13, 60) : draw_.between(1, 12);
    const Index other = draw_.one_in(6) ? draw_.between(1, last) : last;
    return other == last ? std::to_string(last) : std::to_string(other) + "," + std::to_string(last);
  }
  std::string token() { return "token:" + std::to_string(draw_.between(0, positions_ - 1)); }

  void weights() {
    if (families().at(family_).uses_activation())
      plan_["activation"] = with_parameters(draw_.pick(activations()), {"0.01", "0.5", "1", "-1"});
    if (draw_.one_in(2))
      plan_["init"] = with_parameters(draw_.pick(initializers()), {"0.02", "0.5", "1", "3"});
    if (draw_.one_in(8))
      plan_["init"] = "gaussian:sigma_w=" +
                      std::string(draw_.pick(Texts{"1e-10", "1e-4", "1e4", "1e10", "1e-78", "1e78"}));
    if (draw_.one_in(8)) plan_["tied"] = true;
    plan_["seed"] = draw_.between(0, 999999);
  }

  void input() {
    if (draw_.one_in(4)) plan_["input"] = std::string(draw_.pick(Texts{"sphere", "ones"}));
    if (!draw_.one_in(8)) return;
    const Real size = draw_.pick(std::initializer_list<Real>{1e-200, 1e-20, 1e-3, 0, 1e3, 1e20, 1e200});
    NpyArray array{{positions_, width_}, {}};
    for (Index i = 0; i < positions_ * width_; ++i) array.values.push_back(size * draw_.symmetric());
    plan_["input"] = "input.npy";
    npy_ = npy_bytes(array);
  }

  void analysis() {
    if (draw_.one_in(3)) plan_["final_norm"] = true;
    plan_["method"] =
        std::string(draw_.pick(Texts{"auto", "auto", "auto", "auto", "dense", "dense", "product", "product",
                                     "product", "jacobi", "bdcsvd", "spectra"}));
    const bool ends = plan_["method"] == "spectra" || draw_.one_in(6);
    if (ends && draw_.one_in(2)) plan_["top"] = draw_.between(1, 2);
    if (ends && (!plan_.contains("top") || draw_.one_in(2))) plan_["bottom"] = draw_.between(1, 2);
  }

  /// The options as a user types them: all, or those that select what is analyzed.
  std::string typed(bool all) const {
    std::string text;
    for (const auto& [key, value] : plan_.items()) {
      const std::initializer_list<std::string_view> of_the_look = {"final_norm", "method", "top",
                                                                   "bottom",     "wrt",    "of"};
      if (!all && std::find(of_the_look.begin(), of_the_look.end(), key) == of_the_look.end()) continue;
      std::string name = key;
      std::replace(name.begin(), name.end(), '_', '-');
      text += " --" + name;
      if (!value.is_boolean()) text += " " + (value.is_string() ? value.get<std::string>() : value.dump());
    }
    return text;
  }

  SplitMix draw_;
  nlohmann::ordered_json plan_;
  std::string family_, npy_;
  Index width_ = 1, positions_ = 1;
};

}  // namespace

RandomCell random_cell(std::uint64_t seed, std::uint64_t index) {
  return Builder(seed, index).take();
}

SweepPlan resolved(const RandomCell& cell) {
  ResolveContext context;
  context.read_file = [&cell](const std::string&) { return cell.input; };
  return resolve_plan(cell.options, context);
}

}  // namespace rezero::reference
