#pragma once
/// Parallelism inside a single matrix–vector product. A caller with one product to compute lends its worker
/// threads to the inner loops of that product.

#include <functional>

#include "rezero/core/types.h"

namespace rezero {

/// During its lifetime, for_each_part on this thread uses that many workers. The innermost object counts.
class PartWorkers {
 public:
  explicit PartWorkers(int workers);
  ~PartWorkers();
  PartWorkers(const PartWorkers&) = delete;
  PartWorkers& operator=(const PartWorkers&) = delete;

 private:
  int before_;
};

/// for_each_index with the workers lent to this thread, or one if none were lent. The number of parts must
/// not depend on the number of workers, or results would differ bitwise. Underflow in any part sets the
/// status flag of the calling thread.
void for_each_part(Index count, const std::function<void(Index)>& f);

/// Splits `size` into even runs of at least `least`, at most 16 in total. Run i starts at part_start(…, i).
Index part_count(Index size, Index least);
Index part_start(Index size, Index count, Index i);

}  // namespace rezero
