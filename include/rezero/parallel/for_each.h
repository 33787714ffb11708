#pragma once
/// Parallel loops over independent work, on OpenMP's threads.

#include <functional>

#include "rezero/core/types.h"

namespace rezero {

/// Calls f(0) … f(count−1), each once, on at most `workers` threads, in no particular order. If calls throw,
/// the exception of the lowest index is rethrown after the loop, for any number of threads; indices after one
/// that threw may be skipped. With workers = 1 the calls run in order on the calling thread. Loops never
/// nest: a call from inside a parallel loop runs on the calling thread. If the system starts fewer threads,
/// fewer take part.
void for_each_index(Index count, int workers, const std::function<void(Index)>& f);

/// Calls body() on the calling thread while a team of `workers` threads waits for loops inside it. There, a
/// loop costs about a microsecond and ends when its work is done, even if another process keeps a thread from
/// running. A loop outside forms a team for itself, which costs several times as much, and waits for every
/// thread. Inside a loop or another team this only calls body. Exceptions are passed on. run_sweep,
/// forward_jacobian and compute_spectrum form a team themselves.
///
/// The threads are OpenMP's. GNU's threads spin for milliseconds before they sleep, unless the environment
/// says otherwise: GOMP_SPINCOUNT=10000 is good on quiet and busy machines (docs/performance.md). No result
/// depends on it.
void with_team(int workers, const std::function<void()>& body);

/// Processors available to this process (affinity mask and cgroup CPU quota), at least 1.
int available_processors();

}  // namespace rezero
