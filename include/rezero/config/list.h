#pragma once
/// Lists, counts and sizes in the notation of the command line.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rezero/core/types.h"

namespace rezero {

/// Maximum number of entries in a list.
constexpr std::size_t longest_list = 1'000'000;

/// `1,2,4`, `a:b` (both included), `a:b:step`, `a:b:xF` (geometric: a, aF, aF², … up to b, rounded to whole
/// numbers, each once; F > 1), and any of these joined by commas: `1:4, 8, 16:64:x2`. Whole numbers of at
/// least 1 (including `1e3`, by decimal arithmetic). Returned in ascending order, each once. UsageError
/// naming `option` and the text: a number that is zero, negative or not whole, a range that ends before it
/// begins, more than longest_list values (refused before they are generated).
std::vector<Index> parse_index_list(std::string_view text, std::string_view option);

/// The same for seeds: any 64-bit unsigned number, including 0; in the order written, without repetitions.
std::vector<std::uint64_t> parse_seed_list(std::string_view text, std::string_view option);

/// `plain, rezero:alpha=0.1`: split at commas, without the blanks around them. UsageError for an empty item.
std::vector<std::string> parse_name_list(std::string_view text, std::string_view option);

/// The same for names whose parameters may be lists: an item that begins as a number does continues the value
/// of the parameter before it, so that `fixed:alpha=0.1,0.3, rezero` is two items.
std::vector<std::string> parse_swept_name_list(std::string_view text, std::string_view option);

/// Real numbers in the notation of lists, and that notation in its shortest form.
struct RealList {
  std::vector<Real> values;
  std::string text;
};

/// `0.1,0.3`, `a:b:step`, `a:b:xF` (a > 0, F > 1) and any of these joined by commas; in the order written,
/// each number once. Decimal arithmetic: 0:1:0.1 is 0, 0.1, 0.2, 0.3, …, 1 (src/config/decimal_range.h).
/// UsageError naming `what` and the part at fault.
RealList parse_real_list(std::string_view text, std::string_view what);

/// `18,18,18`: whole numbers of at least 1, in the order written, with repetitions. UsageError as above.
std::vector<Index> parse_count_list(std::string_view text, std::string_view option);

/// One whole number from 1 to 2^53 (`1e3` is allowed). UsageError naming `option` and the text.
Index parse_count(std::string_view text, std::string_view option);

/// `4G`, `512MiB`, `1e9`: a number with an optional suffix k, M, G, T (powers of 1000) or Ki, Mi, Gi, Ti (of
/// 1024), and optionally a trailing B. UsageError naming `option` otherwise.
Real parse_bytes(std::string_view text, std::string_view option);

}  // namespace rezero
