#include "report/file_verdicts.h"

#include <algorithm>

#include "report/result_json.h"

namespace rezero::detail {

void FileVerdicts::begin(const SweepPlan& plan) {
  if (!plan.stack || plan.stack->files.size() < 2) return;
  for (const StackFile& each : plan.stack->files) files_.push_back({each.file.path});
}

void FileVerdicts::add(const CellResult& result) {
  if (!result.labels.checkpoint || empty()) return;
  File& file = files_.at(static_cast<std::size_t>(*result.labels.checkpoint));
  file.pass = file.pass && result.failures.empty();
  for (const DepthResult& depth : result.depths)
    for (const CheckResult& check : depth.checks)
      file.checked = true, file.pass = file.pass && !check.fails();
}

std::size_t FileVerdicts::failing() const {
  return static_cast<std::size_t>(
      std::count_if(files_.begin(), files_.end(), [](const File& file) { return !file.passes(); }));
}

std::vector<std::string> FileVerdicts::entries() const {
  std::vector<std::string> entries;
  for (std::size_t i = 0; i < files_.size(); ++i)
    entries.push_back(object_text([&](JsonWriter& json) {
      json.member("stack", files_[i].path);
      json.member("checkpoint", static_cast<Index>(i));
      json.member("pass", files_[i].passes());
    }));
  return entries;
}

}  // namespace rezero::detail
