#include "parts.h"

namespace rezero {

Layout layout_rezero_rztx() {
  using namespace layout_parts;
  Layout layout;
  layout.name = "rezero-rztx";
  layout.summary = "RZTXEncoderLayers of the package rezero; resweight scales both branches of a layer";
  layout.source = "Bachlechner et al. 2020 (arXiv 2003.04887), rezero/transformer/rztx.py";
  layout.params = {eps("1e-5", "eps of the norm after the stack, if there is one")};
  layout.branches = {"attention", "mlp"};
  layout.norm = "layer_norm";
  layout.has_block_norms = false;
  layout.tensors = {
      weight("layers.{layer}.self_attn.in_proj_weight", {3 * d, d}, attention,
             {Role::query, Role::key, Role::value}),
      bias("layers.{layer}.self_attn.in_proj_bias", {3 * d}, attention,
           {Role::query, Role::key, Role::value}),
      weight("layers.{layer}.self_attn.out_proj.weight", {d, d}, attention, {Role::output}),
      bias("layers.{layer}.self_attn.out_proj.bias", {d}, attention, {Role::output}),
      weight("layers.{layer}.linear1.weight", {h, d}, feed_forward, {Role::up}),
      bias("layers.{layer}.linear1.bias", {h}, feed_forward, {Role::up}),
      weight("layers.{layer}.linear2.weight", {d, h}, feed_forward, {Role::down}),
      bias("layers.{layer}.linear2.bias", {d}, feed_forward, {Role::down}),
      {"layers.{layer}.resweight", TensorUse::branch_scale, {one}, {attention, feed_forward}},
      final_weight("norm.weight"),
      final_bias("norm.bias"),
  };
  return layout;
}

}  // namespace rezero
