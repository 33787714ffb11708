#include "rezero/io/line_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "io/posix.h"
#include "io/write_target.h"
#include "rezero/core/contract.h"
#include "rezero/core/error.h"

namespace rezero {

using detail::Descriptor;
using detail::WriteTarget;

void LineBuffer::append(std::string_view text, const std::function<void(std::string_view)>& write) {
  const std::size_t end = text.rfind('\n');
  if (end == std::string_view::npos) {
    rest_ += text;
    return;
  }
  rest_ += text.substr(0, end + 1);
  const std::string lines = std::move(rest_);
  rest_ = text.substr(end + 1);
  write(lines);
}

struct LineFile::State {
  WriteTarget target;
  Descriptor file;
  LineBuffer lines;
  bool done = false;

  void open();
  void write(std::string_view text);
  void take_back(std::size_t bytes);
  [[noreturn]] void fail(int error);
};

void LineFile::State::fail(int error) {
  done = true;
  throw IoError("cannot write " + detail::quoted(target.given) + " (" + detail::error_text(error) + ")");
}

void LineFile::State::open() {
  constexpr mode_t everyone_reads_and_writes = 0666;  // less the umask
  const int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY;
  if (target.kind == WriteTarget::Kind::descriptor)
    file = Descriptor(::fcntl(target.descriptor, F_DUPFD_CLOEXEC, 0));
  else if (target.kind == WriteTarget::Kind::direct)
    file = Descriptor(::open(target.path.c_str(), flags));
  else
    file = Descriptor(::open(target.path.c_str(), flags | O_CREAT | O_TRUNC, everyone_reads_and_writes));
  if (!file.is_open()) fail(errno);
}

/// In a single call if the system accepts it all, so that a process that ends leaves no partial line.
void LineFile::State::write(std::string_view text) {
  const detail::FileSizeSignalBlock block;
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t more = ::write(file.get(), text.data() + written, text.size() - written);
    if (more >= 0) {
      written += static_cast<std::size_t>(more);
    } else if (errno != EINTR) {
      const int error = errno;
      take_back(written - (text.substr(0, written).rfind('\n') + 1));
      fail(error);
    }
  }
}

/// If the target cannot be truncated (a pipe, a device), the reader has already received the bytes.
void LineFile::State::take_back(std::size_t bytes) {
  struct stat info {};
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  const off_t end = ::lseek(file.get(), 0, SEEK_CUR);
  if (end < 0 || ::ftruncate(file.get(), end - static_cast<off_t>(bytes)) != 0) fail(errno);
}

LineFile::LineFile(const std::string& path) : state_(std::make_unique<State>()) {
  state_->target = detail::find_write_target(path);
  state_->open();
}

LineFile::~LineFile() = default;

void LineFile::append(std::string_view text) {
  REZERO_REQUIRE(!state_->done);
  state_->lines.append(text, [this](std::string_view whole) { state_->write(whole); });
}

void LineFile::commit() {
  REZERO_REQUIRE(!state_->done);
  state_->done = true;
  if (::fsync(state_->file.get()) != 0 && errno != EINVAL && errno != EROFS) state_->fail(errno);
  if (const int error = state_->file.close()) state_->fail(error);
}

}  // namespace rezero
