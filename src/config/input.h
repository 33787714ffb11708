#pragma once
/// The input of stacks: a distribution, or numbers from a file.

#include <memory>
#include <optional>

#include "config/plan_files.h"
#include "rezero/io/file.h"

namespace rezero::detail {

/// normal, sphere, ones, or the numbers of an .npy file that must have shape (features) or (positions,
/// features). UsageError naming both shapes otherwise.
InputSpec resolve_input(const std::string& text, Shape shape, PlanFiles& files);

/// The input as an option: the name of the distribution, or the paths of the numbers.
std::string input_text(const SweepPlan& plan);

/// Numbers of a file in row-major order.
struct InputArray {
  std::vector<Index> dims;
  std::shared_ptr<const Vector> numbers;

  /// If the file holds whole numbers (.pb), there are none here.
  bool is_real() const { return numbers != nullptr; }
};

/// The numbers in an .npy or .pb file. IoError as parse_npy and parse_tensor; `require_memory` as there.
InputArray read_input(const std::string& path, PlanFiles& files, const MemoryCheck& require_memory);

/// An array of one axis more than `rank` is a list of inputs, and its first axis counts them; nothing for any
/// other array. UsageError naming the file if the list is empty.
std::optional<SampleList> samples_of(const InputArray& array, std::size_t rank, const std::string& path);

/// The input that a file holds for a stack of states of that shape: (features), (positions, features), or of
/// several samples (samples, positions, features). UsageError naming both shapes otherwise.
std::optional<SampleList> samples_for(const InputArray& array, Shape shape, const std::string& path);

}  // namespace rezero::detail
