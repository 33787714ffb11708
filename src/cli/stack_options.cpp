#include "cli/stack_options.h"

#include "cli/limits.h"
#include "cli/output_path.h"
#include "rezero/config/list.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"
#include "rezero/io/file.h"

namespace rezero::cli {
namespace {

constexpr std::uint64_t largest_config = 1 << 28;  // reports with many values are plans too

Index parse_index(const std::string& text, const std::string& option) {
  return parse_count(text, option);
}

std::vector<std::string> names(const std::string& text, const std::string& option) {
  return parse_name_list(text, option);
}

/// Sets `field` from the option of that name, if written.
template <class Field, class Parse>
void set(Field& field, const ParsedLine& line, const std::string& name, Parse parse) {
  if (const auto text = line.find(name)) field = parse(*text, "--" + name);
}

std::string as_is(const std::string& text, const std::string&) {
  return text;
}

}  // namespace

void add_stack_options(CommandLine& line, StackUse use) {
  const bool one = use == StackUse::one_stack;
  const auto list = [one](const char* name) { return std::string(name) + (one ? "" : ",..."); };
  line.group("Stacks");
  line.option("--scheme", list("NAME[:P=V]..."),
              "scaling scheme, parameters as name:param=value (see list schemes)",
              use == StackUse::analysis ? "plain,residual,depth-power,rezero" : "");
  line.option("--family", "NAME", "what a layer is: mlp, transformer, ... (see list families)", "mlp");
  if (one)
    line.option("--depth", "N", "layers (needed)");
  else
    line.option("--depth", "LIST", "layers: 1,2,4 or a:b, a:b:step, a:b:xF", "1:64:x2");
  line.option("--width", one ? "N" : "LIST", "features of the residual stream", "64; 16 over images");
  line.option("--hidden-ratio", "R", "hidden width of mlp and glu over the width", "1");
  line.option("--tokens", "T", "positions of mlp, glu, attention and transformers", "1; 16 with attention");
  line.option("--heads", "H", "attention heads", "4, or what divides the width");
  line.option("--kv-heads", "H", "heads of keys and values", "as --heads");
  line.flag("--causal", "position i attends to positions up to i");
  line.flag("--rope", "rotary positions (base 10000)");
  line.option("--qk-norm", "NORM", "norm of each head's queries and keys (see list norms)", "none");
  line.option("--image", "HxW", "image size of conv, in pixels", "8x8");
  line.option("--batch", "B", "images side by side; batch norm couples them", "1");
  line.option("--kernel", "K", "odd width of the convolutions", "3");
  line.option("--padding", "HOW", "zero or circular", "zero");
  line.option("--order", "HOW", "post: conv, norm, act; pre: norm, act, conv", "the scheme's");
  line.option("--norm", "NORM", "norm beside each convolution, none for none (see list norms)",
              "the scheme's");
  line.option("--bn-statistics", "WHAT", "of batch norm: batch, or initial (mean 0, variance 1)", "batch");
  line.flag("--bottleneck", "1x1, KxK, 1x1 convolutions with a quarter of the channels inside");
  line.flag("--outer-activation", "the activation after each sum");
  line.option("--stages", "N,N,...", "blocks of each stage; later stages begin with stride 2");
  line.option("--widths", "C,C,...", "channels of each stage");
  line.option("--shortcut", "HOW", "where channels change: subsample or projection", "the scheme's");
  line.option("--activation", list("NAME[:P=V]"), "nonlinearity (see list activations)", "relu");
  line.option("--init", list("NAME[:P=V]..."), "initializer (see list initializers)",
              "he; with attention the scheme's own");
  line.flag("--tied", "one set of weights for all depths");
  line.option("--seed", one ? "N" : "LIST", one ? "64-bit seed" : "64-bit seeds; a:b for a range", "0");
  line.option("--input", "LAW", "input: normal, sphere, ones, or an .npy file", "normal");
  if (!one) line.option("--stack", "FILE", "a stack file in place of random stacks; depth counts its blocks");
}

void add_spectrum_options(CommandLine& line) {
  line.group("Spectrum");
  line.option("--method", "NAME", "auto, dense, product, spectra or density (see list methods)", "auto");
  line.option("--top", "K", "only the K largest singular values");
  line.option("--bottom", "K", "only the K smallest singular values");
  line.flag("--final-norm", "a norm after the stack, applied to what each reported depth sees");
  line.option("--wrt", "token:i", "only the columns of input token i (from 0)");
  line.option("--of", "token:j", "only the rows of output token j");
  line.option("--values", "MODE", "singular values as linear, log10 (no range limit) or none", "linear");
  line.flag("--profile", "signal profile: norms of states, branches and gradients, block by block");
  line.option("--cotangent", "LAW", "cotangent of gate gradients: random (unit) or ones (the sum of outputs)",
              "random");
}

PlanOptions plan_options(const ParsedLine& line) {
  PlanOptions written;
  set(written.scheme, line, "scheme", names);
  set(written.family, line, "family", as_is);
  set(written.depth, line, "depth",
      [](const auto& text, const auto& option) { return parse_index_list(text, option); });
  set(written.width, line, "width",
      [](const auto& text, const auto& option) { return parse_index_list(text, option); });
  set(written.hidden_ratio, line, "hidden-ratio",
      [](const auto& text, const auto& option) { return parse_real(text, option); });
  set(written.activation, line, "activation", names);
  set(written.init, line, "init", names);
  if (line.has("tied")) written.tied = true;
  set(written.tokens, line, "tokens", parse_index);
  set(written.heads, line, "heads", parse_index);
  set(written.kv_heads, line, "kv-heads", parse_index);
  if (line.has("causal")) written.causal = true;
  if (line.has("rope")) written.rope = true;
  set(written.qk_norm, line, "qk-norm", as_is);
  set(written.image, line, "image", as_is);
  set(written.batch, line, "batch", parse_index);
  set(written.kernel, line, "kernel", parse_index);
  set(written.padding, line, "padding", as_is);
  set(written.order, line, "order", as_is);
  set(written.norm, line, "norm", as_is);
  set(written.bn_statistics, line, "bn-statistics", as_is);
  if (line.has("bottleneck")) written.bottleneck = true;
  if (line.has("outer-activation")) written.outer_activation = true;
  set(written.stages, line, "stages", as_is);
  set(written.widths, line, "widths", as_is);
  set(written.shortcut, line, "shortcut", as_is);
  if (line.has("final-norm")) written.final_norm = true;
  set(written.wrt, line, "wrt", as_is);
  set(written.of, line, "of", as_is);
  set(written.seed, line, "seed",
      [](const auto& text, const auto& option) { return parse_seed_list(text, option); });
  set(written.input, line, "input", as_is);
  set(written.stack, line, "stack", as_is);
  set(written.method, line, "method", as_is);
  set(written.top, line, "top", parse_index);
  set(written.bottom, line, "bottom", parse_index);
  set(written.values, line, "values", as_is);
  if (line.has("profile")) written.profile = true;
  set(written.cotangent, line, "cotangent", as_is);
  set(written.check, line, "check", names);
  if (const auto config = line.find("config")) {
    refuse_output_onto(line, "--config", *config);
    written = merge(plan_options_from_json(read_file(*config, largest_config), *config), written);
  }
  refuse_output_onto_inputs(line, written);
  return written;
}

SweepPlan read_plan(const PlanOptions& options, PlanUse use, Real max_memory) {
  ResolveContext context;
  context.use = use;
  context.require_memory = [max_memory](Real bytes, const std::string& path) {
    if (bytes > max_memory)
      throw MemoryError("reading '" + printable(path) + "' would need " + bytes_text(bytes) +
                        " of memory, more than the " + bytes_text(max_memory) +
                        " allowed (raise --max-memory)");
  };
  return resolve_plan(options, context);
}

}  // namespace rezero::cli
