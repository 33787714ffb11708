#include "report/tables/headline.h"

#include "report/number_text.h"
#include "rezero/core/registry.h"

namespace rezero::detail {
namespace {

const std::string separator = " · ";

/// The initializer that all rows have, or nothing.
std::string one_init(const SweepPlan& plan) {
  const std::vector<Initializer> all = distinct_initializers(plan);
  return all.size() == 1 ? all[0].canonical() : "";
}

std::string attention_text(const AttentionSpec& attention) {
  std::string text =
      separator + std::to_string(attention.heads) + (attention.heads == 1 ? " head" : " heads");
  if (attention.kv_heads != attention.heads) text += " (" + std::to_string(attention.kv_heads) + " of keys)";
  if (attention.causal) text += separator + "causal";
  if (attention.rope) text += separator + "rope";
  if (attention.qk_norm) text += separator + "qk norm " + std::string(attention.qk_norm.kind->name);
  return text;
}

std::string image_text(const ConvNetSpec& net) {
  std::string text =
      separator + std::to_string(net.image.height) + "×" + std::to_string(net.image.width) + " pixels";
  if (net.image.batch > 1) text += separator + "batch " + std::to_string(net.image.batch);
  if (net.kernel != 3) text += separator + "kernel " + std::to_string(net.kernel);
  if (net.padding != Padding::zero) text += separator + std::string(to_string(net.padding)) + " padding";
  if (net.bottleneck) text += separator + "bottleneck";
  if (net.initial_statistics) text += separator + "initial batch norm statistics";
  if (net.outer_activation) text += separator + "outer activation";
  for (std::size_t i = 0; i < net.stages.size(); ++i)
    text += (i ? " + " : separator) + std::to_string(net.stages[i]) + " × " + std::to_string(net.widths[i]);
  return text;
}

/// What part of which Jacobian the rows are about, if it is not all of the stack's.
std::string view_text(const AnalysisOptions& analysis) {
  std::string text = analysis.final_norm ? separator + "final norm" : "";
  if (analysis.view.of) text += separator + "of token:" + std::to_string(*analysis.view.of);
  if (analysis.view.wrt) text += separator + "wrt token:" + std::to_string(*analysis.view.wrt);
  return text;
}

std::string random_stack_text(const SweepPlan& plan) {
  std::string text = separator + std::string(plan.family->name);
  if (plan.widths.size() == 1 && !plan.conv.staged())
    text += separator + "width " + std::to_string(plan.widths[0]);
  if (plan.family->has_hidden() && plan.hidden_ratio != 1)
    text += separator + "hidden ratio " + shortest(plan.hidden_ratio);
  if (plan.activations.size() == 1 && plan.family->uses_activation())
    text += separator + plan.activations[0].canonical();
  if (const std::string init = one_init(plan); !init.empty()) text += separator + "init " + init;
  if (plan.tied) text += separator + "tied";
  if (plan.family->has_tokens && plan.tokens.tokens != 1)
    text += separator + std::to_string(plan.tokens.tokens) + " tokens";
  if (plan.family->has_attention()) text += attention_text(plan.tokens.attention);
  if (plan.family->is_conv()) text += image_text(plan.conv);
  text += separator + "input " + std::string(to_string(plan.input.law));
  if (plan.seeds.size() == 1) return text + separator + "seed " + std::to_string(plan.seeds[0]);
  return text + separator + std::to_string(plan.seeds.size()) + " seeds";
}

}  // namespace

std::string headline(const ReportContext& context) {
  const SweepPlan& plan = *context.plan;
  const std::string tool = context.tool.name + " " + context.tool.version;
  if (!plan.stack) return tool + random_stack_text(plan) + view_text(plan.analysis);
  const Shape shape = plan.stack->stack->shape();
  std::string text = tool + separator + printable(plan.stack->file.path) + separator +
                     std::to_string(plan.stack->stack->blocks()) + " blocks of " +
                     std::to_string(shape.features) + " features";
  if (shape.positions > 1) text += " × " + std::to_string(shape.positions) + " positions";
  return text + view_text(plan.analysis);
}

std::string group_heading(const SweepPlan& plan, const CellLabels& labels) {
  std::string text = source_text(labels);
  if (labels.scheme) text += "   " + std::string(labels.scheme->scheme().update);
  if (plan.widths.size() > 1) text += separator + "width " + std::to_string(labels.width);
  if (plan.activations.size() > 1) text += separator + labels.activation;
  if (!labels.init.empty() && one_init(plan).empty()) text += separator + "init " + labels.init;
  if (!labels.order.empty()) text += separator + labels.order + separator + "norm " + labels.norm;
  return text;
}

}  // namespace rezero::detail
