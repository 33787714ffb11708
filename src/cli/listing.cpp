#include "cli/listing.h"

#include <algorithm>

#include "rezero/analysis/check.h"
#include "rezero/analysis/metric.h"
#include "rezero/core/contract.h"
#include "rezero/init/initializer.h"
#include "rezero/io/layout.h"
#include "rezero/layers/norm.h"
#include "rezero/model/family.h"
#include "rezero/model/scheme.h"
#include "rezero/report/renderer.h"
#include "rezero/spectrum/method.h"
#include "rezero/theory/outlook.h"

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

void add(Fields& fields, const char* name, std::string_view value) {
  if (!value.empty()) fields.emplace_back(name, value);
}
void add_flag(Fields& fields, const char* name, bool value) {
  fields.emplace_back(name, value ? "yes" : "no");
}
void add_params(Fields& fields, const Entry& entry) {
  add(fields, "parameters", params_text(entry.params));
}

/// The defaults of a scheme's nets over images that differ from those of all schemes.
std::string conv_text(const ConvDefaults& conv) {
  const ConvDefaults usual;
  std::vector<std::string> words;
  if (conv.order != usual.order) words.push_back("--order " + text(to_string(conv.order)));
  if (conv.norm != usual.norm) words.push_back("--norm " + text(conv.norm));
  if (conv.shortcut != usual.shortcut) words.push_back("--shortcut " + text(to_string(conv.shortcut)));
  if (conv.init != usual.init) words.push_back("--init " + text(conv.init));
  return joined({words.begin(), words.end()});
}

// The fields of an entry between its summary and its source.

void details(Fields& fields, const Scheme& scheme) {
  add(fields, "update", scheme.update);
  add_params(fields, scheme);
  add(fields, "depth symbol", scheme.depth_symbol);
  add_flag(fields, "blocks depend on total depth",
           scheme.depends_on_depth(resolve_params({text(scheme.name), {}}, scheme.params, "scheme")));
  add(fields, "defined for", joined(scheme.made_for));
  add(fields, "starts with attention from", scheme.init);
  add(fields, "over images", conv_text(scheme.conv));
}

void details(Fields& fields, const Family& family) {
  const std::vector<const BranchKind*> blocks = family.branches();
  if (blocks.size() == 1)
    add(fields, "branch", blocks[0]->formula);
  else
    add(fields, "blocks of a layer", joined(family.blocks));
  add(fields, "degree", family.degree() == 0 ? "none" : std::to_string(family.degree()));
  add(fields, "hidden width",
      family.has_hidden() ? "--hidden-ratio " + shortest(family.default_hidden_ratio) : "none");
  if (family.has_tokens()) add(fields, "positions", "--tokens " + std::to_string(family.default_tokens));
}

void details(Fields& fields, const ActivationKind& kind) {
  add(fields, "derivative", kind.derivative_formula);
  add(fields, "at the kink", kind.kink);
  add_params(fields, kind);
  add_flag(fields, "positively homogeneous", kind.degree == 1);
  const Real parameter = kind.params.empty() ? 0 : parse_real(kind.params[0].default_text, "default");
  add(fields, "gain", shortest(kind.gain(parameter)));
}

void details(Fields& fields, const InitializerKind& kind) {
  add(fields, "law", kind.formula);
  add_params(fields, kind);
}

void details(Fields&, const NormKind&) {}

void details(Fields& fields, const Metric& metric) {
  add(fields, "unit", metric.unit);
}

void details(Fields& fields, const Check& check) {
  add_params(fields, check);
  add_flag(fields, "needs the spectrum", check.needs_spectrum);
}

void details(Fields& fields, const SpectrumMethod& method) {
  add(fields, "gives", to_string(method.gives));
  if (method.max_dimension > 0) add(fields, "largest dimension", std::to_string(method.max_dimension));
}

void details(Fields& fields, const theory::PredictionKind& kind) {
  add(fields, "conditions", kind.conditions);
  add_flag(fields, "tested", kind.compare != nullptr);
}

void details(Fields&, const RendererKind&) {}

/// `layers.{layer}.linear1.weight (h × d)`.
std::string tensor_text(const Layout& layout, const LayoutTensor& tensor) {
  const LayoutSpec standard{NamedSpec{text(layout.name), {}}};
  return text(tensor.name) +
         (tensor.shape.empty() ? "" : " (" + axes_text(standard.stored_shape(tensor)) + ")");
}

