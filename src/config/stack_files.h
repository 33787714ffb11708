#pragma once
/// Stacks read from files: one network, perhaps at several points of its training.

#include <map>

#include "config/input.h"
#include "config/plan_files.h"
#include "rezero/config/resolve.h"

namespace rezero::detail {

/// Counts the memory of files that are read one after another and then stay.
class ReadingMemory {
 public:
  explicit ReadingMemory(const ResolveContext& context) : context_(context) {}
  /// Called with the memory that reading this file takes; adds that of the files before.
  MemoryCheck of(const std::string& path);
  /// So many bytes stay.
  void keep(Real bytes) { kept_ += bytes; }
  Real peak() const { return peak_; }

 private:
  const ResolveContext& context_;
  Real kept_ = 0, peak_ = 0;
};

/// The inputs of the stacks of a plan, if files hold them; each file is read once.
class InputFiles {
 public:
  InputFiles(std::vector<std::string> paths, PlanFiles& files, ReadingMemory& memory)
      : paths_(std::move(paths)), files_(files), memory_(memory) {}

  const std::vector<std::string>& paths() const { return paths_; }
  const std::string& path(std::size_t stack) const {
    return paths_[paths_.size() == 1 ? 0 : stack];
  }
  const InputArray& array(std::size_t stack);

 private:
  std::vector<std::string> paths_;
  std::map<std::string, InputArray> arrays_;
  PlanFiles& files_;
  ReadingMemory& memory_;
};

/// Memory of a stack that stays.
Real bytes_of(const Stack& stack);

/// Adds a file to those of the plan. UsageError naming both files if its blocks do not have the shapes of the
/// first, or if it has another number of samples.
void add_stack_file(StackInput& stacks, StackFile next, std::string_view option);

/// After the last file: depths, files, memory. UsageError for a depth beyond the blocks, and for more
/// rows than a plan may have. `option`: that of the files.
void finish_stack_files(SweepPlan& plan, const PlanOptions& options, const PlanFiles& files,
                        const ReadingMemory& memory, std::string_view option);

/// --stack: reads the files. IoError and UsageError name the file.
void resolve_stack_files(SweepPlan& plan, const PlanOptions& options, const ResolveContext& context,
                         PlanFiles& files);
void describe_stack_files(const SweepPlan& plan, PlanOptions& options);

/// The paths of the files, and their hashes for `files`.
std::vector<std::string> stack_paths(const StackInput& stacks);
void describe_hashes(const StackInput& stacks, PlanOptions& options);

}  // namespace rezero::detail
