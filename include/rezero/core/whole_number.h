#pragma once
/// Exact whole numbers in any decimal notation: nothing passes through a double.

#include <cstdint>
#include <string_view>

namespace rezero {

/// A decimal text interpreted as a whole number.
struct WholeNumber {
  enum class Kind {
    whole,      ///< ±magnitude
    fraction,   ///< a number, but not whole: 1.5, 1e-3
    too_large,  ///< a whole number of more than 64 bits
    malformed,  ///< not a decimal number
  };
  Kind kind = Kind::malformed;
  bool negative = false;
  std::uint64_t magnitude = 0;

  bool is_whole() const { return kind == Kind::whole; }
};

/// Reads `12`, `+3`, `-4`, `1e3`, `2.50e1`: any text that is a whole number by decimal arithmetic on its
/// digits (`9007199254740993.0`, which no double holds). Zero is not negative.
WholeNumber read_whole_number(std::string_view text);

}  // namespace rezero