/// The tensors of a layout for which a predicate holds.
template <class F>
std::string tensors_text(const Layout& layout, const F& belongs) {
  std::string all;
  for (const LayoutTensor& tensor : layout.tensors)
    if (belongs(tensor)) all += (all.empty() ? "" : ", ") + tensor_text(layout, tensor);
  return all;
}

std::string norm_text(const Layout& layout) {
  const std::string norm(layout.norm);
  if (!layout.has_block_norms) return "none in a layer; " + norm + " after the stack";
  return norm + (LayoutSpec(NamedSpec{text(layout.name), {}}).find("norm_first") ? ", placed by norm_first"
                                                                                 : " before the branch");
}

void details(Fields& fields, const Layout& layout) {
  const auto of_norm = [](const LayoutTensor& tensor) {
    return tensor.use == TensorUse::final_norm_weight || tensor.use == TensorUse::final_norm_bias;
  };
  add(fields, "blocks of a layer", joined(layout.branches));
  add(fields, "activation", text(layout.activation) + ", or --activation");
  add(fields, "norm", norm_text(layout));
  add(fields, "attention", layout.causal ? "causal" : "to all positions, or --causal");
  add_params(fields, layout);
  add(fields, "tensors of a layer", tensors_text(layout, [&](const LayoutTensor& tensor) {
        return tensor.is_read() && !of_norm(tensor) && !tensor.optional;
      }));
  add(fields, "in all layers or in none", tensors_text(layout, [&](const LayoutTensor& tensor) {
        return tensor.is_read() && !of_norm(tensor) && tensor.optional;
      }));
  add(fields, "norm after the stack", tensors_text(layout, of_norm) + ", applied by --final-norm");
  add(fields, "not part of the stack",
      tensors_text(layout, [](const LayoutTensor& tensor) { return !tensor.is_read(); }));
  const bool groups =
      std::any_of(layout.tensors.begin(), layout.tensors.end(), [](const LayoutTensor& tensor) {
        return !tensor.shape.empty() && tensor.shape.front().extent == Extent::keys;
      });
  add(fields, "from the shapes",
      text("layers, features d, hidden width h") +
          (groups ? ", q = heads × head width, k = key and value heads × head width" : ""));
  add(fields, "not in the file",
      text("--heads") + (groups ? " (but in inv_freq, of w/2 numbers for heads of width w)" : "") +
          ", --tokens, and the parameters");
}

template <class T>
std::vector<ListedEntry> entries_of(const Registry<T>& registry) {
  std::vector<ListedEntry> entries;
  for (const T& entry : registry) {
    Fields fields = {{"name", text(entry.name)}, {"summary", text(entry.summary)}};
    details(fields, entry);
    add(fields, "source", entry.source);
    add(fields, "aliases", joined(entry.aliases));
    entries.push_back({fields});
  }
  return entries;
}

std::vector<ListedEntry> initializers_and_presets() {
  std::vector<ListedEntry> entries = entries_of(initializers());
  for (const auto& [alias, meaning] : initializer_presets())
    entries.push_back({{{"name", text(alias)}, {"summary", "short for " + text(meaning)}}});
  return entries;
}

std::vector<ListedEntry> methods_and_auto() {
  std::vector<ListedEntry> entries = entries_of(spectrum_methods());
  entries.insert(entries.begin(),
                 {{{"name", "auto"},
                   {"summary", "the first method of the chain that applies and passes its certificate"}}});
  return entries;
}

}  // namespace

const std::vector<Listing>& listings() {
  static const std::vector<Listing> all = {
      {"schemes", "Scaling schemes", [] { return entries_of(schemes()); }},
      {"families", "Families", [] { return entries_of(families()); }},
      {"activations", "Activations", [] { return entries_of(activations()); }},
      {"initializers", "Initializers", initializers_and_presets},
      {"norms", "Norms", [] { return entries_of(norms()); }},
      {"layouts", "Layouts of checkpoints", [] { return entries_of(layouts()); }},
      {"metrics", "Metrics", [] { return entries_of(metrics()); }},
      {"theory", "Predictions", [] { return entries_of(theory::predictions()); }},
      {"checks", "Checks", [] { return entries_of(checks()); }},
      {"methods", "Spectrum methods", methods_and_auto},
      {"formats", "Output formats", [] { return entries_of(renderers()); }}};
  return all;
}

const Listing& listing(std::string_view name) {
  for (const Listing& each : listings())
    if (each.name == name) return each;
  REZERO_REQUIRE(false);
  return listings().front();
}

}  // namespace rezero::cli
