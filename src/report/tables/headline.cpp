#include "report/tables/headline.h"

#include "rezero/analysis/labels.h"
#include "rezero/core/registry.h"

namespace rezero::detail {
namespace {

const std::string separator = " · ";

bool has_several_inits(const SweepPlan& plan) {
  const auto entries = [](const Axis<Initializer>& axis) { return axis.entries().size(); };
  return (plan.initializers.empty() ? entries(distinct_initializers(plan)) : entries(plan.initializers)) > 1;
}

/// The part of the Jacobian shown, if it is not all of it.
std::string view_text(const AnalysisOptions& analysis) {
  std::string text = analysis.final_norm ? separator + "final norm" : "";
  if (analysis.view.of) text += separator + "of token:" + std::to_string(*analysis.view.of);
  if (analysis.view.wrt) text += separator + "wrt token:" + std::to_string(*analysis.view.wrt);
  return text;
}

std::string random_stack_text(const SweepPlan& plan) {
  std::string text = separator + std::string(plan.family->name);
  if (plan.widths.size() == 1 && !plan.family->geometry->layers_are_fixed(plan))
    text += separator + "width " + std::to_string(plan.widths[0]);
  if (plan.family->has_hidden() && plan.hidden_ratio != 1)
    text += separator + "hidden ratio " + shortest(plan.hidden_ratio);
  if (plan.activations.entries().size() == 1 && plan.family->uses_activation())
    text += separator + plan.activations.entries()[0].canonical();
  if (!has_several_inits(plan))
    text += separator + "init " + distinct_initializers(plan).entries().front().canonical();
  if (plan.tied) text += separator + "tied";
  for (const std::string& phrase : plan.family->geometry->describe(plan, *plan.family))
    text += separator + phrase;
  text += separator + "input " + std::string(to_string(plan.input.law));
  if (plan.seeds.size() == 1) return text + separator + "seed " + std::to_string(plan.seeds[0]);
  return text + separator + std::to_string(plan.seeds.size()) + " seeds";
}

}  // namespace

std::string headline(const ReportContext& context) {
  const SweepPlan& plan = *context.plan;
  const std::string tool = context.tool.name + " " + context.tool.version;
  if (!plan.stack) return tool + random_stack_text(plan) + view_text(plan.analysis);
  const std::size_t files = plan.stack->files.size();
  const StackFile& first = plan.stack->first();
  const Shape shape = first.stack->shape();
  std::string text = tool + separator +
                     (files == 1 ? printable(first.file.path) : std::to_string(files) + " files") +
                     separator + std::to_string(first.stack->blocks()) + " blocks of " +
                     std::to_string(shape.features) + " features";
  if (shape.positions > 1) text += " × " + std::to_string(shape.positions) + " positions";
  if (const Index samples = plan.stack->samples(); samples > 0)
    text += separator + std::to_string(samples) + (samples == 1 ? " sample" : " samples");
  return text + view_text(plan.analysis);
}

std::string group_heading(const SweepPlan& plan, const std::vector<SweptColumn>& columns,
                          const CellLabels& labels) {
  using Source = SweptColumn::Source;
  const auto text_of = [&](Source source, const std::string& text, const Params& params) {
    return text_beside_columns(columns, source, text.substr(0, text.find(':')), params);
  };
  std::string text = source_text(labels);
  if (labels.scheme) {
    text = text_of(Source::scheme, text, labels.scheme->params());
    text += "   " + std::string(labels.scheme->scheme().update);
  }
  if (plan.widths.size() > 1) text += separator + "width " + std::to_string(labels.width);
  if (plan.activations.entries().size() > 1)
    text += separator + text_of(Source::activation, labels.activation, labels.activation_params);
  if (!labels.init.empty() && has_several_inits(plan))
    text += separator + "init " + text_of(Source::init, labels.init, labels.init_params);
  if (!labels.order.empty()) text += separator + labels.order + separator + "norm " + labels.norm;
  return text;
}

std::string full_heading(const SweepPlan& plan, const CellLabels& labels) {
  const std::vector<SweptColumn> columns = swept_columns(plan);
  std::string text = group_heading(plan, columns, labels);
  for (const SweptColumn& column : columns)
    if (const ParamValue* value = column.value(labels)) text += separator + column.title + " " + value->text;
  return text;
}

}  // namespace rezero::detail
