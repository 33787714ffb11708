#include "parts.h"

namespace rezero {

Layout layout_gpt2() {
  using namespace layout_parts;
  Layout layout;
  layout.name = "gpt2";
  layout.summary = "GPT2Model and GPT2LMHeadModel of Hugging Face";
  layout.source = "Radford et al. 2019; transformers, models/gpt2/modeling_gpt2.py";
  layout.params = {eps("1e-5", "layer_norm_epsilon"),
                   {"stored",
                    ParamKind::choice,
                    "conv1d",
                    "matrices as in × out (conv1d) or out × in (linear, as nanoGPT has them)",
                    {"conv1d", "linear"}}};
  layout.branches = {"attention", "mlp"};
  layout.norm = "layer_norm";
  layout.activation = "gelu_tanh";
  layout.causal = true;
  layout.tensors = {
      conv1d(weight("h.{layer}.attn.c_attn.weight", {3 * d, d}, attention,
                    {Role::query, Role::key, Role::value})),
      bias("h.{layer}.attn.c_attn.bias", {3 * d}, attention, {Role::query, Role::key, Role::value}),
      conv1d(weight("h.{layer}.attn.c_proj.weight", {d, d}, attention, {Role::output})),
      bias("h.{layer}.attn.c_proj.bias", {d}, attention, {Role::output}),
      conv1d(weight("h.{layer}.mlp.c_fc.weight", {h, d}, feed_forward, {Role::up})),
      bias("h.{layer}.mlp.c_fc.bias", {h}, feed_forward, {Role::up}),
      conv1d(weight("h.{layer}.mlp.c_proj.weight", {d, h}, feed_forward, {Role::down})),
      bias("h.{layer}.mlp.c_proj.bias", {d}, feed_forward, {Role::down}),
      norm_weight("h.{layer}.ln_1.weight", attention),
      norm_bias("h.{layer}.ln_1.bias", attention),
      norm_weight("h.{layer}.ln_2.weight", feed_forward),
      norm_bias("h.{layer}.ln_2.bias", feed_forward),
      outside("h.{layer}.attn.bias"),         // the causal mask
      outside("h.{layer}.attn.masked_bias"),  // what it puts in place of a score
      outside("wte.weight"),
      outside("wpe.weight"),
      outside("lm_head.weight"),
      outside("score.weight"),
      final_weight("ln_f.weight"),
      final_bias("ln_f.bias"),
  };
  return layout;
}

}  // namespace rezero
