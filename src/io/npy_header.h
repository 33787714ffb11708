#pragma once
/// The header of a .npy file: a Python dictionary of three entries.

#include <string>
#include <string_view>
#include <vector>

#include "io/binary.h"
#include "rezero/core/types.h"

namespace rezero::detail {

struct NpyHeader {
  char kind = 'f';  ///< f, i or u
  int item_bytes = 8;
  ByteOrder order = ByteOrder::little;
  bool fortran_order = false;
  std::vector<Index> shape;
};

/// `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }` and white space: each key exactly once, in
/// any order, and no others. IoError naming `what`.
NpyHeader parse_npy_header(std::string_view text, const std::string& what);

}  // namespace rezero::detail
