#pragma once
/// Names of places in a JSON document, for messages: `blocks[2].branch.kind`. The top level is the empty
/// path.

#include <cstddef>
#include <string>
#include <string_view>

namespace rezero {

/// `parent.key`; a key that is not an identifier is quoted: `parent['a b']`. Control characters are escaped.
std::string json_member_path(std::string_view parent, std::string_view key);
/// `parent[index]`.
std::string json_element_path(std::string_view parent, std::size_t index);

}  // namespace rezero
