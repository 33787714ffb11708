#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/listing.h"
#include "rezero/core/text.h"

namespace rezero::cli {
namespace {

/// In a code span, because formulas contain characters with a meaning in Markdown.
std::string code(const std::string& text) {
  return "`" + text + "`";
}

bool is_formula(const std::string& field) {
  return field == "update" || field == "branch" || field == "law" || field == "derivative";
}

}  // namespace

std::string listing_text(const Listing& listing) {
  std::string out = std::string(listing.title) + "\n";
  const std::vector<ListedEntry> entries = listing.entries();
  std::size_t widest = 0;
  for (const ListedEntry& entry : entries) widest = std::max(widest, display_width(entry.fields[0].second));
  for (const ListedEntry& entry : entries) {
    out += "  " + pad_right(entry.fields[0].second, widest + 2) + entry.fields[1].second + "\n";
    for (std::size_t i = 2; i < entry.fields.size(); ++i)
      out += std::string(widest + 4, ' ') + entry.fields[i].first + ": " + entry.fields[i].second + "\n";
  }
  return out;
}

std::string listing_markdown(const Listing& listing) {
  std::string out = "## " + std::string(listing.title) + "\n";
  for (const ListedEntry& entry : listing.entries()) {
    out += "\n### " + code(entry.fields[0].second) + "\n\n" + entry.fields[1].second + "\n";
    if (entry.fields.size() > 2) out += "\n";
    for (std::size_t i = 2; i < entry.fields.size(); ++i) {
      const auto& [field, value] = entry.fields[i];
      out += "- " + field + ": " + (is_formula(field) ? code(value) : value) + "\n";
    }
  }
  return out;
}

std::string listings_json(const std::vector<const Listing*>& chosen) {
  nlohmann::ordered_json document = nlohmann::ordered_json::object();
  for (const Listing* listing : chosen) {
    auto& array = document[std::string(listing->name)] = nlohmann::ordered_json::array();
    for (const ListedEntry& entry : listing->entries()) {
      nlohmann::ordered_json object = nlohmann::ordered_json::object();
      for (const auto& [field, value] : entry.fields) {
        std::string key = field;
        std::replace(key.begin(), key.end(), ' ', '_');
        object[key] = value;
      }
      array.push_back(std::move(object));
    }
  }
  return document.dump(2) + "\n";
}

}  // namespace rezero::cli
