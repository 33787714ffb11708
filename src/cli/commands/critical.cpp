#include <cmath>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/critical_report.h"
#include "rezero/config/list.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"

namespace rezero::cli {
namespace {

constexpr const char* examples =
    "Examples:\n"
    "  rezero-analyze critical --activation tanh --sigma-b 0,0.1,0.2236\n"
    "  rezero-analyze critical --activation gelu --format json\n"
    "  rezero-analyze critical --activation tanh --sigma-w 1,1.5,2 --sigma-b 0.2\n"
    "  rezero-analyze critical --family mlp --scheme depth-power,rezero --depth 128 --bound 2\n";

void declare_options(CommandLine& line) {
  line.group("Stacks");
  line.option("--activation", "NAME[:P=V]", "activation function (see list activations)", "relu");
  line.option("--family", "NAME", "what a layer is: linear, dense or preactivation without skips", "dense");
  line.option("--scheme", "NAME[:P=V]...,...", "plain, or schemes with skips", "plain");
  line.group("Plain nets");
  line.option("--sigma-b", "LIST", "standard deviations of biases", "0,0.05,0.1,0.2,0.5,1");
  line.option("--q", "LIST", "instead: variances of the activation's argument at the fixed point");
  line.option("--sigma-w", "LIST",
              "the phase of nets with these standard deviations of weights · sqrt(fan-in)");
  line.group("Other schemes");
  line.option("--solve", "PARAM", "the number of the scheme to solve for", "alpha, or c of depth-power");
  line.option("--width", "N", "number of features", "64");
  line.option("--hidden-ratio", "R", "hidden width divided by the width", "1");
  line.option("--init", "NAME[:P=V]...", "weight initializer (see list initializers)",
              "he; the scheme's own");
  line.group("Depth");
  line.option("--depth", "L", "number of layers", "64");
  line.option("--bound", "B", "of m1 with skips; of m2/m1^2 - 1 and sigma_max without", "10");
  line.option("--range", "K", "trainable: gradients and 1 - correlation within e^-K to e^K", "1");
  line.option("--correlation", "RHO", "of two inputs", "0.9");
  line.option("--max-depth", "L", "largest trainable depth that is looked for", "256");
  line.group("Output");
  line.option("--format", "NAME", "text or json", "text");
}

Real real_option(const ParsedLine& line, const std::string& name, Real otherwise) {
  const auto text = line.find(name);
  return text ? parse_real(*text, "--" + name) : otherwise;
}

/// The numbers that a list may hold, besides 0 if it may.
struct Range {
  Real least, most;
  bool zero = false;
};
// Fixed points q* of bounded activations then lie within the range that theory searches.
constexpr Range weights_range{1e-5, 1e5}, biases_range{1e-5, 1e5, true}, fixed_points_range{1e-6, 1e12};

std::vector<Real> real_list(const std::string& text, const std::string& name, const Range& range) {
  std::vector<Real> numbers;
  for (const std::string& item : parse_name_list(text, "--" + name)) {
    const Real value = parse_real(item, "--" + name);
    if (!(value >= range.least && value <= range.most) && !(range.zero && value == 0))
      throw UsageError("--" + name + " must be " + (range.zero ? "0 or " : "") + "between " +
                       shortest(range.least) + " and " + shortest(range.most) + ", got '" + printable(item) +
                       "'");
    numbers.push_back(value);
  }
  return numbers;
}

CriticalQuery read_query(const ParsedLine& line) {
  CriticalQuery query;
  query.family = std::string(families().at(line.find("family").value_or("dense")).name);
  query.activation =
      Activation(query.family == "linear" ? "identity" : line.find("activation").value_or("relu"));
  query.width = parse_count(line.find("width").value_or("64"), "--width");
  query.depth = parse_count(line.find("depth").value_or("64"), "--depth");
  query.bound = real_option(line, "bound", 10);
  query.trainability.range = real_option(line, "range", 1);
  query.trainability.rho = real_option(line, "correlation", 0.9);
  query.trainability.limit = parse_count(line.find("max-depth").value_or("256"), "--max-depth");
  if (!(query.bound > 0)) throw UsageError("--bound must be positive");
  if (!(query.trainability.range > 0)) throw UsageError("--range must be positive");
  if (!(std::abs(query.trainability.rho) < 1))
    throw UsageError("--correlation must be between -1 and 1, ends excluded");
  constexpr Index deepest = 10000;  // theory walks through every layer
  if (query.trainability.limit > deepest || query.depth > deepest)
    throw UsageError("--depth and --max-depth must be at most 10000");
  return query;
}

void refuse(const ParsedLine& line, std::initializer_list<const char*> names, const std::string& why) {
  for (const char* name : names)
    if (line.has(name)) throw UsageError("--" + std::string(name) + " " + why);
}

PlainReport plain_report(const ParsedLine& line, const CriticalQuery& query) {
  refuse(line, {"solve", "width", "hidden-ratio", "init"},
         "does not apply to plain nets (choose another --scheme)");
  if (query.family != "linear" && query.family != "dense" && query.family != "preactivation")
    throw UsageError(
        "critical nets without skips are known for the families linear, dense and preactivation, not '" +
        query.family + "' (choose another --family, or a --scheme with skips)");
  if (query.family == "linear" && line.has("activation"))
    throw UsageError("family 'linear' has no activation (remove --activation)");
  const std::vector<Real> sigma_b =
      real_list(line.find("sigma-b").value_or(line.has("sigma-w") ? "0" : "0,0.05,0.1,0.2,0.5,1"), "sigma-b",
                biases_range);
  if (line.has("q") && (line.has("sigma-b") || line.has("sigma-w")))
    throw UsageError("--q determines both variances (remove --sigma-b and --sigma-w)");
  if (const auto text = line.find("sigma-w"))
    return report_of_nets(query, real_list(*text, "sigma-w", weights_range), sigma_b);
  if (const auto text = line.find("q"))
    return report_by_fixed_point(query, real_list(*text, "q", fixed_points_range));
  return report_by_bias(query, sigma_b);
}

std::vector<SchemeReport> scheme_reports(const ParsedLine& line, const CriticalQuery& query,
                                         const std::vector<std::string>& names) {
  refuse(line, {"sigma-b", "sigma-w", "q"}, "applies to --scheme plain alone");
  const Family& family = families().at(query.family);
  std::vector<SchemeReport> reports;
  for (const std::string& name : names) {
    StackSpec spec{SchemeSpec(name), family};
    if (!family.has_hidden() && line.has("hidden-ratio"))
      throw UsageError("family '" + query.family + "' has no hidden layer (remove --hidden-ratio)");
    spec.activation = query.activation;
    if (const auto text = line.find("init")) spec.initializer = Initializer(*text);
    spec.width = query.width;
    spec.hidden_ratio = real_option(line, "hidden-ratio", spec.hidden_ratio);
    if (!(spec.hidden_ratio > 0)) throw UsageError("--hidden-ratio must be positive");
    require_fit(spec, query.depth);
    reports.push_back(report_of_scheme(query, spec, line.find("solve").value_or("")));
  }
  return reports;
}

int critical(const Arguments& args, const Environment& env) {
  CommandLine line(
      "rezero-analyze critical [options]",
      "Critical initializations at infinite width: variances of weights and biases with which the\n"
      "gradients of a plain net neither vanish nor explode, and branch scales of residual stacks\n"
      "that keep them within a bound.\n",
      examples);
  declare_options(line);
  const auto parsed = line.parse(args);
  if (!parsed) return print(env, line.help());
  const std::string format = parsed->find("format").value_or("text");
  if (format != "text" && format != "json")
    throw UsageError(unknown_name_message("format of critical", format, {"text", "json"}));
  const CriticalQuery query = read_query(*parsed);
  const std::vector<std::string> names =
      parse_name_list(parsed->find("scheme").value_or("plain"), "--scheme");
  const auto answer = [&](const auto& report) {
    return print(env, format == "json" ? critical_json(query, report) : critical_text(query, report));
  };
  if (names.size() == 1 && SchemeSpec(names[0]).scheme().name == "plain")
    return answer(plain_report(*parsed, query));
  return answer(scheme_reports(*parsed, query, names));
}

}  // namespace

Command command_critical() {
  Command command;
  command.name = "critical";
  command.summary = "critical initializations, and branch scales that keep gradients within a bound";
  command.run = critical;
  return command;
}

}  // namespace rezero::cli
