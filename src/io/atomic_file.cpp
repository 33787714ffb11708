#include "rezero/io/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "io/posix.h"
#include "io/write_target.h"
#include "rezero/core/contract.h"
#include "rezero/core/error.h"

namespace rezero {

using detail::Descriptor;
using detail::error_text;

struct AtomicFile::State {
  detail::WriteTarget target;
  Descriptor file;
  std::string temporary;  ///< its name once it has one
  std::string buffer;
  bool done = false;

  void open();
  void open_temporary();
  void link_temporary();
  void write(std::string_view bytes);
  void put_in_place();
  void discard();
  [[noreturn]] void fail(int error, const std::string& where = "");
};

namespace {

constexpr mode_t everyone_reads_and_writes = 0666;  // less the umask
constexpr std::size_t buffer_bytes = 1 << 16;

/// A name unique within this process; the process id distinguishes it from those of other processes.
std::string temporary_name(const std::string& folder) {
  static std::atomic<unsigned> counter{0};
  return folder + "/.rezero-" + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".tmp";
}

/// A link to an unnamed file goes through this path.
std::string descriptor_path(int fd) {
  return "/proc/self/fd/" + std::to_string(fd);
}

}  // namespace

void AtomicFile::State::fail(int error, const std::string& where) {
  discard();
  throw IoError("cannot write " + detail::quoted(target.given) + " (" + where + error_text(error) + ")");
}

void AtomicFile::State::discard() {
  file.close();
  if (!temporary.empty()) ::unlink(temporary.c_str());
  temporary.clear();
  done = true;
}

void AtomicFile::State::open() {
  switch (target.kind) {
    case detail::WriteTarget::Kind::descriptor:
      file = Descriptor(::fcntl(target.descriptor, F_DUPFD_CLOEXEC, 0));
      break;
    case detail::WriteTarget::Kind::direct:
      file = Descriptor(::open(target.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
      break;
    case detail::WriteTarget::Kind::replace:
      return open_temporary();
  }
  if (!file.is_open()) fail(errno);
}

/// Creates an unnamed file if the file system supports it (nothing is left even if the process is killed),
/// and a named one otherwise.
void AtomicFile::State::open_temporary() {
  file =
      Descriptor(::open(target.folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, everyone_reads_and_writes));
  if (file.is_open() && ::access(descriptor_path(file.get()).c_str(), F_OK) != 0) file.close();
  while (!file.is_open()) {
    const std::string name = temporary_name(target.folder);
    file =
        Descriptor(::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, everyone_reads_and_writes));
    if (file.is_open())
      temporary = name;
    else if (errno != EEXIST)
      fail(errno, "a temporary file in " + detail::quoted(target.folder) + ": ");
  }
  if (target.mode && ::fchmod(file.get(), *target.mode) != 0) fail(errno);
}

void AtomicFile::State::link_temporary() {
  while (temporary.empty()) {
    const std::string name = temporary_name(target.folder);
    if (::linkat(AT_FDCWD, descriptor_path(file.get()).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) ==
        0)
      temporary = name;
    else if (errno != EEXIST)
      fail(errno);
  }
}

void AtomicFile::State::write(std::string_view bytes) {
  const detail::FileSizeSignalBlock block;
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      fail(errno);
  }
}

void AtomicFile::State::put_in_place() {
  // Without fsync, a power failure just after the rename can leave an empty file in place of a good one.
  if (::fsync(file.get()) != 0 && errno != EINVAL && errno != EROFS) fail(errno);
  link_temporary();
  if (const int error = file.close()) fail(error);
  if (::rename(temporary.c_str(), target.path.c_str()) != 0) fail(errno);
  temporary.clear();
}

AtomicFile::AtomicFile(const std::string& path) : state_(std::make_unique<State>()) {
  state_->target = detail::find_write_target(path);
  state_->open();
}

AtomicFile::~AtomicFile() {
  state_->discard();
}

void AtomicFile::append(std::string_view bytes) {
  REZERO_REQUIRE(!state_->done);
  if (state_->buffer.size() + bytes.size() > buffer_bytes) flush();
  if (bytes.size() > buffer_bytes)
    state_->write(bytes);
  else
    state_->buffer += bytes;
}

void AtomicFile::flush() {
  REZERO_REQUIRE(!state_->done);
  state_->write(state_->buffer);
  state_->buffer.clear();
}

void AtomicFile::commit() {
  flush();
  if (state_->target.kind == detail::WriteTarget::Kind::replace)
    state_->put_in_place();
  else if (const int error = state_->file.close())
    state_->fail(error);
  state_->done = true;
}

void write_file(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.append(bytes);
  file.commit();
}

}  // namespace rezero
