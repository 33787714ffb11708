#pragma once
/// Strict parsing of external JSON. Private: public headers do not depend on nlohmann.

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace rezero {

struct StrictJsonOptions {
  std::size_t max_depth = 64;  ///< nested objects and arrays
  /// limits memory: a value takes 16 bytes or more, however short its text
  std::size_t max_values = 20'000'000;
};

/// The document, with keys in the order written. In addition to violations of RFC 8259, it refuses duplicate
/// keys, a byte order mark, invalid UTF-8, more nesting or values than the options allow, numbers outside the
/// range of double (1e400, and 1e-400, which would become 0), and integers of more than 64 bits unless a
/// double holds them exactly (1e30 written with a point or an exponent is rounded as any real number is). A
/// number that is exactly an integer of 64 bits becomes one in any notation (3.0, 9007199254740993e0).
///
/// `what` names the document in messages: "plan 'x.json'". IoError with line and column, or the JSON path.
nlohmann::ordered_json parse_strict_json(std::string_view text, std::string_view what,
                                         const StrictJsonOptions& options = {});

}  // namespace rezero
