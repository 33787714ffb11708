/// Convolutions in one, two or more dimensions, with groups, strides and dilations, and their transposes.

#include "window.h"

namespace rezero::graph {

namespace operator_parts {
namespace {

constexpr Index most_extent = Index{1} << 31;

Dims setting(const Call& call, std::string_view name, std::size_t count, Index otherwise) {
  Dims values = call.integers(name).value_or(Dims(count, otherwise));
  if (values.size() != count)
    throw ShapeError("attribute '" + std::string(name) + "' has " + std::to_string(values.size()) +
                     " numbers, expected " + std::to_string(count));
  for (const Index value : values)
    if (value > most_extent || value < -most_extent)
      throw ShapeError("attribute '" + std::string(name) + "' is out of range");
  return values;
}

}  // namespace

Window window_of(const Call& call, const Dims& image, Dims kernel) {
  if (image.size() < 3) throw ShapeError("an image of " + text_of(image) + " has no spatial axis");
  Window w;
  w.image.assign(image.begin() + 2, image.end());
  const std::size_t axes = w.image.size();
  w.kernel = kernel.empty() ? setting(call, "kernel_shape", axes, 0) : std::move(kernel);
  w.strides = setting(call, "strides", axes, 1), w.dilations = setting(call, "dilations", axes, 1);
  const Dims pads = setting(call, "pads", 2 * axes, 0);
  w.pads_begin.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(axes));
  w.pads_end.assign(pads.begin() + static_cast<std::ptrdiff_t>(axes), pads.end());
  const std::string automatic = call.text("auto_pad", "NOTSET");
  const bool ceil = call.integer("ceil_mode", 0) != 0;
  for (std::size_t a = 0; a < axes; ++a) {
    if (w.kernel[a] < 1 || w.strides[a] < 1 || w.dilations[a] < 1 || w.pads_begin[a] < 0 || w.pads_end[a] < 0)
      throw ShapeError("a window needs a positive size, stride and dilation, and no negative padding");
    const Index reach = (w.kernel[a] - 1) * w.dilations[a] + 1;
    if (automatic == "VALID") w.pads_begin[a] = w.pads_end[a] = 0;
    if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
      const Index out = (w.image[a] + w.strides[a] - 1) / w.strides[a];
      const Index pad = std::max<Index>(0, (out - 1) * w.strides[a] + reach - w.image[a]);
      w.pads_begin[a] = automatic == "SAME_UPPER" ? pad / 2 : pad - pad / 2;
      w.pads_end[a] = pad - w.pads_begin[a];
    }
    const Index room = w.image[a] + w.pads_begin[a] + w.pads_end[a] - reach;
    if (room < 0)
      throw ShapeError("a window of " + text_of(w.kernel) + " does not fit an image of " + text_of(w.image));
    Index out = room / w.strides[a] + 1;
    // With ceil_mode a window may stand beyond the end, but must begin within the image or its padding
    // before.
    if (ceil && room % w.strides[a] != 0 && out * w.strides[a] < w.image[a] + w.pads_begin[a]) ++out;
    w.output.push_back(out);
  }
  return w;
}

}  // namespace operator_parts

