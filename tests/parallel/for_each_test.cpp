#include "rezero/parallel/for_each.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <set>
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

/// Both throw, with any timing: the lowest index wins.
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

/// Many short loops in a row; a late thread must not enter the next one.
TEST(ForEachIndex, ShortLoopsInARow) {
  for (int loop = 0; loop < 5000; ++loop) {
    std::atomic<int> calls{0};
    for_each_index(3, 1 + loop % 5, [&](Index) { ++calls; });
    ASSERT_EQ(calls, 3) << loop;
  }
}

/// Two threads that both have loops, each with a team of its own.
TEST(ForEachIndex, LoopsOfSeveralCallers) {
  std::atomic<int> calls{0};
  const auto loops = [&] {
    for (int loop = 0; loop < 500; ++loop) for_each_index(4, 3, [&](Index) { ++calls; });
    with_team(3, [&] {
      for (int loop = 0; loop < 500; ++loop) for_each_index(4, 3, [&](Index) { ++calls; });
    });
  };
  std::thread other(loops);
  loops();
  other.join();
  EXPECT_EQ(calls, 8000);
}

TEST(WithTeam, LoopsInsideRunOnSeveralThreads) {
  const auto self = std::this_thread::get_id();
  for (int workers : {1, 2, 4})
    with_team(workers, [&] {
      EXPECT_EQ(std::this_thread::get_id(), self);
      for (int loop = 0; loop < 500; ++loop) {
        std::vector<std::atomic<int>> calls(7);
        for_each_index(7, 1 + loop % 5, [&](Index i) { ++calls[static_cast<std::size_t>(i)]; });
        for (const auto& n : calls) ASSERT_EQ(n, 1) << workers << ' ' << loop;
      }
      std::mutex mutex;
      std::set<std::thread::id> threads;
      for_each_index(8, workers, [&](Index) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        const std::lock_guard<std::mutex> lock(mutex);
        threads.insert(std::this_thread::get_id());
      });
      EXPECT_LE(threads.size(), static_cast<std::size_t>(workers));
      EXPECT_EQ(threads.size() > 1, workers > 1);
    });
}

TEST(WithTeam, ExceptionsComeOut) {
  for (int workers : {1, 3}) {
    EXPECT_THROW(with_team(workers, [] { throw std::bad_alloc(); }), std::bad_alloc);
    EXPECT_THROW(
        with_team(workers, [&] { for_each_index(9, workers, [](Index) { throw std::bad_alloc(); }); }),
        std::bad_alloc);
  }
}

/// A cell of a sweep calls forward_jacobian, which forms a team where there is none.
TEST(WithTeam, InsideALoopOrATeamItOnlyCalls) {
  std::atomic<int> foreign{0}, inner{0};
  const auto count = [&](Index) {
    const auto self = std::this_thread::get_id();
    with_team(4, [&] {
      for_each_index(8, 4, [&](Index) {
        ++inner;
        if (std::this_thread::get_id() != self) ++foreign;
      });
    });
  };
  for_each_index(4, 2, count);
  with_team(2, [&] { with_team(3, [&] { for_each_index(4, 3, count); }); });
  EXPECT_EQ(inner, 64);
  EXPECT_EQ(foreign, 0);
}

TEST(AvailableProcessors, AtLeastOne) {
  EXPECT_GE(available_processors(), 1);
}

}  // namespace
}  // namespace rezero
