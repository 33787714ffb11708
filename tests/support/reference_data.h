#pragma once
/// The committed reference stacks and their correct results (tests/reference/README.md).

#include <nlohmann/json.hpp>
#include <string>

#include "io/strict_json.h"
#include "rezero/io/file.h"

namespace rezero::testing {

inline std::string reference_file(const std::string& name) {
  return std::string(REZERO_TEST_DATA) + "/reference/stacks/" + name;
}
inline nlohmann::ordered_json reference_json(const std::string& name) {
  return parse_strict_json(read_file(reference_file(name)), name);
}

}  // namespace rezero::testing
