#include "rezero/parallel/parts.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace rezero {
namespace {

constexpr Index most_parts = 16;

}  // namespace

namespace detail {

/// Threads that take indices of one loop after the other. A loop waits only for those that have joined it:
/// one that wakes late costs nothing.
class Helpers {
 public:
  explicit Helpers(int count) {
    try {
      for (int i = 0; i < count; ++i) threads_.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {  // as many as there can be
    }
  }
  ~Helpers() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

  void run(Index count, const std::function<void(Index)>& f) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      f_ = &f, count_ = count, next_ = 0, error_ = nullptr;
    }
    wake_.notify_all();
    take(f, count);
    std::unique_lock<std::mutex> lock(mutex_);
    f_ = nullptr;
    left_.wait(lock, [this] { return joined_ == 0; });
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  void serve() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return stop_ || (f_ && next_ < count_); });
      if (stop_) return;
      const std::function<void(Index)>& f = *f_;
      const Index count = count_;
      ++joined_;
      lock.unlock();
      take(f, count);
      lock.lock();
      if (--joined_ == 0) left_.notify_one();
    }
  }

  void take(const std::function<void(Index)>& f, Index count) {
    try {
      for (Index i = next_++; i < count; i = next_++) f(i);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!error_) error_ = std::current_exception();
      next_ = count;
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, left_;
  const std::function<void(Index)>* f_ = nullptr;  ///< of the loop that may be joined
  Index count_ = 0;
  std::atomic<Index> next_{0};
  int joined_ = 0;
  bool stop_ = false;
  std::exception_ptr error_;
  std::vector<std::thread> threads_;
};

}  // namespace detail

namespace {

thread_local detail::Helpers* lent = nullptr;

}  // namespace

PartWorkers::PartWorkers(int workers)
    : helpers_(workers > 1 ? std::make_unique<detail::Helpers>(std::min<int>(workers, most_parts) - 1)
                           : nullptr),
      before_(lent) {
  lent = helpers_.get();
}
PartWorkers::~PartWorkers() {
  lent = before_;
}

void for_each_part(Index count, const std::function<void(Index)>& f) {
  detail::Helpers* const helpers = std::exchange(lent, nullptr);  // not for loops inside of f
  struct Return {
    detail::Helpers* to;
    ~Return() { lent = to; }
  } const back{helpers};
  if (helpers && count > 1) return helpers->run(count, f);
  for (Index i = 0; i < count; ++i) f(i);
}

Index part_count(Index size, Index least) {
  return std::clamp<Index>(size / least, 1, most_parts);
}

Index part_start(Index size, Index count, Index i) {
  return size * i / count;
}

}  // namespace rezero
