#pragma once
/// Threads for the insides of one product with one vector: whoever has only one product to make lends its
/// workers to what the product is made of.

#include <functional>
#include <memory>

#include "rezero/core/types.h"

namespace rezero {

namespace detail {
class Helpers;
}

/// While it lives, for_each_part on this thread has workers − 1 helpers (15 at most, and fewer where no more
/// threads can be started). The innermost counts. Helpers sleep between loops: such loops are short and many,
/// and threads that spin in between take the processor from those that work.
class PartWorkers {
 public:
  explicit PartWorkers(int workers);
  ~PartWorkers();
  PartWorkers(const PartWorkers&) = delete;
  PartWorkers& operator=(const PartWorkers&) = delete;

 private:
  std::unique_ptr<detail::Helpers> helpers_;
  detail::Helpers* before_;
};

/// f(0) … f(count−1), each once, by this thread and the helpers that were lent to it, in no promised order;
/// an exception is rethrown after the loop. Never nests. How many parts there are must not depend on the
/// workers: bits would show them.
void for_each_part(Index count, const std::function<void(Index)>& f);

/// Even runs of at least `least` and at most 16 in all: run i of `size` starts at part_start(…, i).
Index part_count(Index size, Index least);
Index part_start(Index size, Index count, Index i);

}  // namespace rezero
