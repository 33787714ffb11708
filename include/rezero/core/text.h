#pragma once
/// Text for people: UTF-8, one column per character; numbers, names and external text within a line.

#include <string>
#include <string_view>
#include <vector>

#include "rezero/core/types.h"

namespace rezero {

/// Bytes of the well-formed UTF-8 character at the beginning of a non-empty text; 0 if there is none
/// (Unicode, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF).
std::size_t utf8_length(std::string_view text);
/// Offset of the first byte that is not part of well-formed UTF-8, or npos.
std::size_t invalid_utf8_at(std::string_view text);

/// Outside text made safe for one line: controls and invalid UTF-8 become \xNN, long text is cut.
std::string printable(std::string_view text);

/// Columns of UTF-8 text on a terminal: one per character.
std::size_t display_width(std::string_view text);
std::string pad_left(std::string_view text, std::size_t width);
std::string pad_right(std::string_view text, std::size_t width);
/// Lines of at most `width` columns, broken at spaces, those after the first indented. A separator "·" stays
/// at the end of its line; a short piece after it is kept in one.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

/// `a, b, c`.
std::string joined(const std::vector<std::string_view>& words, std::string_view separator = ", ");
/// `3x4`; empty without sizes.
std::string joined(const std::vector<Index>& sizes, std::string_view separator);

/// Shortest decimal text that reads back as exactly this double.
std::string shortest(Real value);

/// Whether two words differ at most in the case of their letters (ASCII, as all names are).
bool same_but_for_case(std::string_view a, std::string_view b);
/// Whether the text is a file name with the extension `end`, that is, ends in it and has something before it.
bool ends_with(std::string_view text, std::string_view end);

}  // namespace rezero
