#include "config/input.h"

#include "config/names.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"
#include "rezero/io/npy.h"

namespace rezero::detail {
namespace {

/// A stack whose input is replaced.
class StackWithInput final : public Stack {
 public:
  StackWithInput(StackPtr stack, InputSpec input) : stack_(std::move(stack)), input_(std::move(input)) {}

  Index blocks() const override { return stack_->blocks(); }
  Shape shape() const override { return stack_->shape(); }
  Vector input() const override { return draw_input(input_, shape(), 0); }
  BlockPtr block(Index l) const override { return stack_->block(l); }
  bool positively_homogeneous() const override { return stack_->positively_homogeneous(); }
  const InputSpec& spec() const { return input_; }

 private:
  StackPtr stack_;
  InputSpec input_;
};

}  // namespace

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

std::string input_text(const InputSpec& input, const SweepPlan& plan) {
  return input.law == InputLaw::values ? plan.files.front().path : std::string(to_string(input.law));
}

StackPtr with_input(StackPtr stack, const InputSpec& input) {
  return std::make_shared<StackWithInput>(std::move(stack), input);
}

const InputSpec* given_input(const Stack& stack) {
  const auto* wrapped = dynamic_cast<const StackWithInput*>(&stack);
  return wrapped ? &wrapped->spec() : nullptr;
}

}  // namespace rezero::detail
