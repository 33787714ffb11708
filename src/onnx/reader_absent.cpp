/// The reader of a build without libonnx.

#include "rezero/core/error.h"
#include "rezero/onnx/reader.h"

namespace rezero::onnx {
namespace {

[[noreturn]] void refuse() {
  throw UsageError(
      "this build cannot read ONNX models (install libonnx-dev and libprotobuf-dev, then build again)");
}

}  // namespace

graph::Model parse_model(std::string_view, const std::string&, const MemoryCheck&) {
  refuse();
}
graph::Tensor parse_tensor(std::string_view, const std::string&) {
  refuse();
}
bool can_read() {
  return false;
}

}  // namespace rezero::onnx
