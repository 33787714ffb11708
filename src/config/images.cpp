#include "config/images.h"

#include <algorithm>

#include "config/axes.h"
#include "config/options.h"
#include "rezero/config/list.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"

namespace rezero::detail {
namespace {

void resolve_stages(SweepPlan& plan, const PlanOptions& options) {
  ConvNetSpec& net = plan.conv;
  if (!options.stages) {
    if (options.widths) throw UsageError("--widths needs --stages (one channel count per stage)");
    if (options.shortcut)
      throw UsageError("--shortcut needs --stages (only the first block of a later stage has one)");
    return;
  }
  net.stages = *options.stages;
  if (options.width)
    throw UsageError(
        "--width and --stages contradict each other (--widths gives the channels of each stage)");
  if (!options.widths) throw UsageError("--stages needs --widths (one channel count per stage)");
  net.widths = *options.widths;
  if (net.widths.size() != net.stages.size())
    throw UsageError("--stages has " + std::to_string(net.stages.size()) + " entries, --widths " +
                     std::to_string(net.widths.size()) + " (give one channel count per stage)");
  plan.widths = {net.widths.front()};
}

/// The images of later stages, and the channels of inner convolutions.
void require_fit(const SweepPlan& plan) {
  const ConvNetSpec& net = plan.conv;
  const std::vector<Index>& widths = net.staged() ? net.widths : plan.widths;
  for (const Index width : widths)
    if (net.bottleneck && width % bottleneck_ratio != 0)
      throw UsageError("--bottleneck needs channels that are a multiple of " +
                       std::to_string(bottleneck_ratio) + ", got " + std::to_string(width));
  ImageSpec image = net.image;
  for (std::size_t stage = 1; stage < net.stages.size(); ++stage) {
    if (net.padding == Padding::circular && (image.height % 2 != 0 || image.width % 2 != 0))
      throw UsageError("--padding circular needs even images before each stage, got " +
                       std::to_string(image.height) + "x" + std::to_string(image.width));
    ConvSpec halving;
    halving.stride = 2;
    image = conv_output(image, halving);
  }
  for (const AxisEntry<SchemeSpec>& entry : plan.schemes.entries()) {
    const ShortcutKind shortcut = net.shortcut.value_or(entry.base().scheme().conv.shortcut);
    if (shortcut == ShortcutKind::subsample && !std::is_sorted(net.widths.begin(), net.widths.end()))
      throw UsageError(
          "scheme '" + entry.canonical() +
          "': a shortcut by subsampling only adds channels, and --widths decrease (use --shortcut "
          "projection)");
  }
}

void require_groups(const SweepPlan& plan) {
  if (!plan.conv.norm || !*plan.conv.norm) return;
  const NormSpec& norm = *plan.conv.norm;
  std::vector<Index> channels = plan.conv.staged() ? plan.conv.widths : plan.widths;
  if (plan.conv.bottleneck)
    for (std::size_t i = 0, count = channels.size(); i < count; ++i)
      channels.push_back(channels[i] / bottleneck_ratio);
  for (const NormParam& param : norm.kind->numbers)
    for (const Index width : channels)
      if (const Real value = norm.param(param.name);
          param.kind == NormParam::Kind::divisor && width % static_cast<Index>(value) != 0)
        throw UsageError("--norm " + std::string(norm.kind->name) + ": " + std::string(param.name) + "=" +
                         shortest(value) + " does not divide " + std::to_string(width) + " channels");
}

/// Statistics of a new net only apply to batch norms, so some scheme must have one.
void require_batch_norm(const SweepPlan& plan) {
  const ConvNetSpec& net = plan.conv;
  if (!net.initial_statistics) return;
  const auto has = [&net](const AxisEntry<SchemeSpec>& entry) {
    const std::string_view own = entry.base().scheme().conv.norm;
    const NormKind* kind = net.norm ? net.norm->kind : own.empty() ? nullptr : &norms().at(own);
    return kind && !kind->with_given_statistics.empty();
  };
  if (std::none_of(plan.schemes.entries().begin(), plan.schemes.entries().end(), has))
    throw UsageError("--bn-statistics initial needs a batch norm (use --norm batch_norm)");
}

/// Checked before the sizes of a state, or of a convolution's row of weights, are multiplied as integers.
void require_countable_images(const SweepPlan& plan) {
  const ImageSpec& image = plan.conv.image;
  const auto kernel = static_cast<Real>(plan.conv.kernel);
  const std::vector<Index>& widths = plan.conv.staged() ? plan.conv.widths : plan.widths;
  require_countable(
      widths,
      static_cast<Real>(image.batch) * static_cast<Real>(image.height) * static_cast<Real>(image.width),
      "channels × --image × --batch");
  for (const Index width : widths)
    if (static_cast<Real>(width) * kernel * kernel > most_numbers)
      throw UsageError("--kernel " + std::to_string(plan.conv.kernel) + " is too large for " +
                       std::to_string(width) + " channels");
}

}  // namespace

ImageSpec image_of(const std::string& text, std::string_view option) {
  const std::size_t by = text.find('x');
  if (by == std::string::npos)
    throw UsageError(std::string(option) + " '" + printable(text) + "' is not HEIGHTxWIDTH, as 8x8");
  ImageSpec image;
  image.height = parse_count(std::string_view(text).substr(0, by), option);
  image.width = parse_count(std::string_view(text).substr(by + 1), option);
  return image;
}

NormSpec conv_norm_of(const std::string& text) {
  const NamedSpec named = parse_named_spec(text);
  if (named.name == "none" && named.params.empty()) return {};
  NormSpec norm = NormSpec::of(named.name);
  for (const auto& [name, value] : named.params) {
    const NormParam* param = norm.kind->find(name);
    if (!param)
      throw UsageError("norm '" + std::string(norm.kind->name) + "' has no parameter '" + printable(name) +
                       "'");
    const std::string option = "--norm " + name;
    const bool whole = param->kind == NormParam::Kind::divisor;
    const Real number = whole ? static_cast<Real>(parse_count(value, option)) : parse_real(value, option);
    if (number < param->minimum)
      throw UsageError(option + " must be at least " + shortest(param->minimum) + ", got " +
                       shortest(number));
    norm.set(name, number);
  }
  return norm;
}

std::string conv_norm_text(const NormSpec& norm) {
  if (!norm) return "none";
  std::string text(norm.kind->name);
  for (const NormParam& param : norm.kind->numbers)
    if (const Real value = norm.param(param.name);
        param.kind == NormParam::Kind::divisor || value != param.fallback)
      text += ":" + std::string(param.name) + "=" + shortest(value);
  return text;
}

bool initial_statistics_of(std::string_view word) {
  if (word == "batch" || word == "initial") return word == "initial";
  throw UsageError(unknown_name_message("bn-statistics", word, {"batch", "initial"}));
}

OptionGroup image_options() {
  const auto no_image = [](const Family& family) -> std::string {
    return family.has_images() ? "" : "its state is not an image: use --family conv";
  };
  OptionGroup group{"Images", {}};
  group.add("image", &PlanOptions::image, "image size in pixels")
      .named("HxW")
      .by_default("8x8")
      .checked_by(accepted_by<image_of>)
      .json_schema(R"({"type": "string", "pattern": "^[1-9][0-9]*x[1-9][0-9]*$"})");
  group.add("batch", &PlanOptions::batch, "number of images in the input; batch norm couples them")
      .named("B")
      .by_default("1");
  group.add("kernel", &PlanOptions::kernel, "kernel size of the convolutions, an odd number")
      .named("K")
      .by_default("3");
  group.add("padding", &PlanOptions::padding, "padding of the convolutions")
      .by_default("zero")
      .word_of<Padding>();
  group.add("bottleneck", &PlanOptions::bottleneck,
            "use 1x1, KxK, 1x1 convolutions with a quarter of the channels inside");
  group.add("outer-activation", &PlanOptions::outer_activation,
            "also apply the activation after each residual sum");
  group
      .add("bn-statistics", &PlanOptions::bn_statistics, "batch-norm statistics; initial: mean 0, variance 1")
      .by_default("batch")
      .one_of({"batch", "initial"}, accepted_by<initial_statistics_of>);
  group.add("order", &PlanOptions::order, "post: conv, norm, act; pre: norm, act, conv")
      .default_text("the scheme's")
      .word_of<ConvOrder>();
  group.add("norm", &PlanOptions::norm, "norm before or after each convolution, or none (see list norms)")
      .named("NORM")
      .default_text("the scheme's")
      .checked_by(accepted_by<conv_norm_of>);
  group.add("shortcut", &PlanOptions::shortcut, "shortcut where the number of channels changes")
      .default_text("the scheme's")
      .word_of<ShortcutKind>();
  group
      .add("stages", &PlanOptions::stages, "number of blocks in each stage; later stages start with stride 2")
      .named("N,N,...")
      .keeping_order();
  group.add("widths", &PlanOptions::widths, "number of channels in each stage")
      .named("C,C,...")
      .keeping_order();
  for (PlanOption& option : group.options) option.unless(no_image);
  return group;
}

void resolve_images(SweepPlan& plan, const PlanOptions& options) {
  if (!plan.family->has_images()) return;
  ConvNetSpec& net = plan.conv;
  net.image = image_of(value_or_default(options, &PlanOptions::image), "--image");
  net.image.batch = value_or_default(options, &PlanOptions::batch);
  net.kernel = value_or_default(options, &PlanOptions::kernel);
  if (net.kernel % 2 == 0)
    throw UsageError("--kernel must be odd, got " + std::to_string(net.kernel) +
                     " (an even one has no centre to pad around)");
  net.padding = lookup<Padding>(value_or_default(options, &PlanOptions::padding));
  net.bottleneck = options.bottleneck.value_or(false);
  net.outer_activation = options.outer_activation.value_or(false);
  if (options.order) net.order = lookup<ConvOrder>(*options.order);
  if (options.norm) net.norm = conv_norm_of(*options.norm);
  net.initial_statistics = initial_statistics_of(value_or_default(options, &PlanOptions::bn_statistics));
  if (options.shortcut) net.shortcut = lookup<ShortcutKind>(*options.shortcut);
  resolve_stages(plan, options);
  require_fit(plan);
  require_groups(plan);
  require_batch_norm(plan);
  require_countable_images(plan);
}

void describe_images(const SweepPlan& plan, PlanOptions& options) {
  if (!plan.family->has_images()) return;
  const ConvNetSpec& net = plan.conv;
  options.image = std::to_string(net.image.height) + "x" + std::to_string(net.image.width);
  options.batch = net.image.batch;
  options.kernel = net.kernel;
  options.padding = to_string(net.padding);
  options.bottleneck = net.bottleneck;
  options.outer_activation = net.outer_activation;
  options.bn_statistics = net.initial_statistics ? "initial" : "batch";
  if (net.order) options.order = to_string(*net.order);
  if (net.norm) options.norm = conv_norm_text(*net.norm);
  if (net.shortcut) options.shortcut = to_string(*net.shortcut);
  if (!net.staged()) return;
  options.stages = net.stages;
  options.widths = net.widths;
}

std::vector<Index> stage_depths(const ConvNetSpec& net, const PlanOptions& options, PlanUse use) {
  const Index blocks = net.blocks();
  std::vector<Index> ends;
  Index end = 0;
  for (const Index stage : net.stages) ends.push_back(end += stage);
  if (use == PlanUse::verify) ends = {blocks};
  const std::vector<Index> depths = ascending(options.depth.value_or(ends));
  if (depths.back() > blocks)
    throw UsageError("--depth " + std::to_string(depths.back()) + " is more than the " +
                     std::to_string(blocks) + " blocks of --stages");
  return depths;
}

}  // namespace rezero::detail
