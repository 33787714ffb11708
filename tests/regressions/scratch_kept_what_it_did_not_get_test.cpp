/// A temporary matrix that did not fit into memory was counted as in use, and its thread kept a pointer to
/// the buffer that had been freed for it.

#include <gtest/gtest.h>

#include <new>
#include <thread>
#include <vector>

#include "linalg/scratch.h"

namespace rezero {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool allocations_may_fail = false;  // sanitizers end the program
#else
constexpr bool allocations_may_fail = true;
#endif

/// At the end of the thread, its buffers are freed: a pointer that was kept would be freed twice.
TEST(Regression, ScratchKeptWhatItDidNotGet) {
  if (!allocations_may_fail) GTEST_SKIP();
  std::thread([] {
    constexpr Index size = 100, petabytes = Index{1} << 50;
    { const detail::Scratch first(size, size); }
    EXPECT_THROW(detail::Scratch(petabytes, 1), std::bad_alloc);
    const std::vector<Matrix> others(4, Matrix::Zero(size, size));
    const detail::Scratch next(size, size);
    next.matrix().setOnes();
    for (const Matrix& other : others) EXPECT_TRUE(other.isZero(0));
  }).join();
}

}  // namespace
}  // namespace rezero
