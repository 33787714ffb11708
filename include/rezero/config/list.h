#pragma once
/// Lists, counts and sizes as users write them on the command line.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rezero/core/types.h"

namespace rezero {

/// What one list may hold.
constexpr std::size_t longest_list = 1'000'000;

/// `1,2,4`, `a:b` (both included), `a:b:step`, `a:b:xF` (geometric: a, aF, aF², … up to b, rounded to whole
/// numbers, each once; F > 1), and any of these joined by commas: `1:4, 8, 16:64:x2`. Whole numbers of at
/// least 1 (`1e3` is one, by decimal arithmetic). Ascending, each once. UsageError naming `option` and the
/// text: a number that is zero, negative or no whole number, a range that ends before it begins, more than
/// longest_list values (refused before they are made).
std::vector<Index> parse_index_list(std::string_view text, std::string_view option);

/// The same for seeds: any 64-bit unsigned number, 0 included; in the order written, repetitions dropped.
std::vector<std::uint64_t> parse_seed_list(std::string_view text, std::string_view option);

/// `plain, rezero:alpha=0.1`: split at commas, blanks around them left out. UsageError for an empty item.
std::vector<std::string> parse_name_list(std::string_view text, std::string_view option);

/// `18,18,18`: whole numbers of at least 1, in the order written, repetitions kept. UsageError as above.
std::vector<Index> parse_count_list(std::string_view text, std::string_view option);

/// One whole number from 1 to 2^53 (`1e3` is one). UsageError naming `option` and the text.
Index parse_count(std::string_view text, std::string_view option);

/// `4G`, `512MiB`, `1e9`: a number with an optional suffix k, M, G, T (powers of 1000) or Ki, Mi, Gi, Ti (of
/// 1024), a trailing B allowed. UsageError naming `option` otherwise.
Real parse_bytes(std::string_view text, std::string_view option);

}  // namespace rezero
