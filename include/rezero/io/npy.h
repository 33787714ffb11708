#pragma once
/// NumPy's array files. Source: numpy/lib/format.py, "Format Version 1.0, 2.0, 3.0".

#include <string>
#include <string_view>
#include <vector>

#include "rezero/core/types.h"
#include "rezero/io/file.h"

namespace rezero {

/// An array of numbers, row-major for any order in the file.
struct NpyArray {
  std::vector<Index> shape;  ///< empty: one number; an axis of 0: no numbers
  std::vector<Real> values;
};

/// Reads versions 1, 2 and 3, C and Fortran order, at most 64 axes, both byte orders; dtypes f2 f4 f8, i1 i2
/// i4 i8 and u1 u2 u4 u8. Every value is converted to double exactly. IoError for other dtypes, a header that
/// is not the dictionary NumPy writes, a size that does not match the shape, numbers that are not finite,
/// integers that a double cannot hold, and more than `limit_bytes`.
NpyArray read_npy(const std::string& path, std::uint64_t limit_bytes = default_read_limit);
/// The same for bytes in memory; `what` names them in messages. `require_memory`: as in read_file, with the
/// bytes, their numbers as doubles, and a copy of these.
NpyArray parse_npy(std::string_view bytes, std::string_view what, const MemoryCheck& require_memory = {});

/// A version 1 file of float64 in C order. ShapeError if shape and number of values differ or if there are
/// more than 64 axes.
std::string npy_bytes(const NpyArray& array);

}  // namespace rezero
