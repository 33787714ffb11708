#include "config/input.h"

#include "config/names.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"
#include "rezero/io/npy.h"

namespace rezero::detail {

InputSpec resolve_input(const std::string& text, Shape shape, PlanFiles& files) {
  InputSpec input;
  input.law = input_law(text);
  if (input.law != InputLaw::values) return input;
  const NpyArray array = parse_npy(files.read(text), "'" + text + "'");
  const bool one_axis = shape.positions == 1 && array.shape == std::vector<Index>{shape.features};
  if (!one_axis && array.shape != std::vector<Index>{shape.positions, shape.features})
    throw UsageError("--input '" + printable(text) + "' is " +
                     (array.shape.empty() ? "a single number" : joined(array.shape, " × ")) +
                     ", the stack takes " + joined({shape.positions, shape.features}, " × ") +
                     " (positions × features)");
  input.values = Eigen::Map<const Vector>(array.values.data(), static_cast<Index>(array.values.size()));
  return input;
}

std::string input_text(const SweepPlan& plan) {
  const InputSpec& input = plan.input;
  return input.law == InputLaw::values ? plan.files.front().path : std::string(to_string(input.law));
}

}  // namespace rezero::detail
