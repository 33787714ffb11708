#include "parts.h"

namespace rezero {

Layout layout_llama() {
  using namespace layout_parts;
  Layout layout;
  layout.name = "llama";
  layout.summary =
      "LlamaModel and LlamaForCausalLM of Hugging Face, and others with their names (Mistral, Qwen2)";
  layout.source = "Touvron et al. 2023 (arXiv 2302.13971); transformers, models/llama/modeling_llama.py";
  layout.params = {eps("1e-6", "rms_norm_eps"),
                   {"rope", ParamKind::real, "10000", "rope_theta, the base of the rotary positions", {}, 1}};
  layout.branches = {"attention", "glu"};
  layout.norm = "rms_norm";
  layout.activation = "silu";
  layout.causal = true;
  layout.tensors = {
      weight("layers.{layer}.self_attn.q_proj.weight", {q, d}, attention, {Role::query}),
      bias("layers.{layer}.self_attn.q_proj.bias", {q}, attention, {Role::query}),
      weight("layers.{layer}.self_attn.k_proj.weight", {k, d}, attention, {Role::key}),
      bias("layers.{layer}.self_attn.k_proj.bias", {k}, attention, {Role::key}),
      weight("layers.{layer}.self_attn.v_proj.weight", {k, d}, attention, {Role::value}),
      bias("layers.{layer}.self_attn.v_proj.bias", {k}, attention, {Role::value}),
      weight("layers.{layer}.self_attn.o_proj.weight", {d, q}, attention, {Role::output}),
      bias("layers.{layer}.self_attn.o_proj.bias", {d}, attention, {Role::output}),
      weight("layers.{layer}.mlp.gate_proj.weight", {h, d}, feed_forward, {Role::gate}),
      bias("layers.{layer}.mlp.gate_proj.bias", {h}, feed_forward, {Role::gate}),
      weight("layers.{layer}.mlp.up_proj.weight", {h, d}, feed_forward, {Role::up}),
      bias("layers.{layer}.mlp.up_proj.bias", {h}, feed_forward, {Role::up}),
      weight("layers.{layer}.mlp.down_proj.weight", {d, h}, feed_forward, {Role::down}),
      bias("layers.{layer}.mlp.down_proj.bias", {d}, feed_forward, {Role::down}),
      norm_weight("layers.{layer}.input_layernorm.weight", attention),
      norm_weight("layers.{layer}.post_attention_layernorm.weight", feed_forward),
      frequencies("layers.{layer}.self_attn.rotary_emb.inv_freq"),
      frequencies("rotary_emb.inv_freq"),
      outside("embed_tokens.weight"),
      outside("lm_head.weight"),
      outside("score.weight"),
      final_weight("norm.weight"),
  };
  return layout;
}

}  // namespace rezero
