#include "rezero/parallel/parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/underflow.h"

namespace rezero {
namespace {

TEST(Parts, CoverEveryIndexOnce) {
  for (const Index size : {1, 31, 32, 64, 100, 12345})
    for (const Index least : {1, 32, 4096}) {
      const Index count = part_count(size, least);
      EXPECT_GE(count, 1);
      EXPECT_LE(count, 16);
      EXPECT_EQ(part_start(size, count, 0), 0);
      EXPECT_EQ(part_start(size, count, count), size);
      for (Index i = 0; i < count; ++i)
        EXPECT_GE(part_start(size, count, i + 1) - part_start(size, count, i), std::min(size, least));
    }
}

/// Without lent workers everything stays on the thread. A loan ends with its scope, and applies only to its
/// thread.
TEST(Parts, WorkersAreLent) {
  const auto self = std::this_thread::get_id();
  const auto foreign = [&] {
    std::atomic<int> count{0};
    for_each_part(64, [&](Index) {
      if (std::this_thread::get_id() != self) ++count;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    return count.load();
  };
  EXPECT_EQ(foreign(), 0);
  {
    const PartWorkers two(2);
    EXPECT_GT(foreign(), 0);
    {
      const PartWorkers one(1);
      EXPECT_EQ(foreign(), 0);
    }
    EXPECT_GT(foreign(), 0);
    std::set<std::thread::id> others;
    std::thread other([&] { for_each_part(8, [&](Index) { others.insert(std::this_thread::get_id()); }); });
    const auto id = other.get_id();
    other.join();
    EXPECT_EQ(others, std::set<std::thread::id>{id});
  }
  EXPECT_EQ(foreign(), 0);
}

TEST(Parts, LoopsOneAfterTheOther) {
  const PartWorkers workers(4);
  for (Index count : {0, 1, 2, 16, 100})
    for (int round = 0; round < 300; ++round) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
      for_each_part(count, [&](Index i) { ++calls[static_cast<std::size_t>(i)]; });
      for (const auto& n : calls) ASSERT_EQ(n, 1) << count;
    }
}

/// Including parts executed by other threads, and in addition to earlier underflow.
TEST(Parts, UnderflowShowsInTheCallersFlag) {
  const PartWorkers workers(3);
  volatile double small = 1e-200, result = 0;
  for (Index culprit : {-1, 0, 7, 15}) {
    const detail::UnderflowWatch watch;
    for_each_part(16, [&](Index i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (i == culprit) result = small * small;
    });
    EXPECT_EQ(watch.underflowed(), culprit >= 0) << culprit;
  }
  const detail::UnderflowWatch watch;
  result = small * small;
  for_each_part(16, [](Index) {});
  EXPECT_TRUE(watch.underflowed());
  {
    const detail::UnderflowWatch inner;
    EXPECT_FALSE(inner.underflowed());
  }
  EXPECT_TRUE(watch.underflowed());
}

TEST(Parts, ExceptionsComeOutAndInnerLoopsStay) {
  const PartWorkers workers(3);
  EXPECT_THROW(for_each_part(50,
                             [](Index i) {
                               if (i == 7) throw std::runtime_error("seven");
                             }),
               std::runtime_error);
  std::atomic<int> foreign{0}, inner{0};
  for_each_part(8, [&](Index) {
    const auto self = std::this_thread::get_id();
    for_each_part(8, [&](Index) {
      ++inner;
      if (std::this_thread::get_id() != self) ++foreign;
    });
  });
  EXPECT_EQ(inner, 64);
  EXPECT_EQ(foreign, 0);
}

}  // namespace
}  // namespace rezero
