#pragma once
/// Threads for the insides of one product with one vector: whoever has only one product to make lends its
/// workers to what the product is made of.

#include <functional>

#include "rezero/core/types.h"

namespace rezero {

/// While it lives, for_each_part on this thread has that many workers. The innermost counts.
class PartWorkers {
 public:
  explicit PartWorkers(int workers);
  ~PartWorkers();
  PartWorkers(const PartWorkers&) = delete;
  PartWorkers& operator=(const PartWorkers&) = delete;

 private:
  int before_;
};

/// for_each_index with the workers that were lent to this thread, one if none were. How many parts there are
/// must not depend on the workers: bits would show them. A part's underflow shows in the processor's flag of
/// this thread.
void for_each_part(Index count, const std::function<void(Index)>& f);

/// Even runs of at least `least` and at most 16 in all: run i of `size` starts at part_start(…, i).
Index part_count(Index size, Index least);
Index part_start(Index size, Index count, Index i);

}  // namespace rezero
