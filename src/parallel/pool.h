#pragma once
/// Threads that wait for loops.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

namespace rezero::detail {

/// One for the process, made by the first loop on several threads, never destroyed: its threads wait for
/// ever.
///
/// A loop ends when its work is done, not when every thread has come: with a busy neighbour on the machine a
/// thread that got no processor costs nothing, where a barrier of spinning threads, as OpenMP's, costs more
/// than the loop (docs/performance.md).
class Pool {
 public:
  static Pool& instance();

  /// body() on the calling thread and on up to `helpers` others at the same time; returns when all that began
  /// have ended. body: must not throw; called late, it must find nothing to do and return. While another
  /// thread's loop runs, and where no thread can be started, the calling thread is alone.
  void run(int helpers, const std::function<void()>& body);

 private:
  void grow(int threads);
  void serve();

  std::mutex mutex_;
  std::condition_variable wake_, ended_;
  const std::function<void()>* body_ = nullptr;  ///< of the loop that runs
  std::atomic<std::uint64_t> loop_{0};           ///< its number
  std::atomic<int> running_{0};                  ///< helpers inside body
  int wanted_ = 0, sleeping_ = 0, threads_ = 0;
  bool taken_ = false;
};

}  // namespace rezero::detail
