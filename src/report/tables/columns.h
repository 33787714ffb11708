#pragma once
/// Columns of text, aligned on the right.

#include <algorithm>
#include <string>
#include <vector>

#include "report/number_text.h"
#include "rezero/core/text.h"

namespace rezero::detail {

class AlignedColumns {
 public:
  explicit AlignedColumns(const std::vector<std::string>& titles) { widen(titles); }

  void widen(const std::vector<std::string>& cells) {
    widths_.resize(std::max(widths_.size(), cells.size()));
    for (std::size_t i = 0; i < cells.size(); ++i) widths_[i] = std::max(widths_[i], display_width(cells[i]));
  }
  /// Each cell after two blanks; without a newline.
  std::string line(const std::vector<std::string>& cells) const {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) line += "  " + pad_left(cells[i], widths_[i]);
    return line;
  }
  std::size_t width() const {
    std::size_t all = 0;
    for (const std::size_t width : widths_) all += width + 2;
    return all;
  }

 private:
  std::vector<std::size_t> widths_;
};

}  // namespace rezero::detail
