#include "cli/listing.h"

#include "rezero/analysis/check.h"
#include "rezero/analysis/metric.h"
#include "rezero/init/initializer.h"
#include "rezero/layers/norm.h"
#include "rezero/model/family.h"
#include "rezero/model/scheme.h"
#include "rezero/report/renderer.h"
#include "rezero/spectrum/method.h"

namespace rezero::cli {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

std::string text(std::string_view view) {
  return std::string(view);
}

std::string params_text(const std::vector<ParamInfo>& params) {
  std::string out;
  for (const ParamInfo& param : params) {
    if (!out.empty()) out += "; ";
    out += text(param.name);
    if (!param.default_text.empty()) out += "=" + text(param.default_text);
    if (!param.choices.empty()) out += " (" + joined(param.choices) + ")";
    out += ": " + text(param.meaning);
  }
  return out;
}

void add(Fields& fields, const char* name, const std::string& value) {
  if (!value.empty()) fields.emplace_back(name, value);
}

/// What a scheme's nets over images have where the user says nothing, beside what all have.
std::string conv_text(const ConvDefaults& conv) {
  const ConvDefaults usual;
  std::vector<std::string> words;
  if (conv.order != usual.order) words.push_back("--order " + text(to_string(conv.order)));
  if (conv.norm != usual.norm) words.push_back("--norm " + text(conv.norm));
  if (conv.shortcut != usual.shortcut) words.push_back("--shortcut " + text(to_string(conv.shortcut)));
  if (conv.init != usual.init) words.push_back("--init " + text(conv.init));
  return joined({words.begin(), words.end()});
}

std::vector<ListedEntry> list_schemes() {
  std::vector<ListedEntry> entries;
  for (const Scheme& scheme : schemes()) {
    Fields fields = {{"name", text(scheme.name)}, {"summary", text(scheme.summary)}};
    add(fields, "update", text(scheme.update));
    add(fields, "parameters", params_text(scheme.params));
    add(fields, "depth symbol", text(scheme.depth_symbol));
    const bool depends =
        scheme.depends_on_depth(resolve_params({text(scheme.name), {}}, scheme.params, "scheme"));
    add(fields, "blocks depend on total depth", depends ? "yes" : "no");
    add(fields, "defined for", joined(scheme.made_for));
    add(fields, "starts with attention from", text(scheme.init));
    add(fields, "over images", conv_text(scheme.conv));
    add(fields, "source", text(scheme.source));
    add(fields, "aliases", joined(scheme.aliases));
    entries.push_back({fields});
  }
  return entries;
}

std::vector<ListedEntry> list_families() {
  std::vector<ListedEntry> entries;
  for (const Family& family : families()) {
    Fields fields = {{"name", text(family.name)}, {"summary", text(family.summary)}};
    const std::vector<const BranchKind*> blocks = family.branches();
    if (blocks.size() == 1)
      add(fields, "branch", text(blocks[0]->formula));
    else
      add(fields, "blocks of a layer", joined(family.blocks));
    add(fields, "degree", family.degree() == 0 ? "none" : std::to_string(family.degree()));
    add(fields, "hidden width",
        family.has_hidden() ? "--hidden-ratio " + shortest(family.default_hidden_ratio) : "none");
    if (family.has_tokens) add(fields, "positions", "--tokens " + std::to_string(family.default_tokens));
    if (blocks.size() == 1) add(fields, "source", text(blocks[0]->source));
    add(fields, "aliases", joined(family.aliases));
    entries.push_back({fields});
  }
  return entries;
}

std::vector<ListedEntry> list_activations() {
  std::vector<ListedEntry> entries;
  for (const ActivationKind& kind : activations()) {
    Fields fields = {{"name", text(kind.name)}, {"summary", text(kind.formula)}};
    add(fields, "derivative", text(kind.derivative_formula));
    add(fields, "at the kink", text(kind.kink));
    add(fields, "parameters", params_text(kind.params));
    add(fields, "positively homogeneous", kind.degree == 1 ? "yes" : "no");
    const Real parameter = kind.params.empty() ? 0 : parse_real(kind.params[0].default_text, "default");
    add(fields, "gain", shortest(kind.gain(parameter)));
    add(fields, "source", text(kind.source));
    add(fields, "aliases", joined(kind.aliases));
    entries.push_back({fields});
  }
  return entries;
}

std::vector<ListedEntry> list_initializers() {
  std::vector<ListedEntry> entries;
  for (const InitializerKind& kind : initializers()) {
    Fields fields = {{"name", text(kind.name)}, {"summary", text(kind.summary)}, {"law", text(kind.formula)}};
    add(fields, "parameters", params_text(kind.params));
    add(fields, "source", text(kind.source));
    add(fields, "aliases", joined(kind.aliases));
    entries.push_back({fields});
  }
  for (const auto& [alias, meaning] : initializer_presets())
    entries.push_back({{{"name", text(alias)}, {"summary", "short for " + text(meaning)}}});
  return entries;
}

std::vector<ListedEntry> list_norms() {
  std::vector<ListedEntry> entries;
  for (const NormKind& kind : norms()) {
    Fields fields = {{"name", text(kind.name)}, {"summary", text(kind.formula)}};
    add(fields, "source", text(kind.source));
    add(fields, "aliases", joined(kind.aliases));
    entries.push_back({fields});
  }
  return entries;
}

std::vector<ListedEntry> list_metrics() {
  std::vector<ListedEntry> entries;
  for (const Metric& metric : metrics()) {
    Fields fields = {
        {"name", text(metric.name)}, {"summary", text(metric.definition)}, {"unit", text(metric.unit)}};
    add(fields, "source", text(metric.source));
    add(fields, "aliases", joined(metric.aliases));
    entries.push_back({fields});
  }
  return entries;
}

std::vector<ListedEntry> list_checks() {
  std::vector<ListedEntry> entries;
  for (const Check& check : checks()) {
    Fields fields = {{"name", text(check.name)}, {"summary", text(check.claim)}};
    add(fields, "parameters", params_text(check.params));
    add(fields, "needs the spectrum", check.needs_spectrum ? "yes" : "no");
    add(fields, "source", text(check.source));
    entries.push_back({fields});
  }
  return entries;
}

std::vector<ListedEntry> list_methods() {
  std::vector<ListedEntry> entries = {
      {{{"name", "auto"},
        {"summary", "the first method of the chain that applies and passes its certificate"}}}};
  for (const SpectrumMethod& method : spectrum_methods()) {
    Fields fields = {{"name", text(method.name)}, {"summary", text(method.summary)}};
    add(fields, "gives", text(to_string(method.gives)));
    if (method.max_dimension > 0) add(fields, "largest dimension", std::to_string(method.max_dimension));
    add(fields, "source", text(method.reference));
    entries.push_back({fields});
  }
  return entries;
}

std::vector<ListedEntry> list_formats() {
  std::vector<ListedEntry> entries;
  for (const RendererKind& kind : renderers())
    entries.push_back({{{"name", text(kind.name)}, {"summary", text(kind.summary)}}});
  return entries;
}

}  // namespace

const std::vector<Listing>& listings() {
  static const std::vector<Listing> all = {{"schemes", "Scaling schemes", list_schemes},
                                           {"families", "Families", list_families},
                                           {"activations", "Activations", list_activations},
                                           {"initializers", "Initializers", list_initializers},
                                           {"norms", "Norms", list_norms},
                                           {"metrics", "Metrics", list_metrics},
                                           {"checks", "Checks", list_checks},
                                           {"methods", "Spectrum methods", list_methods},
                                           {"formats", "Output formats", list_formats}};
  return all;
}

}  // namespace rezero::cli
