#include "parts.h"

namespace rezero {

Layout layout_torch_encoder() {
  using namespace layout_parts;
  Layout layout;
  layout.name = "torch-encoder";
  layout.summary = "torch.nn.TransformerEncoder of TransformerEncoderLayers";
  layout.source = "PyTorch, torch/nn/modules/transformer.py";
  layout.params = {{"norm_first",
                    ParamKind::choice,
                    "false",
                    "norms before the branches (true) or after the sums; the file does not show it",
                    {"false", "true"}},
                   eps("1e-5", "layer_norm_eps")};
  layout.branches = {"attention", "mlp"};
  layout.norm = "layer_norm";
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
      norm_weight("layers.{layer}.norm1.weight", attention),
      norm_bias("layers.{layer}.norm1.bias", attention),
      norm_weight("layers.{layer}.norm2.weight", feed_forward),
      norm_bias("layers.{layer}.norm2.bias", feed_forward),
      final_weight("norm.weight"),
      final_bias("norm.bias"),
  };
  return layout;
}

}  // namespace rezero
