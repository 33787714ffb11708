#include "config/plan_files.h"

#include <algorithm>

#include "io/json_cursor.h"
#include "io/strict_json.h"
#include "rezero/core/contract.h"
#include "rezero/io/file.h"
#include "rezero/io/npy.h"
#include "rezero/io/sha256.h"

namespace rezero::detail {
namespace {

const InputFile* find(const std::vector<InputFile>& files, const std::string& path) {
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const InputFile& file) { return file.path == path; });
  return found == files.end() ? nullptr : &*found;
}

}  // namespace

PlanFiles::PlanFiles(Reader read, std::vector<InputFile> expected, MemoryCheck require_memory)
    : reader_(std::move(read)), expected_(std::move(expected)) {
  if (!reader_)
    reader_ = [require_memory = std::move(require_memory)](const std::string& path) {
      return read_file(path, default_read_limit, [&](Real bytes) {
        if (require_memory) require_memory(bytes, path);
      });
    };
}

std::string PlanFiles::read(const std::string& path) {
  std::string bytes = reader_(path);
  note(path, sha256_hex(bytes));
  return bytes;
}

void PlanFiles::note(const std::string& path, const std::string& hash) {
  if (const InputFile* expected = find(expected_, path); expected && expected->sha256 != hash)
    throw IoError("'" + printable(path) + "' is not the file of the plan (its SHA-256 is " +
                  hash.substr(0, 12) + "…, the plan says " + expected->sha256.substr(0, 12) + "…)");
  if (!find(read_, path)) read_.push_back({path, hash});
}

const InputFile& PlanFiles::at(const std::string& path) const {
  const InputFile* file = find(read_, path);
  REZERO_REQUIRE(file != nullptr);
  return *file;
}

std::vector<Real> read_series(const std::string& path, PlanFiles& files) {
  const bool json = ends_with(path, ".json");
  if (!json && !ends_with(path, ".npy"))
    throw UsageError("'" + printable(path) + "' is not a file of numbers (expected a .json array or .npy)");
  const std::string bytes = files.read(path), what = "'" + path + "'";
  if (json) {
    const nlohmann::ordered_json document = parse_strict_json(bytes, what);
    return JsonCursor(document, what).reals();
  }
  const NpyArray array = parse_npy(bytes, what);
  if (array.shape.size() != 1)
    throw IoError("'" + printable(path) + "' has " + std::to_string(array.shape.size()) +
                  " axes (expected one, a number per block)");
  return array.values;
}

}  // namespace rezero::detail
