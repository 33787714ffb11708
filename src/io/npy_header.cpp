#include "io/npy_header.h"

#include <charconv>

#include "rezero/core/error.h"
#include "rezero/core/registry.h"

namespace rezero::detail {
namespace {

/// Reads the text from left to right. Accepts only what NumPy itself writes, not general Python.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& what) : text_(text), what_(what) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      read_entry();
      if (accept('}')) break;
      expect(',');
    }
    skip_space();
    if (at_ != text_.size()) fail("text after the dictionary");
    if (!has_descr_ || !has_order_ || !has_shape_)
      fail(std::string("'") +
           (!has_descr_   ? "descr"
            : !has_order_ ? "fortran_order"
                          : "shape") +
           "' is missing");
    return header_;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw IoError(what_ + ": the header is not one that NumPy writes (" + why + " at byte " +
                  std::to_string(at_) + " of it)");
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool accept(char wanted) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) fail(std::string("expected '") + wanted + "'");
  }

  std::string_view read_string() {
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'') expect('\'');
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) fail("a string without end");
    const std::string_view string = text_.substr(at_, end - at_);
    at_ = end + 1;
    return string;
  }

  void read_entry() {
    const std::string_view key = read_string();
    expect(':');
    bool* const seen = key == "descr"           ? &has_descr_
                       : key == "fortran_order" ? &has_order_
                       : key == "shape"         ? &has_shape_
                                                : nullptr;
    if (!seen) fail("unknown key '" + printable(key) + "'");
    if (*seen) fail("'" + std::string(key) + "' is given twice");
    *seen = true;
    if (seen == &has_descr_) read_descr();
    if (seen == &has_order_) header_.fortran_order = read_boolean();
    if (seen == &has_shape_) read_shape();
  }

  bool read_boolean() {
    skip_space();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return value;
    }
    fail("expected True or False");
  }

  void read_descr() {
    if (accept('[')) fail("an array of records");
    const std::string_view descr = read_string();
    for (std::string_view known : {"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"}) {
      if (descr.size() != 3 || descr.substr(1) != known) continue;
      const bool one_byte = known[1] == '1';
      if (descr[0] != '<' && descr[0] != '>' && !(one_byte && descr[0] == '|')) break;
      header_.kind = known[0];
      header_.item_bytes = known[1] - '0';
      header_.order = descr[0] == '>' ? ByteOrder::big : ByteOrder::little;
      return;
    }
    throw IoError(what_ + ": cannot read an array of dtype '" + printable(descr) +
                  "' (known: f2, f4, f8, i1 to i8, u1 to u8). Save it as float64: numpy.save(file, "
                  "array.astype('<f8'))");
  }

  /// `()`, `(3,)`, `(3, 4)`, `(3, 4,)`; in Python `(3)` is not a tuple.
  void read_shape() {
    expect('(');
    bool comma = true;
    while (!accept(')')) {
      if (!comma) fail("expected ','");
      if (header_.shape.size() == most_axes) fail("more than " + std::to_string(most_axes) + " axes");
      header_.shape.push_back(read_axis());
      comma = accept(',');
    }
    if (header_.shape.size() == 1 && !comma) fail("expected ','");
  }

  Index read_axis() {
    skip_space();
    const char* const begin = text_.data() + at_;
    Index axis = 0;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), axis);
    if (error == std::errc::result_out_of_range) fail("an axis that is too long");
    if (error != std::errc() || axis < 0 || *begin == '-') fail("expected the length of an axis");
    at_ += static_cast<std::size_t>(end - begin);
    return axis;
  }

  std::string_view text_;
  std::string what_;
  std::size_t at_ = 0;
  NpyHeader header_;
  bool has_descr_ = false, has_order_ = false, has_shape_ = false;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& what) {
  return HeaderParser(text, what).parse();
}

}  // namespace rezero::detail
