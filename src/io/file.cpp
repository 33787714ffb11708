#include "rezero/io/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "io/posix.h"
#include "rezero/core/error.h"

namespace rezero {

using detail::Descriptor;
using detail::error_text;
using detail::quoted;

struct FileReader::State {
  std::string path;
  Descriptor file;
  std::optional<std::uint64_t> size;
};

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& why, const std::string& advice = "") {
  throw IoError("cannot read " + quoted(path) + " (" + why + ")" + advice);
}

void require_readable_kind(const std::string& path, mode_t mode) {
  if (S_ISREG(mode) || S_ISFIFO(mode)) return;
  fail(path, "it is " + detail::kind_of_file(mode), ": only regular files and pipes are read");
}

/// Reserves room for `more` bytes; a lack of memory is a refusal, not a crash.
void reserve_for(std::string& out, std::uint64_t more, const std::string& path) {
  try {
    out.reserve(out.size() + more);
  } catch (const std::exception&) {
    throw MemoryError("cannot read " + quoted(path) + " (no memory for " + std::to_string(out.size() + more) +
                      " bytes)");
  }
}

}  // namespace

FileReader::FileReader(const std::string& path) : state_(std::make_unique<State>()) {
  state_->path = path;
  if (path.find('\0') != std::string::npos) fail(path, "a path cannot hold a zero byte");
  struct stat info {};
  // Checked before opening, since opening a device can already have effects.
  if (::stat(path.c_str(), &info) != 0) fail(path, error_text(errno));
  require_readable_kind(path, info.st_mode);
  state_->file = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!state_->file.is_open()) fail(path, error_text(errno));
  if (::fstat(state_->file.get(), &info) != 0) fail(path, error_text(errno));
  require_readable_kind(path, info.st_mode);
  if (S_ISREG(info.st_mode) && info.st_size > 0) state_->size = static_cast<std::uint64_t>(info.st_size);
}

FileReader::~FileReader() = default;

std::optional<std::uint64_t> FileReader::size() const {
  return state_->size;
}

std::uint64_t FileReader::read(std::string& out, std::uint64_t count) {
  constexpr std::uint64_t chunk_bytes = 1 << 17;  // twice the capacity of a pipe
  if (state_->size) reserve_for(out, std::min(count, *state_->size), state_->path);
  const std::string::size_type before = out.size();
  while (out.size() - before < count) {
    const std::uint64_t left = count - (out.size() - before);
    const std::string::size_type end = out.size();
    const auto room = static_cast<std::size_t>(std::min(left, chunk_bytes));
    if (out.capacity() - end < room) reserve_for(out, std::max<std::uint64_t>(room, end), state_->path);
    out.resize(end + room);
    const ssize_t got = ::read(state_->file.get(), out.data() + end, room);
    const int error = errno;
    out.resize(end + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) break;
    if (got < 0 && error != EINTR) fail(state_->path, error_text(error));
  }
  return out.size() - before;
}

namespace {

/// Reads a pipe to its end or the limit; the buffer doubles as it grows.
void read_pipe(FileReader& pipe, std::string& bytes, std::uint64_t limit, const MemoryCheck& require_memory) {
  constexpr std::uint64_t step = 1 << 22;
  for (std::uint64_t got = 1; got > 0;) {
    if (require_memory) require_memory(2 * static_cast<Real>(bytes.size()));
    got = pipe.read(bytes, std::min(step, limit - bytes.size()));
  }
}

}  // namespace

std::string read_file(const std::string& path, std::uint64_t limit_bytes, const MemoryCheck& require_memory) {
  FileReader file(path);
  const std::string bound = "the limit is " + std::to_string(limit_bytes) + " bytes";
  const auto size = file.size();
  if (size > limit_bytes) fail(path, "it has " + std::to_string(*size) + " bytes, " + bound);
  std::string bytes, beyond;
  if (size && require_memory) require_memory(static_cast<Real>(*size));
  if (size)
    file.read(bytes, *size);
  else
    read_pipe(file, bytes, limit_bytes, require_memory);
  if (file.read(beyond, 1) > 0) fail(path, size ? "it grew while it was read" : "it goes on, " + bound);
  return bytes;
}

}  // namespace rezero
