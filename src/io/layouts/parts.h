#pragma once
/// Rows and parameters that layouts share.

#include "rezero/io/layout.h"

namespace rezero::layout_parts {

constexpr TensorAxis one{Extent::one}, d{Extent::features}, h{Extent::hidden}, q{Extent::queries},
    k{Extent::keys}, half_head{Extent::pairs};
constexpr TensorAxis operator*(Index times, TensorAxis axis) {
  return {axis.extent, times * axis.times};
}

/// Blocks of a layer.
constexpr Index attention = 0, feed_forward = 1;

inline LayoutTensor weight(std::string_view name, std::vector<TensorAxis> shape, Index block,
                           std::vector<Role> roles) {
  return {name, TensorUse::weight, std::move(shape), {block}, std::move(roles)};
}
/// Biases are optional in all layouts: models are trained without them, too.
inline LayoutTensor bias(std::string_view name, std::vector<TensorAxis> shape, Index block,
                         std::vector<Role> roles) {
  return {name, TensorUse::bias, std::move(shape), {block}, std::move(roles), true};
}
inline LayoutTensor norm_weight(std::string_view name, Index block) {
  return {name, TensorUse::norm_weight, {d}, {block}};
}
inline LayoutTensor norm_bias(std::string_view name, Index block) {
  return {name, TensorUse::norm_bias, {d}, {block}, {}, true};
}
inline LayoutTensor final_weight(std::string_view name) {
  return {name, TensorUse::final_norm_weight, {d}, {}, {}, true};
}
inline LayoutTensor final_bias(std::string_view name) {
  return {name, TensorUse::final_norm_bias, {d}, {}, {}, true};
}
inline LayoutTensor outside(std::string_view name) {
  return {name, TensorUse::outside, {}, {}, {}, true};
}
inline LayoutTensor frequencies(std::string_view name) {
  return {name, TensorUse::frequencies, {half_head}, {}, {}, true};
}
/// Stored as in × out.
inline LayoutTensor conv1d(LayoutTensor tensor) {
  tensor.conv1d = true;
  return tensor;
}

inline ParamInfo eps(std::string_view standard, std::string_view meaning) {
  return {"eps", ParamKind::real, standard, meaning, {}, 0};
}

}  // namespace rezero::layout_parts
