#include "rezero/parallel/for_each.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <fstream>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace rezero {
namespace {

/// Keeps the exception of the lowest index, so that the one reported depends on timing as little as possible.
class FirstException {
 public:
  void keep(Index index) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (index >= index_) return;
    index_ = index;
    exception_ = std::current_exception();
  }
  /// Whether an index before this one has thrown.
  bool precedes(Index index) const { return index_ < index; }
  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  std::mutex mutex_;
  std::atomic<Index> index_{std::numeric_limits<Index>::max()};
  std::exception_ptr exception_;
};

/// The number of threads, up to `wanted`, that OpenMP's runtime can safely start now: if it cannot start one,
/// it ends the process. Tries a few threads more than wanted. If some do not start, only a third of the
/// others is used: a thread that already works reserves memory for its allocator, up to twice as much as a
/// stack, from those that start after it.
int startable_threads(int wanted) {
  constexpr int margin = 2;
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(wanted + margin));
  std::mutex all_started;
  try {
    const std::lock_guard<std::mutex> lock(all_started);  // no thread ends before that
    for (int i = 0; i < wanted + margin; ++i)
      threads.emplace_back([&] { const std::lock_guard<std::mutex> wait(all_started); });
  } catch (const std::exception&) {
  }
  for (std::thread& thread : threads) thread.join();
  const int started = static_cast<int>(threads.size());
  return started == wanted + margin ? wanted : started / 3;
}

/// Size of a team for `wanted` threads. It never shrinks: GNU's runtime ends threads that a smaller team does
/// not need, and starts them again for a larger one.
int team_size(int wanted) {
  thread_local int size = 1;  // the runtime keeps a team for each thread that forms one
  if (size < wanted) size += startable_threads(wanted - size);
  return size;
}

/// True while the thread works on a loop.
thread_local bool inside_loop = false;

/// CPU quota of the control group (version 2, then 1) in processors; infinity if there is none.
double cgroup_quota() {
  std::ifstream v2("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (v2 >> quota >> period && quota != "max" && period > 0) return std::stod(quota) / period;
  std::ifstream v1_quota("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"),
      v1_period("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  double microseconds = 0;
  if (v1_quota >> microseconds && v1_period >> period && microseconds > 0 && period > 0)
    return microseconds / period;
  return std::numeric_limits<double>::infinity();
}

}  // namespace

void with_team(int workers, const std::function<void()>& body) {
  if (workers <= 1 || omp_in_parallel()) return body();
  std::exception_ptr failure;
#pragma omp parallel num_threads(team_size(workers))
#pragma omp master
  try {
    body();
  } catch (...) {
    failure = std::current_exception();
  }
  if (failure) std::rethrow_exception(failure);
}

void for_each_index(Index count, int workers, const std::function<void(Index)>& f) {
  const int threads = static_cast<int>(std::min<Index>(std::max(workers, 1), count));
  if (threads <= 1 || inside_loop) {
    for (Index i = 0; i < count; ++i) f(i);
    return;
  }
  FirstException failure;
  std::atomic<Index> next{0};
  const auto work = [&] {
    inside_loop = true;
    for (Index i = next++; i < count && !failure.precedes(i); i = next++) try {
        f(i);
      } catch (...) {
        failure.keep(i);
      }
    inside_loop = false;
  };
  with_team(threads, [&] {
  // A task that no thread has started when the indices run out is run by this thread and finds nothing to do,
  // so the loop never waits for a thread that the system has suspended.
#pragma omp taskgroup
    {
      for (int helper = 1; helper < threads; ++helper) {
#pragma omp task default(shared)
        work();
      }
      work();
    }
  });
  failure.rethrow();
}

int available_processors() {
  int count = omp_get_num_procs();
  const double quota = cgroup_quota();
  if (std::isfinite(quota)) count = std::min(count, static_cast<int>(std::ceil(quota)));
  return std::max(count, 1);
}

}  // namespace rezero
