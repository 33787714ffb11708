#pragma once
/// safetensors files: named tensors and string metadata. The container of stack files, and the format written
/// by PyTorch and the Python package `safetensors`. Format: 8 bytes little-endian header length N, N bytes of
/// JSON, the bytes of the tensors. Source: the format section of the safetensors README.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rezero/core/types.h"
#include "rezero/io/atomic_file.h"
#include "rezero/io/file.h"

namespace rezero {

/// The types whose numbers are read, and those that a file may also have (masks, counters, indices).
enum class TensorDtype {
  f64,
  f32,
  f16,
  bf16,
  i64,
  i32,
  i16,
  i8,
  u64,
  u32,
  u16,
  u8,
  boolean,
  f8_e4m3,
  f8_e5m2
};
/// The spelling in the file: F64, F32, F16, BF16, ….
std::string_view dtype_name(TensorDtype dtype);
/// Whether the numbers of such a tensor can be read.
bool is_readable(TensorDtype dtype);

/// What becomes of tensors whose numbers cannot be read.
enum class OtherDtypes {
  refused,  ///< the file is not accepted
  listed,   ///< they have a TensorInfo; asking for their numbers is an error
};

/// A tensor as described by the header.
struct TensorInfo {
  std::string name;
  TensorDtype dtype = TensorDtype::f64;
  std::vector<Index> shape;  ///< empty: one number; an axis of 0: no numbers
  Index count = 0;           ///< of numbers: the product of the shape
  std::uint64_t begin = 0;   ///< offset of its bytes from the end of the header
};

/// A tensor with its numbers, row-major. F32, F16 and BF16 are converted to double without rounding.
struct Tensor {
  std::string name;
  std::vector<Index> shape;
  std::vector<Real> values;
};

/// Strings by key, in the order written.
using Metadata = std::vector<std::pair<std::string, std::string>>;

/// A checked file in memory. Tensors are converted on request, so there is never a second copy of all of
/// them.
class SafetensorsFile {
 public:
  const std::string& what() const { return what_; }  ///< its name in messages
  const Metadata& metadata() const { return metadata_; }
  /// The value of a metadata key, or nullptr.
  const std::string* find_metadata(std::string_view key) const;

  /// Sorted by name.
  const std::vector<TensorInfo>& tensors() const { return tensors_; }
  /// The description of a tensor, or nullptr. Cost O(log number of tensors).
  const TensorInfo* find(std::string_view name) const;
  /// The numbers of a tensor. IoError if no tensor has that name, if its type cannot be read, or naming the
  /// tensor and the flat row-major index of its first NaN or infinity.
  Tensor tensor(std::string_view name) const;
  /// The same numbers as a matrix whose rows are consecutive in the file, without an intermediate copy.
  /// Contract: the tensor has rows · cols numbers.
  Matrix matrix(std::string_view name, Index rows, Index cols) const;
  /// Reads all tensors one by one. IoError for the first number that is not finite or cannot be read.
  void require_finite() const;

 private:
  friend class SafetensorsReader;
  const TensorInfo& at(std::string_view name) const;
  /// place(i): destination of the number with flat index i. IoError as for tensor().
  template <class Place>
  void decode(const TensorInfo& info, Place&& place) const;
  std::string what_;
  Metadata metadata_;
  std::vector<TensorInfo> tensors_;
  std::string data_;
  std::size_t data_begin_ = 0;  ///< start of the tensors in data_
};

/// Reads and checks a file; sizes in a header are checked before memory is allocated for them. IoError for: a
/// header longer than 100 MB or than the file, bad JSON, unknown fields and dtypes, shapes that overflow,
/// offsets that are out of order, overlap, leave gaps, do not fit shape and dtype or do not fill the file,
/// duplicate names, more than `limit_bytes` in total. Values are checked by tensor(). Memory: the file.
SafetensorsFile read_safetensors(const std::string& path, std::uint64_t limit_bytes = default_read_limit);
/// The same for bytes in memory, which are kept; `what` names them in messages.
SafetensorsFile parse_safetensors(std::string bytes, std::string_view what,
                                  OtherDtypes others = OtherDtypes::refused);

/// Name and shape of a tensor to be written.
struct TensorLayout {
  std::string name;
  std::vector<Index> shape;
};

/// Writes F64 tensors one after another, so that only one needs to be in memory. The header comes first, with
/// `__metadata__` at its front, padded with spaces so that the numbers are aligned to 8 bytes.
class SafetensorsWriter {
 public:
  /// Writes the header. UsageError for names that are not unique, empty or `__metadata__`, and for names or
  /// metadata that are not UTF-8; ShapeError for a shape that overflows.
  SafetensorsWriter(AtomicFile& file, const Metadata& metadata, std::vector<TensorLayout> layout);
  /// The numbers of the next tensor of the layout, row-major. ShapeError if their number does not match the
  /// shape, NumericalError for a NaN or an infinity.
  void append(const std::vector<Real>& values);
  /// Contract: every tensor has been appended. The caller commits the file.
  void finish() const;

 private:
  AtomicFile& file_;
  std::vector<TensorLayout> layout_;
  std::size_t next_ = 0;
};

/// The whole file as bytes; errors as for SafetensorsWriter.
std::string safetensors_bytes(const Metadata& metadata, const std::vector<Tensor>& tensors);

}  // namespace rezero
