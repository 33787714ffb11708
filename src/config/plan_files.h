#pragma once
/// The files read by a plan, with their hashes.

#include <functional>
#include <string>
#include <vector>

#include "rezero/analysis/plan.h"

namespace rezero::detail {

class PlanFiles {
 public:
  using Reader = std::function<std::string(const std::string& path)>;
  using MemoryCheck = std::function<void(Real bytes, const std::string& path)>;
  /// `expected`: hashes given by a plan file. `require_memory`: as in ResolveContext.
  PlanFiles(Reader read, std::vector<InputFile> expected, MemoryCheck require_memory = {});

  /// The bytes of a file. IoError if its hash is not the expected one.
  std::string read(const std::string& path);
  /// A file that was read elsewhere, with its hash. IoError as above.
  void note(const std::string& path, const std::string& hash);
  /// A file that has been read.
  const InputFile& at(const std::string& path) const;
  /// All files read, in order, each once.
  const std::vector<InputFile>& all() const { return read_; }

 private:
  Reader reader_;
  std::vector<InputFile> expected_, read_;
};

/// The numbers of a .json file (one array) or a one-dimensional .npy file. IoError otherwise.
std::vector<Real> read_series(const std::string& path, PlanFiles& files);

}  // namespace rezero::detail
