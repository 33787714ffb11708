#pragma once
/// ONNX files as graphs.

#include <string>
#include <string_view>

#include "rezero/graph/graph.h"
#include "rezero/io/file.h"

namespace rezero::onnx {

/// Operator sets whose meaning the operators know.
constexpr int first_opset = 7, last_opset = 17;

/// The model in those bytes of a file. Tensors are decoded to doubles (or 64-bit whole numbers) from every
/// form that the format has for them; external data is read only from files in the folder of `path`. Every
/// length is checked against the bytes that are there before anything is allocated. IoError for a file that
/// is not a model, a tensor whose data does not fit its shape, names used twice, and operator sets that are
/// not supported; UsageError if this build has no reader. `require_memory`: as in read_file.
graph::Model parse_model(std::string_view bytes, const std::string& path,
                         const MemoryCheck& require_memory = {});

/// A tensor in a file of its own (.pb). IoError as above.
graph::Tensor parse_tensor(std::string_view bytes, const std::string& path);

/// Whether this build can read models.
bool can_read();

}  // namespace rezero::onnx
