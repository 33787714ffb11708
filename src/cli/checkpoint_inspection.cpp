#include "cli/checkpoint_inspection.h"

#include <algorithm>

#include "config/checkpoints.h"
#include "report/json_writer.h"
#include "rezero/core/error.h"
#include "rezero/core/text.h"

namespace rezero::cli {
namespace {

LayoutSpec layout_for(const SafetensorsFile& file, const PlanOptions& options) {
  if (options.layout) return LayoutSpec(*options.layout);
  const std::vector<const Layout*> fitting =
      fitting_layouts(file, options.leave_out.value_or(std::vector<std::string>{}));
  if (fitting.empty())
    throw UsageError(file.what() +
                     ": its names fit no layout (give --layout NAME to see why, or see list layouts)");
  return LayoutSpec(fitting.front()->name);
}

std::string widths_text(const CheckpointFacts& facts) {
  const auto [least, most] = std::minmax_element(facts.hidden.begin(), facts.hidden.end());
  std::string text = "features " + std::to_string(facts.features) + ", hidden " + std::to_string(*least);
  if (*least != *most) text += " to " + std::to_string(*most);
  if (facts.heads == 0) return text + ", heads not in the file (--heads)";
  text += ", " + std::to_string(facts.heads) + (facts.heads == 1 ? " head" : " heads") + " of width " +
          std::to_string(facts.queries / facts.heads);
  if (facts.kv_heads != facts.heads) text += ", " + std::to_string(facts.kv_heads) + " for keys and values";
  return text;
}

std::string names_text(const char* title, const std::vector<std::string>& names) {
  if (names.empty()) return "";
  std::string text = std::string(title) + "\n";
  for (const std::string& name : names) text += "  " + printable(name) + "\n";
  return text;
}

void write_names(detail::JsonWriter& json, std::string_view key, const std::vector<std::string>& names) {
  json.line(2), json.key(key), json.begin_array();
  for (const std::string& name : names) json.text(name);
  json.end_array();
}

void write_size(detail::JsonWriter& json, std::string_view key, Index size) {
  json.line(2), json.key(key);
  if (size > 0)
    json.integer(size);
  else
    json.null();
}

}  // namespace

CheckpointInspection inspect_checkpoint(const std::string& path, const PlanOptions& options) {
  const SafetensorsFile file = parse_state_dict(read_file(path), path);
  CheckpointInspection seen{path, layout_for(file, options), file.tensors().size(), {}, {}};
  seen.facts = survey_checkpoint(file, seen.layout, detail::checkpoint_settings(options));
  for (const std::string& name : seen.facts.scales)
    seen.gates.emplace_back(name, file.tensor(name).values.at(0));
  return seen;
}

std::string checkpoint_text(const CheckpointInspection& seen) {
  const CheckpointFacts& facts = seen.facts;
  std::string text = printable(seen.path) + " · " + std::to_string(seen.tensors) + " tensors · layout " +
                     seen.layout.canonical();
  if (!facts.prefix.empty()) text += " · prefix " + printable(facts.prefix);
  const auto per_layer = static_cast<Index>(seen.layout.layout().branches.size());
  text += "\n" + std::to_string(facts.layers) + (facts.layers == 1 ? " layer, " : " layers, ") +
          std::to_string(facts.layers * per_layer) + " blocks (" + joined(seen.layout.layout().branches) +
          ")\n" + widths_text(facts) + "\n";
  if (!seen.gates.empty()) text += "gates\n";
  for (const auto& [name, value] : seen.gates)
    text += "  " + printable(name) + " = " + shortest(value) + "\n";
  return text + names_text("norm after the stack", facts.final_norm) +
         names_text("not part of the stack", facts.outside) + names_text("left out", facts.left_out);
}

std::string checkpoint_json(const CheckpointInspection& seen) {
  const CheckpointFacts& facts = seen.facts;
  std::string text;
  detail::JsonWriter json([&text](std::string_view part) { text += part; });
  json.begin_object();
  json.line(2), json.member("file", seen.path);
  json.line(2), json.member("tensors", static_cast<Index>(seen.tensors));
  json.line(2), json.member("layout", seen.layout.canonical());
  json.line(2), json.member("prefix", facts.prefix);
  json.line(2), json.member("layers", facts.layers);
  json.line(2),
      json.member("blocks", facts.layers * static_cast<Index>(seen.layout.layout().branches.size()));
  json.line(2), json.member("features", facts.features);
  json.line(2), json.key("hidden"), json.begin_array();
  for (const Index hidden : facts.hidden) json.integer(hidden);
  json.end_array();
  write_size(json, "heads", facts.heads);
  write_size(json, "kv_heads", facts.kv_heads);
  write_size(json, "head_width", facts.heads > 0 ? facts.queries / facts.heads : 0);
  json.line(2), json.key("gates"), json.begin_object();
  for (const auto& [name, value] : seen.gates) json.key(name), json.real(value);
  json.end_object();
  write_names(json, "final_norm", facts.final_norm);
  write_names(json, "outside", facts.outside);
  write_names(json, "left_out", facts.left_out);
  json.line(0), json.end_object();
  json.flush();
  return text + "\n";
}

}  // namespace rezero::cli
