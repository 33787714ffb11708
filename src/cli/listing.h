#pragma once
/// Everything that has a name, as tables of text: the content of `list` and docs/schemes.md.

#include <string>
#include <string_view>
#include <vector>

namespace rezero::cli {

/// One named entry: (field, text) pairs in display order, beginning with its name and its summary.
struct ListedEntry {
  std::vector<std::pair<std::string, std::string>> fields;
};

/// The content of a registry.
struct Listing {
  std::string_view name;   ///< schemes
  std::string_view title;  ///< Scaling schemes
  std::vector<ListedEntry> (*entries)();
};

const std::vector<Listing>& listings();

/// A listing by its name, which must exist.
const Listing& listing(std::string_view name);

std::string listing_text(const Listing& listing);
std::string listing_markdown(const Listing& listing);
std::string listings_json(const std::vector<const Listing*>& chosen);

}  // namespace rezero::cli
