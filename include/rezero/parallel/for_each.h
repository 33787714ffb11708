#pragma once
/// Parallel loops over independent work.

#include <functional>

#include "rezero/core/types.h"

namespace rezero {

/// f(0) … f(count−1), each once, on at most `workers` threads, in no promised order. Exceptions: the one of
/// the lowest index that throws is rethrown after the loop, whatever the threads; indices after one that
/// threw may be skipped. workers = 1 runs in order on the calling thread. Never nests: called from inside a
/// parallel loop it runs on the calling thread.
void for_each_index(Index count, int workers, const std::function<void(Index)>& f);

/// Processors this process may run on: affinity mask and cgroup CPU quota, at least 1.
int available_processors();

}  // namespace rezero
