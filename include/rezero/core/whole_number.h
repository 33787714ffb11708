#pragma once
/// Whole numbers as users write them, exactly: nothing goes through a double.

#include <cstdint>
#include <string_view>

namespace rezero {

/// What a decimal text is as a whole number.
struct WholeNumber {
  enum class Kind {
    whole,      ///< ±magnitude
    fraction,   ///< a number, but not a whole one: 1.5, 1e-3
    too_large,  ///< a whole number of more than 64 bits
    malformed,  ///< no decimal number
  };
  Kind kind = Kind::malformed;
  bool negative = false;
  std::uint64_t magnitude = 0;

  bool is_whole() const { return kind == Kind::whole; }
};

/// Reads `12`, `+3`, `-4`, `1e3`, `2.50e1`: what is a whole number by decimal arithmetic on the digits is
/// one, however it is written (`9007199254740993.0`, which no double holds). Zero is not negative.
WholeNumber read_whole_number(std::string_view text);

}  // namespace rezero
