#include "cli/process.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "cli/run.h"
#include "rezero/core/error.h"

namespace rezero::cli {
namespace {

constexpr unsigned grace_seconds = 2;

StopFlag stop_requested{false};
volatile std::sig_atomic_t caught_signal = 0;

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// The line printed, once, if a signal ends the process. A signal handler may print it: no memory is
/// allocated, and a text is complete before it becomes the current one.
class LastWords {
 public:
  void set(std::string_view text) {
    const int next = 1 - current_;
    size_[next] = text.copy(text_[next], longest);
    if (size_[next] == longest) text_[next][longest - 1] = '\n';
    current_ = next;
  }
  void say() {
    if (!said_.exchange(true)) write_all(STDERR_FILENO, {text_[current_], size_[current_]});
  }

 private:
  static constexpr std::size_t longest = 8192;
  char text_[2][longest] = {};
  std::size_t size_[2] = {};
  std::atomic<int> current_{0};
  std::atomic<bool> said_{false};
};

LastWords last_words;

[[noreturn]] void exit_now(int signal) {
  last_words.say();
  _exit(128 + signal);
}

/// First signal: work stops between blocks, or when the grace period ends. Second signal: at once.
void on_stop_signal(int signal) {
  if (caught_signal != 0) exit_now(signal);
  caught_signal = signal;
  stop_requested = true;
  alarm(grace_seconds);
}

void on_alarm(int) {
  exit_now(static_cast<int>(caught_signal));
}

void install_signal_handlers() {
  struct sigaction action = {};
  sigemptyset(&action.sa_mask);
  action.sa_handler = SIG_DFL;  // an ignored SIGPIPE would turn a departed reader into an error message
  sigaction(SIGPIPE, &action, nullptr);
  action.sa_handler = SIG_IGN;  // a file that may not grow is a write error, with a message
  sigaction(SIGXFSZ, &action, nullptr);
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, nullptr);
  action.sa_flags = SA_RESTART;
  action.sa_handler = on_stop_signal;
  for (int signal : {SIGINT, SIGTERM}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN)
      sigaction(signal, &action, nullptr);  // requested by nohup and background shells
  }
}

/// If a standard descriptor is closed at start, the next opened file would get its number, and reports would
/// be written into it.
void reserve_standard_descriptors() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor)
    if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF)
      open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
}

/// Of the terminal, or else of COLUMNS, which shells export for programs without one; or else 80.
Index columns_of_err() {
  constexpr Index usual = 80, most = 10000;
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* text = std::getenv("COLUMNS");
  const Index columns = text ? std::strtol(text, nullptr, 10) : 0;
  return columns > 0 ? std::min(columns, most) : usual;
}

void write_out(std::string_view text) {
  if (!write_all(STDOUT_FILENO, text))
    throw IoError(std::string("cannot write to standard output (") + std::strerror(errno) + ")");
}

/// Eigen allocates packing buffers for every product: keep freed memory, to avoid repeated page faults.
void keep_freed_memory() {
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  mallopt(M_MMAP_THRESHOLD, 64 << 20);
  mallopt(M_TOP_PAD, 1 << 20);
}

[[noreturn]] void end_by_signal(int signal) {
  last_words.say();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  _exit(128 + signal);
}

}  // namespace

int run_process(int argc, char** argv) {
  reserve_standard_descriptors();
  install_signal_handlers();
  keep_freed_memory();
  Environment env;
  env.out = write_out;
  env.err = [](std::string_view text) { static_cast<void>(write_all(STDERR_FILENO, text)); };
  env.out_is_terminal = isatty(STDOUT_FILENO) != 0;
  env.err_is_terminal = isatty(STDERR_FILENO) != 0;
  env.columns_of_err = columns_of_err;
  env.stop = &stop_requested;
  env.last_words = [](std::string_view text) { last_words.set(text); };
  int code = exit_cell_failed;
  try {
    code = run(std::vector<std::string>(argv + 1, argv + argc), env);
  } catch (const Cancelled&) {
  }
  if (caught_signal != 0) end_by_signal(caught_signal);
  return code;
}

}  // namespace rezero::cli