namespace {

using namespace operator_parts;  // NOLINT: the vocabulary of this folder

/// The extents behind the first two axes.
Dims spatial(const Dims& dims) {
  return dims.size() > 2 ? Dims(dims.begin() + 2, dims.end()) : Dims{};
}

Dims with_image(Index batch, Index channels, const Dims& image) {
  Dims dims = {batch, channels};
  dims.insert(dims.end(), image.begin(), image.end());
  return dims;
}

Vector apply(const LinearMap& map, const Vector& x, bool transpose) {
  Matrix y(transpose ? map.cols() : map.rows(), 1);
  transpose ? map.apply_transpose(x, y) : map.apply(x, y);
  return y.col(0);
}

/// Adds a number per channel (input 2, if there is one) to y, and its derivative.
void finish(const Call& call, Outcome& outcome, Vector y, Dims dims) {
  if (call.has(2)) {
    const Index channels = dims[1], pixels = count_between(dims, 2, static_cast<Index>(dims.size()));
    if (call.in(2).size() != channels) throw ShapeError("the bias does not have one number per channel");
    Indices channel;
    for (Index i = 0; i < y.size(); ++i) channel.push_back(i / pixels % channels);
    for (Index i = 0; i < y.size(); ++i) y(i) += call.in(2).reals()(channel[at(i)]);
    if (call.wants(2)) add(outcome, 2, gather_map(channels, std::move(channel)));
  }
  outcome.outputs.push_back(Tensor::of(std::move(dims), std::move(y)));
}

Outcome run_conv(const Call& call) {
  const Dims &x = call.in(0).dims(), &w = call.in(1).dims();
  if (w.size() != x.size())
    throw ShapeError("weights of " + text_of(w) + " do not fit an image of " + text_of(x));
  ConvPlan plan;
  plan.window = window_of(call, x, spatial(w));
  plan.batch = x[0], plan.groups = call.integer("group", 1);
  if (plan.groups < 1 || x[1] % plan.groups != 0 || w[0] % plan.groups != 0 || w[1] != x[1] / plan.groups)
    throw ShapeError("weights of " + text_of(w) + " in " + std::to_string(plan.groups) +
                     " groups do not fit an image of " + text_of(x));
  plan.in = w[1], plan.out = w[0] / plan.groups;
  const LinearMapPtr map = conv_map(plan, call.in(1).shared_reals());
  Outcome outcome;
  if (call.wants(0)) add(outcome, 0, map);
  if (call.wants(1)) add(outcome, 1, conv_weight_map(plan, call.in(0).shared_reals()));
  finish(call, outcome, apply(*map, call.in(0).reals(), false), with_image(x[0], w[0], plan.window.output));
  return outcome;
}

/// The transpose of the convolution that takes the larger image to the smaller one.
Outcome run_conv_transpose(const Call& call) {
  const Dims &x = call.in(0).dims(), &w = call.in(1).dims();
  if (w.size() != x.size() || x.size() < 3)
    throw ShapeError("weights of " + text_of(w) + " do not fit an image of " + text_of(x));
  const std::size_t axes = x.size() - 2;
  const Dims kernel = spatial(w), small = spatial(x);
  const Dims strides = call.integers("strides").value_or(Dims(axes, 1)),
             dilations = call.integers("dilations").value_or(Dims(axes, 1)),
             extra = call.integers("output_padding").value_or(Dims(axes, 0));
  Dims pads = call.integers("pads").value_or(Dims(2 * axes, 0));
  const std::optional<Dims> wanted = call.integers("output_shape");
  const std::string automatic = call.text("auto_pad", "NOTSET");
  if (strides.size() != axes || dilations.size() != axes || extra.size() != axes || pads.size() != 2 * axes ||
      (wanted && wanted->size() != axes))
    throw ShapeError("an attribute does not have one number per axis");
  Dims large(axes);
  for (std::size_t a = 0; a < axes; ++a) {
    const Index full = strides[a] * (small[a] - 1) + extra[a] + (kernel[a] - 1) * dilations[a] + 1;
    const bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
    if (wanted || same) {
      const Index out = wanted ? (*wanted)[a] : small[a] * strides[a];
      const Index pad = full - out;  // negative: zeros behind the image
      pads[a] = automatic == "SAME_LOWER" ? pad - pad / 2 : pad / 2;
      pads[a + axes] = pad - pads[a];
    }
    large[a] = full - pads[a] - pads[a + axes];
    if (large[a] < 1) throw ShapeError("the padding leaves no image");
  }
  ConvPlan plan;
  plan.window = {large, kernel, strides, dilations, {}, {}, small};
  plan.window.pads_begin.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(axes));
  plan.window.pads_end.assign(pads.begin() + static_cast<std::ptrdiff_t>(axes), pads.end());
  plan.batch = x[0], plan.groups = call.integer("group", 1);
  if (plan.groups < 1 || x[1] % plan.groups != 0 || w[0] != x[1])
    throw ShapeError("weights of " + text_of(w) + " do not fit an image of " + text_of(x));
  plan.in = w[1], plan.out = x[1] / plan.groups;
  const LinearMapPtr map = conv_map(plan, call.in(1).shared_reals());
  Outcome outcome;
  if (call.wants(0)) add(outcome, 0, transpose_map(map));
  if (call.wants(1)) add(outcome, 1, transposed_conv_weight_map(plan, call.in(0).shared_reals()));
  finish(call, outcome, apply(*map, call.in(0).reals(), true), with_image(x[0], w[1] * plan.groups, large));
  return outcome;
}

}  // namespace

void operators_conv(OperatorTable& table) {
  table.push_back({"Conv", run_conv, Smoothness::multilinear});
  table.push_back({"ConvTranspose", run_conv_transpose, Smoothness::multilinear});
}

}  // namespace rezero::graph
