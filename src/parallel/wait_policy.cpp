/// How long OpenMP's idle threads spin before they sleep. Linked into the command, the tests and the
/// benchmarks; a library must not change the environment of its user.

#include <cstdlib>

namespace {

/// The runtime reads its settings once, when it is initialized: GNU's in a constructor of default priority,
/// which runs after this one if the runtime is linked statically. By default its threads spin for
/// milliseconds, which is expensive with a busy neighbour. Threads that sleep at once have to be woken for
/// every loop, which is expensive if loops follow each other closely. A user's OMP_WAIT_POLICY is respected.
[[gnu::constructor(101)]] void set_wait_policy() {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  setenv("OMP_WAIT_POLICY", "passive", 0);
  setenv("GOMP_SPINCOUNT", "10000", 0);  // about 0.2 ms (docs/performance.md)
}

}  // namespace
