#pragma once
/// Everything that has a name, as tables of text: what `list` prints and docs repeat.

#include <string>
#include <string_view>
#include <vector>

namespace rezero::cli {

/// One named thing: (field, text) pairs in display order, the first two being its name and a line about it.
struct ListedEntry {
  std::vector<std::pair<std::string, std::string>> fields;
};

/// A registry's content.
struct Listing {
  std::string_view name;   ///< schemes
  std::string_view title;  ///< Scaling schemes
  std::vector<ListedEntry> (*entries)();
};

const std::vector<Listing>& listings();

std::string listing_text(const Listing& listing);
std::string listing_markdown(const Listing& listing);
std::string listings_json(const std::vector<const Listing*>& chosen);

}  // namespace rezero::cli
