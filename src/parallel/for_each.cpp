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

#include "parallel/pool.h"

namespace rezero {
namespace {

/// Keeps the exception of the lowest index, so that what is reported does not depend on timing more than it
/// must.
class FirstException {
 public:
  void keep(Index index) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (index < index_) index_ = index, exception_ = std::current_exception();
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

/// Set while the thread works for a loop.
thread_local bool inside_loop = false;

}  // namespace

void for_each_index(Index count, int workers, const std::function<void(Index)>& f) {
  const int threads = static_cast<int>(std::min<Index>(std::max(workers, 1), count));
  if (threads <= 1 || inside_loop) {
    for (Index i = 0; i < count; ++i) f(i);
    return;
  }
  FirstException failure;
  std::atomic<Index> next{0};
  detail::Pool::instance().run(threads - 1, [&] {
    inside_loop = true;
    for (Index i = next++; i < count && !failure.precedes(i); i = next++) try {
        f(i);
      } catch (...) {
        failure.keep(i);
      }
    inside_loop = false;
  });
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
