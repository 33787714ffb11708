#include "config/analysis_options.h"

#include <algorithm>

#include "config/axes.h"
#include "config/names.h"
#include "config/options.h"
#include "rezero/analysis/recipe.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"
#include "rezero/onnx/found_blocks.h"
#include "rezero/spectrum/method.h"

namespace rezero::detail {
namespace {

/// --expect-scheme is about weights, and most schemes are no identity: it brings no other check with it.
std::vector<CheckSpec> resolve_checks(const PlanOptions& options) {
  std::vector<CheckSpec> out;
  if (options.expect_scheme && !options.check) return out;
  for (const std::string& text : value_or_default(options, &PlanOptions::check)) {
    CheckSpec check(parse_named_spec(text));
    const auto same = [&](const CheckSpec& known) { return known.canonical() == check.canonical(); };
    if (std::none_of(out.begin(), out.end(), same)) out.push_back(std::move(check));
  }
  return out;
}

Index count(const std::optional<Index>& written, std::string_view option) {
  if (written && *written < 1)
    throw UsageError(std::string(option) + " must be at least 1, got " + std::to_string(*written));
  return written.value_or(0);
}

/// A check of singular values covers all of them.
void require_full_spectrum(std::string_view method) {
  if (method != "auto" && spectrum_methods().at(method).gives != SpectrumScope::full)
    throw UsageError("--method " + std::string(method) +
                     " does not give all singular values, which verify needs: use auto or dense");
}

/// Only the gate gradients of a profile are products with a cotangent.
void require_use_of_cotangent(const PlanOptions& options) {
  const bool unusual = options.cotangent && lookup<CotangentLaw>(*options.cotangent) != CotangentLaw::random;
  if (unusual && !options.profile.value_or(false))
    throw UsageError("--cotangent " + *options.cotangent +
                     " needs --profile (nothing else uses a cotangent)");
}

Real level_of(const PlanOptions& options) {
  const Real level = value_or_default(options, &PlanOptions::expect_level);
  if (!(level >= 1e-12 && level < 1))
    throw UsageError("--expect-level must be at least 1e-12 and below 1, got " + shortest(level));
  return level;
}

/// A graph's weights, and their copies with outputs as rows.
Real bytes_of_copies(const Stack& stack) {
  Real numbers = 0;
  for (Index l = 0; l < stack.blocks(); ++l) numbers += stack.block(l)->weight_count();
  return 2 * numbers * sizeof(Real);
}

/// The recipe about the blocks of each file. Returns that of the first.
std::shared_ptr<const Recipe> recipe_of_files(Recipe recipe, StackInput& stacks,
                                              const ResolveContext& context) {
  Real copies = 0;
  for (StackFile& file : stacks.files) {
    const auto graph = std::dynamic_pointer_cast<const onnx::OnnxStack>(file.stack);
    if (graph && recipe.init)
      for (const ParamValue& value : recipe.init->params().values())
        if (value.text == "auto")
          throw UsageError("--expect-init with " + value.name +
                           "=auto needs a stack file (a graph does not name its activation): give a number");
    if (graph) copies += bytes_of_copies(*file.stack);
    if (graph && context.require_memory) context.require_memory(copies, file.file.path);
    recipe.blocks = graph ? onnx::found_blocks(*graph) : found_blocks(*file.stack);
    require_fit(recipe);
    file.recipe = std::make_shared<const Recipe>(recipe);
  }
  return stacks.first().recipe;
}

std::string token_text(Index token) {
  return "token:" + std::to_string(token);
}

}  // namespace

OptionGroup spectrum_options() {
  const auto analysis = OptionUse::analysis, verify = OptionUse::verify;
  const auto no_tokens = [](const Family& family) -> std::string {
    return family.has_images() ? "only families over tokens have token views" : "";
  };
  constexpr std::string_view token = R"({"$ref": "#/$defs/token"})";
  OptionGroup group{"Spectrum", {}};
  group.add("final-norm", &PlanOptions::final_norm, "apply a norm after the stack, at each reported depth")
      .only_in({analysis});
  group.add("wrt", &PlanOptions::wrt, "only the columns of input token i, counted from 0")
      .named("token:i")
      .checked_by(accepted_by<token_of>)
      .json_schema(token)
      .unless(no_tokens)
      .only_in({analysis});
  group.add("of", &PlanOptions::of, "only the rows of output token j, counted from 0")
      .named("token:j")
      .checked_by(accepted_by<token_of>)
      .json_schema(token)
      .unless(no_tokens)
      .only_in({analysis});
  group.add("method", &PlanOptions::method, "auto, or a spectrum method by name (see list methods)")
      .named("NAME")
      .by_default("auto")
      .checked_by(accepted_by<spectrum_method_name>)
      .only_in({analysis, verify})
      .help_in(verify, "for isometry: auto, or a method that gives all values (see list methods)");
  group.add("top", &PlanOptions::top, "only the K largest singular values").named("K").only_in({analysis});
  group.add("bottom", &PlanOptions::bottom, "only the K smallest singular values")
      .named("K")
      .only_in({analysis});
  group.add("values", &PlanOptions::values, "how singular values are reported; log10 has no range limit")
      .by_default("linear")
      .word_of<ValuesMode>()
      .only_in({analysis});
  group
      .add("profile", &PlanOptions::profile,
           "report the norms of states, branches and gradients, block by block")
      .only_in({analysis});
  group
      .add("theory", &PlanOptions::theory,
           "predictions at infinite width beside the measurements, and whether they agree (see list theory)")
      .only_in({analysis});
  group
      .add("cotangent", &PlanOptions::cotangent,
           "cotangent of the gate gradients: a random unit vector, or ones (the sum of outputs)")
      .by_default("random")
      .word_of<CotangentLaw>()
      .only_in({analysis, verify})
      .help_in(verify, "cotangent of the gradients that alive examines");
  for (PlanOption& option : group.options) option.for_any_stack();
  group.options.front().any_graph = false;  // the final norm: a graph has its own, and --to chooses
  return group;
}

OptionGroup check_options() {
  OptionGroup group{"Checks", {}};
  group
      .add("check", &PlanOptions::check,
           "identity:tol=0 (max|J - I| and max|f(x) - x|), isometry:tol=0.1 (every singular value), "
           "alive (whatever switches a branch off receives a gradient), live (no branch is zero "
           "unless a parameter is; as=warning only reports it)")
      .named("NAME[:P=V]")
      .by_default("identity,alive,live:as=warning")
      .default_text("identity,alive,live:as=warning; none with --expect-scheme")
      .checked_by(makes<CheckSpec>)
      .for_any_stack()
      .only_in({OptionUse::verify});
  group
      .add("expect-scheme", &PlanOptions::expect_scheme,
           "check that the weights of --stack or --onnx have the sizes that this scheme draws")
      .named("NAME[:P=V]")
      .checked_by(makes<SchemeSpec>)
      .for_any_stack()
      .only_in({OptionUse::verify});
  group
      .add("expect-init", &PlanOptions::expect_init,
           "initializer that --expect-scheme assumes (see list initializers)")
      .named("NAME[:P=V]")
      .default_text("that of the scheme's source")
      .checked_by(makes<Initializer>)
      .for_any_stack()
      .only_in({OptionUse::verify});
  group
      .add("expect-level", &PlanOptions::expect_level,
           "probability that --expect-scheme accuses weights that follow the scheme, for each file as a whole")
      .named("P")
      .by_default("0.001")
      .json_schema(R"({"type": "number", "minimum": 1e-12, "exclusiveMaximum": 1})")
      .for_any_stack()
      .only_in({OptionUse::verify});
  return group;
}

OptionGroup memory_options() {
  OptionGroup group{"Run", {}};
  group
      .add("max-memory", &PlanOptions::max_memory,
           "refuse runs that would need more memory (4G, 512Mi), and choose methods that fit")
      .named("BYTES")
      .default_text("80 % of what this process may use, which only refuses")
      .for_any_stack()
      .only_in({OptionUse::analysis, OptionUse::verify});
  return group;
}

void resolve_analysis(AnalysisOptions& analysis, const PlanOptions& options, PlanUse use) {
  analysis.method = spectrum_method_name(value_or_default(options, &PlanOptions::method));
  analysis.cotangent = lookup<CotangentLaw>(value_or_default(options, &PlanOptions::cotangent));
  analysis.final_norm = options.final_norm.value_or(false);
  if (options.max_memory) analysis.max_memory = options.max_memory->count;
  if (use == PlanUse::verify) {
    require_full_spectrum(analysis.method);
    analysis.checks = resolve_checks(options);
    analysis.spectrum = std::any_of(analysis.checks.begin(), analysis.checks.end(),
                                    [](const CheckSpec& spec) { return spec.check().needs_spectrum; });
    return;
  }
  require_use_of_cotangent(options);
  analysis.top = count(options.top, "--top");
  analysis.bottom = count(options.bottom, "--bottom");
  analysis.values = lookup<ValuesMode>(value_or_default(options, &PlanOptions::values));
  analysis.profile = options.profile.value_or(false);
  analysis.theory = options.theory.value_or(false);
}

Index token_of(const std::string& text, std::string_view option) {
  constexpr std::string_view prefix = "token:";
  if (text.compare(0, prefix.size(), prefix) != 0)
    throw UsageError(std::string(option) + " '" + printable(text) + "' is not token:i");
  const std::int64_t token = parse_integer(std::string_view(text).substr(prefix.size()), option);
  if (token < 0)
    throw UsageError(std::string(option) + " '" + printable(text) + "': tokens are counted from 0");
  return token;
}

TokenView resolve_view(const PlanOptions& options, Index positions) {
  TokenView view;
  if (options.wrt) view.wrt = token_of(*options.wrt, "--wrt");
  if (options.of) view.of = token_of(*options.of, "--of");
  for (const auto& [token, option] : {std::pair(view.wrt, "--wrt"), std::pair(view.of, "--of")})
    if (token && *token >= positions)
      throw UsageError(std::string(option) + " token:" + std::to_string(*token) + " is beyond the " +
                       std::to_string(positions) + " tokens there are");
  return view;
}

std::shared_ptr<const Recipe> resolve_recipe(const PlanOptions& options, SweepPlan& plan,
                                             const ResolveContext& context) {
  if (!options.expect_scheme) {
    for (const auto& [given, name] : {std::pair(options.expect_init.has_value(), "--expect-init"),
                                      std::pair(options.expect_level.has_value(), "--expect-level")})
      if (given) throw UsageError(std::string(name) + " needs --expect-scheme NAME");
    return nullptr;
  }
  if (!plan.stack)
    throw UsageError("--expect-scheme needs --stack, --checkpoint or --onnx FILE (a random stack follows its scheme)");
  Recipe recipe{SchemeSpec(*options.expect_scheme), {}, {}, level_of(options)};
  for (const ParamValue& value : recipe.scheme.params().values())
    if (value.kind == ParamKind::series && !value.text.empty())
      throw UsageError("--expect-scheme takes no file of numbers ('" + value.name + "' of scheme '" +
                       std::string(recipe.scheme.scheme().name) + "')");
  if (options.expect_init) recipe.init = Initializer(*options.expect_init);
  return recipe_of_files(std::move(recipe), *plan.stack, context);
}

void describe_analysis(const AnalysisOptions& analysis, PlanOptions& options) {
  if (analysis.final_norm) options.final_norm = true;
  if (analysis.view.wrt) options.wrt = token_text(*analysis.view.wrt);
  if (analysis.view.of) options.of = token_text(*analysis.view.of);
  options.method = analysis.method;
  if (analysis.max_memory) options.max_memory = Bytes{*analysis.max_memory};
  if (analysis.recipe) {
    options.expect_scheme = analysis.recipe->scheme.canonical();
    if (analysis.recipe->init) options.expect_init = analysis.recipe->init->canonical();
    options.expect_level = analysis.recipe->level;
  }
  if (analysis.is_recipe_alone()) return;
  const bool verifies = !analysis.checks.empty();
  if (verifies || analysis.profile) options.cotangent = to_string(analysis.cotangent);
  if (verifies) {
    options.check = canonical_names(analysis.checks);
    return;
  }
  if (analysis.top > 0) options.top = analysis.top;
  if (analysis.bottom > 0) options.bottom = analysis.bottom;
  options.values = to_string(analysis.values);
  options.profile = analysis.profile;
  if (analysis.theory) options.theory = true;
}

}  // namespace rezero::detail
