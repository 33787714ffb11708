#include "cli/limits.h"

#include "cli/cli_support.h"

namespace rezero {
namespace {

/// A root folder with the files that describe control groups.
class FakeRoot {
 public:
  explicit FakeRoot(const std::string& groups) { put("/proc/self/cgroup", groups); }
  FakeRoot& put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(folder_.path() + path).parent_path());
    spill(folder_.path() + path, text);
    return *this;
  }
  Real limit() const { return cli::control_group_limit(folder_.path()); }

 private:
  TemporaryFolder folder_;
};

TEST(Limits, NoControlGroupIsNoLimit) {
  EXPECT_EQ(FakeRoot("").limit(), HUGE_VAL);
  EXPECT_EQ(FakeRoot("0::/a\n").limit(), HUGE_VAL);
  EXPECT_EQ(FakeRoot("nonsense\n\n0:\n").limit(), HUGE_VAL);
}

/// Only the limit of the root used to be read, and the root group of a machine has none.
TEST(Limits, TheGroupOfTheProcessCounts) {
  FakeRoot root("0::/user.slice/job\n");
  root.put("/sys/fs/cgroup/user.slice/job/memory.max", "1000000\n")
      .put("/sys/fs/cgroup/other/memory.max", "1\n");
  EXPECT_EQ(root.limit(), 1e6);
}

TEST(Limits, TheLeastOfAllGroupsAboveCounts) {
  FakeRoot root("0::/a/b/c\n");
  root.put("/sys/fs/cgroup/a/b/c/memory.max", "max\n");
  EXPECT_EQ(root.limit(), HUGE_VAL);
  root.put("/sys/fs/cgroup/a/b/memory.max", "3000\n").put("/sys/fs/cgroup/a/memory.max", "5000\n");
  EXPECT_EQ(root.limit(), 3000);
  root.put("/sys/fs/cgroup/a/memory.high", "2000\n");
  EXPECT_EQ(root.limit(), 2000);
  root.put("/sys/fs/cgroup/memory.max", "1000\n");
  EXPECT_EQ(root.limit(), 1000);
}

TEST(Limits, VersionOne) {
  FakeRoot root("12:cpu,memory:/a/b\n3:cpuset:/a\n1:name=systemd:/x\n");
  root.put("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
  root.put("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "4000\n");
  root.put("/sys/fs/cgroup/memory.max", "1\n");  // a file of no mounted hierarchy
  EXPECT_EQ(root.limit(), 4000);
}

/// A container can see a path that is not mounted in it, or that lies outside its namespace.
TEST(Limits, PathsOutsideTheMountLeaveItsRoot) {
  for (const char* groups : {"0::/docker/4f2a\n", "0::/../../job\n", "0::/\n"})
    EXPECT_EQ(FakeRoot(groups).put("/sys/fs/cgroup/memory.max", "7000\n").limit(), 7000) << groups;
}

}  // namespace
}  // namespace rezero
