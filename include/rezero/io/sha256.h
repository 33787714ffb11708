#pragma once
/// SHA-256, by which a report identifies the files it read.

#include <string>
#include <string_view>

namespace rezero {

/// SHA-256 of the bytes as 64 lower-case hexadecimal digits. Cost O(size), no copy of the input.
/// Source: FIPS 180-4, sections 4.1.2, 5.1.1 and 6.2.
std::string sha256_hex(std::string_view bytes);

}  // namespace rezero
