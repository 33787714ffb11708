#include "rezero/parallel/for_each.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <fstream>
#include <limits>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>
#ifdef _OPENMP
#include <omp.h>
#endif

namespace rezero {
namespace {

/// Keeps the exception of the lowest index, so that what is reported does not depend on timing more than it
/// must.
class FirstException {
 public:
  void keep(Index index) {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
    if (index < index_) index_ = index, exception_ = std::current_exception();
  }
  bool stopped() const { return stop_; }
  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  std::mutex mutex_;
  std::atomic<bool> stop_{false};
  Index index_ = std::numeric_limits<Index>::max();
  std::exception_ptr exception_;
};

bool inside_parallel_region() {
#ifdef _OPENMP
  return omp_in_parallel() != 0;
#else
  return false;
#endif
}

/// CPU quota of the control group (version 2, then 1) in processors; infinity when there is none.
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

/// OpenMP ends the process when it cannot start a thread. Starting as many plain threads first tells how many
/// there can be; asked once for each larger number.
int startable_threads(int wanted) {
  static std::mutex mutex;
  static int proven = 1;
  const std::lock_guard<std::mutex> lock(mutex);
  if (wanted <= proven) return wanted;
  std::vector<std::thread> probes;
  std::atomic<bool> done{false};
  try {
    while (static_cast<int>(probes.size()) + 1 < wanted)
      probes.emplace_back([&done] {
        while (!done) std::this_thread::yield();
      });
  } catch (const std::system_error&) {
    wanted = std::max(1, static_cast<int>(probes.size()) / 2);  // room for what the threads will need
  }
  done = true;
  for (std::thread& probe : probes) probe.join();
  proven = std::max(proven, wanted);
  return wanted;
}

}  // namespace

void for_each_index(Index count, int workers, const std::function<void(Index)>& f) {
  const int threads = static_cast<int>(std::min<Index>(std::max(workers, 1), count));
  if (threads <= 1 || inside_parallel_region()) {
    for (Index i = 0; i < count; ++i) f(i);
    return;
  }
  [[maybe_unused]] const int started = startable_threads(threads);
  FirstException failure;
#pragma omp parallel for schedule(dynamic, 1) num_threads(started)
  for (Index i = 0; i < count; ++i) {
    if (failure.stopped()) continue;
    try {
      f(i);
    } catch (...) {
      failure.keep(i);
    }
  }
  failure.rethrow();
}

int available_processors() {
  cpu_set_t set;
  int count = 1;
  if (sched_getaffinity(0, sizeof set, &set) == 0) count = std::max(1, CPU_COUNT(&set));
  const double quota = cgroup_quota();
  if (std::isfinite(quota)) count = std::min(count, std::max(1, static_cast<int>(std::ceil(quota))));
  return count;
}

}  // namespace rezero
