#pragma once
/// Parallel loops over independent work, on OpenMP's threads.

#include <functional>

#include "rezero/core/types.h"

namespace rezero {

/// f(0) … f(count−1), each once, on at most `workers` threads, in no promised order. Exceptions: the one of
/// the lowest index that throws is rethrown after the loop, whatever the threads; indices after one that
/// threw may be skipped. workers = 1 runs in order on the calling thread. Never nests: called from inside a
/// parallel loop it runs on the calling thread. Where the system starts fewer threads, fewer work.
void for_each_index(Index count, int workers, const std::function<void(Index)>& f);

/// body() on the calling thread, while a team of `workers` threads waits for the loops in it. There, a loop
/// costs about a microsecond and ends when its work is done, even if another process keeps a thread from
/// running. A loop outside forms a team for itself, which costs several times as much, and waits until every
/// thread has come. Inside a loop or another team this only calls body. Exceptions come out. run_sweep,
/// forward_jacobian and compute_spectrum form a team themselves.
///
/// The threads are OpenMP's. GNU's spin for milliseconds before they sleep unless the environment says
/// otherwise: GOMP_SPINCOUNT=10000 is good on quiet and busy machines (docs/performance.md). No result
/// depends on it.
void with_team(int workers, const std::function<void()>& body);

/// Processors this process may run on: affinity mask and cgroup CPU quota, at least 1.
int available_processors();

}  // namespace rezero
