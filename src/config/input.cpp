#include "config/input.h"

#include "config/names.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"
#include "rezero/graph/tensor.h"
#include "rezero/io/npy.h"
#include "rezero/onnx/reader.h"

namespace rezero::detail {
namespace {

using Dims = std::vector<Index>;

[[noreturn]] void throw_misfit(const std::string& path, const Dims& dims, Shape shape,
                               const std::string& advice) {
  throw UsageError("--input '" + printable(path) + "' is " +
                   (dims.empty() ? "a single number" : joined(dims, " × ")) + ", the stack takes " +
                   joined({shape.positions, shape.features}, " × ") + " (positions × features" + advice +
                   ")");
}

/// (features) or (positions, features).
bool is_one_input(const Dims& dims, Shape shape) {
  return (shape.positions == 1 && dims == Dims{shape.features}) ||
         dims == Dims{shape.positions, shape.features};
}

}  // namespace

InputSpec resolve_input(const std::string& text, Shape shape, PlanFiles& files) {
  InputSpec input;
  input.law = input_law(text);
  if (input.law != InputLaw::values) return input;
  const NpyArray array = parse_npy(files.read(text), "'" + text + "'");
  if (!is_one_input(array.shape, shape))
    throw_misfit(text, array.shape, shape,
                 array.shape.size() == 3 ? "; several samples need --stack, --checkpoint or --onnx" : "");
  input.values = Eigen::Map<const Vector>(array.values.data(), static_cast<Index>(array.values.size()));
  return input;
}

std::string input_text(const SweepPlan& plan) {
  const InputSpec& input = plan.input;
  if (input.law != InputLaw::values) return std::string(to_string(input.law));
  if (!plan.stack) return plan.files.front().path;
  const std::vector<std::string>& paths = plan.stack->inputs;
  return joined(std::vector<std::string_view>(paths.begin(), paths.end()), ",");
}

InputArray read_input(const std::string& path, PlanFiles& files, const MemoryCheck& require_memory) {
  const std::string bytes = files.read(path);
  if (ends_with(path, ".pb")) {
    const graph::Tensor tensor = onnx::parse_tensor(bytes, path);
    return {tensor.dims(), tensor.is_real() ? tensor.shared_reals() : nullptr};
  }
  const NpyArray array = parse_npy(bytes, "'" + path + "'", require_memory);
  const Eigen::Map<const Vector> values(array.values.data(), static_cast<Index>(array.values.size()));
  return {array.shape, std::make_shared<const Vector>(values)};
}

std::optional<SampleList> samples_of(const InputArray& array, std::size_t rank, const std::string& path) {
  if (array.dims.size() != rank + 1) return std::nullopt;
  if (array.dims.front() == 0)
    throw UsageError("--input '" + printable(path) + "' holds no samples (it is " +
                     joined(array.dims, " × ") + ", and its first axis counts them)");
  return SampleList{array.numbers, array.dims.front()};
}

std::optional<SampleList> samples_for(const InputArray& array, Shape shape, const std::string& path) {
  if (is_one_input(array.dims, shape)) return std::nullopt;
  const Dims of_one(array.dims.begin() + (array.dims.empty() ? 0 : 1), array.dims.end());
  if (of_one != Dims{shape.positions, shape.features})
    throw_misfit(path, array.dims, shape, "; samples × positions × features for several samples");
  return samples_of(array, 2, path);
}

}  // namespace rezero::detail
