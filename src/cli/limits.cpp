#include "cli/limits.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <vector>

#include "linalg/matrix_product.h"

namespace rezero::cli {
namespace {

/// HUGE_VAL if there is no such file, or no number in it (`max`).
Real number_in_file(const std::string& path) {
  std::ifstream file(path);
  Real value = 0;
  return file >> value && value > 0 ? value : HUGE_VAL;
}

/// The smallest of the limits in `files` of a group and of all its ancestors, up to the mount point.
Real least_limit(const std::string& mount, std::string group, const std::vector<const char*>& files) {
  Real bytes = HUGE_VAL;
  for (;;) {
    while (!group.empty() && group.back() == '/') group.pop_back();
    for (const char* file : files) bytes = std::min(bytes, number_in_file(mount + group + "/" + file));
    if (group.empty()) return bytes;
    group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
}

/// The limit to which one line of /proc/self/cgroup leads: `0::/a/b` of version 2, `7:cpu,memory:/a/b` of 1.
Real limit_of_line(const std::string& line, const std::string& root) {
  const std::size_t first = line.find(':'), second = line.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos) return HUGE_VAL;
  const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
  std::string group = line.substr(second + 1);
  // Within a namespace, a group outside it begins with `..`; then only the mount point can be read.
  if (group.find("..") != std::string::npos) group.clear();
  const std::string mounts = root + "/sys/fs/cgroup";
  if (controllers == ",,") {
    const std::vector<const char*> files = {"memory.max", "memory.high"};
    return std::min(least_limit(mounts, group, files), least_limit(mounts + "/unified", group, files));
  }
  if (controllers.find(",memory,") == std::string::npos) return HUGE_VAL;
  return least_limit(mounts + "/memory", group, {"memory.limit_in_bytes"});
}

}  // namespace

Real control_group_limit(const std::string& root) {
  Real bytes = HUGE_VAL;
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) bytes = std::min(bytes, limit_of_line(line, root));
  return bytes;
}

Real usable_memory() {
  Real bytes = static_cast<Real>(sysconf(_SC_PHYS_PAGES)) * static_cast<Real>(sysconf(_SC_PAGE_SIZE));
  bytes = std::min(bytes, control_group_limit());
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    bytes = std::min(bytes, static_cast<Real>(limit.rlim_cur));
  return bytes;
}

Real memory_limit(const std::optional<Real>& of_plan) {
  constexpr Real share = 0.8;
  return of_plan ? *of_plan : share * usable_memory();
}

std::string bytes_text(Real bytes) {
  const char* units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < std::size(units)) bytes /= 1000, ++unit;
  char text[32];
  std::snprintf(text, sizeof text, bytes < 1e6 ? "%.3g %s" : "%.3e %s", bytes, units[unit]);
  return text;
}

std::string seconds_text(Real seconds) {
  char text[32];
  if (seconds < 60)
    std::snprintf(text, sizeof text, "%.2g s", seconds);
  else if (seconds < 7200)
    std::snprintf(text, sizeof text, "%.0f min", seconds / 60);
  else
    std::snprintf(text, sizeof text, "%.3g h", seconds / 3600);
  return text;
}

Real measure_flop_rate() {
  constexpr Index n = 256;
  const Matrix A = Matrix::Constant(n, n, 0.5), B = Matrix::Constant(n, n, 0.25);
  Matrix C(n, n);
  Real best = 0;
  for (int attempt = 0; attempt < 4; ++attempt) {
    const auto start = std::chrono::steady_clock::now();
    multiply(A, B, C);
    const Real seconds = std::chrono::duration<Real>(std::chrono::steady_clock::now() - start).count();
    best = std::max(best, C(0, 0) > 0 ? 2.0 * n * n * n / seconds : 0);
  }
  return best;
}

}  // namespace rezero::cli
