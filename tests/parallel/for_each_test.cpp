#include "rezero/parallel/for_each.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace rezero {
namespace {

TEST(ForEachIndex, EveryIndexOnce) {
  for (int workers : {-1, 0, 1, 2, 3, 8})
    for (Index count : {0, 1, 2, 7, 100}) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
      for_each_index(count, workers, [&](Index i) { ++calls[static_cast<std::size_t>(i)]; });
      for (const auto& n : calls) EXPECT_EQ(n, 1) << workers << ' ' << count;
    }
}

TEST(ForEachIndex, OneWorkerRunsInOrderOnTheCallingThread) {
  std::vector<Index> order;
  const auto self = std::this_thread::get_id();
  for_each_index(20, 1, [&](Index i) {
    EXPECT_EQ(std::this_thread::get_id(), self);
    order.push_back(i);
  });
  std::vector<Index> wanted(20);
  std::iota(wanted.begin(), wanted.end(), 0);
  EXPECT_EQ(order, wanted);
}

TEST(ForEachIndex, ExceptionsComeOutAndStopTheRest) {
  for (int workers : {1, 2, 4}) {
    std::atomic<int> calls{0};
    try {
      for_each_index(10000, workers, [&](Index i) {
        ++calls;
        if (i >= 5) throw std::runtime_error(std::to_string(i));
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      });
      FAIL() << workers;
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "5");
    }
    EXPECT_LT(calls, 100) << "indices not started are skipped";
  }
}

/// Both throw, whatever the timing: the lowest index wins.
TEST(ForEachIndex, TheLowestIndexWins) {
  std::atomic<int> arrived{0};
  try {
    for_each_index(2, 2, [&](Index i) {
      ++arrived;
      for (int spin = 0; arrived < 2 && spin < 2000; ++spin)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (i == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      throw std::runtime_error(std::to_string(i));
    });
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "0");
  }
}

TEST(ForEachIndex, InnerLoopsStayOnTheirThread) {
  std::atomic<int> foreign{0}, inner{0};
  for_each_index(4, 2, [&](Index) {
    const auto self = std::this_thread::get_id();
    for_each_index(8, 4, [&](Index) {
      ++inner;
      if (std::this_thread::get_id() != self) ++foreign;
    });
  });
  EXPECT_EQ(inner, 32);
  EXPECT_EQ(foreign, 0);
}

TEST(ForEachIndex, ExceptionsOfInnerLoopsComeOutToo) {
  EXPECT_THROW(
      for_each_index(3, 2, [](Index) { for_each_index(3, 2, [](Index) { throw std::bad_alloc(); }); }),
      std::bad_alloc);
}

/// Many short loops in a row, of which a late thread must not enter the next.
TEST(ForEachIndex, ShortLoopsInARow) {
  for (int loop = 0; loop < 20000; ++loop) {
    std::atomic<int> calls{0};
    for_each_index(3, 1 + loop % 5, [&](Index) { ++calls; });
    ASSERT_EQ(calls, 3) << loop;
  }
}

/// Two threads of the caller's own: the second loop runs on its calling thread.
TEST(ForEachIndex, LoopsOfSeveralCallers) {
  std::atomic<int> calls{0};
  const auto loops = [&] {
    for (int loop = 0; loop < 500; ++loop) for_each_index(4, 3, [&](Index) { ++calls; });
  };
  std::thread other(loops);
  loops();
  other.join();
  EXPECT_EQ(calls, 4000);
}

TEST(AvailableProcessors, AtLeastOne) {
  EXPECT_GE(available_processors(), 1);
}

}  // namespace
}  // namespace rezero
