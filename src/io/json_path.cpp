#include "io/json_path.h"

#include <algorithm>

#include "rezero/core/registry.h"

namespace rezero {

std::string json_member_path(std::string_view parent, std::string_view key) {
  const bool plain = !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  if (!plain) return std::string(parent) + "['" + printable(key) + "']";
  return parent.empty() ? printable(key) : std::string(parent) + "." + printable(key);
}

std::string json_element_path(std::string_view parent, std::size_t index) {
  return std::string(parent) + "[" + std::to_string(index) + "]";
}

}  // namespace rezero
