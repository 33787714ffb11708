#include "config/input.h"

#include "config/names.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"
#include "rezero/io/npy.h"

namespace rezero::detail {

InputSpec resolve_input(const std::string& text, Shape shape, PlanFiles& files,
                        std::vector<Vector>* samples) {
  InputSpec input;
  input.law = input_law(text);
  if (input.law != InputLaw::values) return input;
  const NpyArray array = parse_npy(files.read(text), "'" + text + "'");
  if (samples && array.shape.size() == 3 && array.shape[0] > 0 && array.shape[1] == shape.positions &&
      array.shape[2] == shape.features) {
    *samples = split_samples(array.values, array.shape[0]);
    input.values = samples->front();
    return input;
  }
  const bool one_axis = shape.positions == 1 && array.shape == std::vector<Index>{shape.features};
  if (!one_axis && array.shape != std::vector<Index>{shape.positions, shape.features})
    throw UsageError("--input '" + printable(text) + "' is " +
                     (array.shape.empty() ? "a single number" : joined(array.shape, " × ")) +
                     ", the stack takes " + joined({shape.positions, shape.features}, " × ") +
                     " (positions × features)");
  input.values = Eigen::Map<const Vector>(array.values.data(), static_cast<Index>(array.values.size()));
  return input;
}

std::vector<Vector> split_samples(const std::vector<Real>& values, Index count) {
  std::vector<Vector> samples;
  const Index size = static_cast<Index>(values.size()) / count;
  for (Index i = 0; i < count; ++i)
    samples.push_back(Eigen::Map<const Vector>(values.data() + i * size, size));
  return samples;
}

std::string input_text(const SweepPlan& plan) {
  const InputSpec& input = plan.input;
  return input.law == InputLaw::values ? plan.files.front().path : std::string(to_string(input.law));
}

}  // namespace rezero::detail
