#pragma once
/// Of several files, the verdict about each.

#include <string>
#include <vector>

#include "report/json_writer.h"
#include "rezero/analysis/result.h"

namespace rezero::detail {

class FileVerdicts {
 public:
  /// Before the first result. A plan of fewer than two files has none.
  void begin(const SweepPlan& plan);
  void add(const CellResult& result);

  bool empty() const { return files_.empty(); }
  std::size_t size() const { return files_.size(); }
  std::size_t failing() const;
  /// `{"stack": path, "checkpoint": 0, "pass": true}` for each file.
  std::vector<std::string> entries() const;

 private:
  struct File {
    std::string path;
    bool checked = false, pass = true;
    bool passes() const { return checked && pass; }
  };
  std::vector<File> files_;
};

}  // namespace rezero::detail
