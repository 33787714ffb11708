#include "parallel/pool.h"

#include <algorithm>
#include <system_error>
#include <thread>

namespace rezero::detail {
namespace {

/// Whether the condition came true within about the time that putting a thread to sleep and waking it would
/// take: some hundred microseconds.
template <class Condition>
bool comes_soon(const Condition& condition) {
  constexpr int pauses = 4000;
  for (int i = 0; i < pauses; ++i) {
    if (condition()) return true;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  return condition();
}

}  // namespace

Pool& Pool::instance() {
  static Pool* const pool = new Pool;
  return *pool;
}

void Pool::run(int helpers, const std::function<void()>& body) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (taken_ || helpers <= 0) {
    lock.unlock();
    return body();
  }
  taken_ = true;
  grow(helpers);
  body_ = &body, wanted_ = std::min(helpers, threads_);
  ++loop_;
  for (int i = std::min(wanted_, sleeping_); i > 0; --i) wake_.notify_one();
  lock.unlock();
  body();
  lock.lock();
  wanted_ = 0;  // who comes now comes too late
  if (running_ > 0) {
    lock.unlock();
    comes_soon([this] { return running_ == 0; });
    lock.lock();
    ended_.wait(lock, [this] { return running_ == 0; });
  }
  body_ = nullptr, taken_ = false;
}

void Pool::grow(int threads) {
  try {
    for (; threads_ < threads; ++threads_) std::thread([this] { serve(); }).detach();
  } catch (const std::system_error&) {  // as many as the system allows
  }
}

void Pool::serve() {
  for (std::uint64_t seen = 0;;) {
    comes_soon([&] { return loop_ != seen; });
    std::unique_lock<std::mutex> lock(mutex_);
    ++sleeping_;
    wake_.wait(lock, [&] { return loop_ != seen; });
    --sleeping_;
    seen = loop_;
    if (wanted_ == 0) continue;
    --wanted_, ++running_;
    const std::function<void()>& body = *body_;
    lock.unlock();
    body();
    lock.lock();
    --running_;
    if (running_ == 0) ended_.notify_one();
  }
}

}  // namespace rezero::detail
