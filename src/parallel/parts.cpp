#include "rezero/parallel/parts.h"

#include <algorithm>
#include <atomic>

#include "core/underflow.h"
#include "rezero/parallel/for_each.h"

namespace rezero {
namespace {

thread_local int lent = 1;

}  // namespace

PartWorkers::PartWorkers(int workers) : before_(lent) {
  lent = workers;
}
PartWorkers::~PartWorkers() {
  lent = before_;
}

void for_each_part(Index count, const std::function<void(Index)>& f) {
  if (lent <= 1 || count <= 1) return for_each_index(count, 1, f);
  std::atomic<bool> any{false};
  for_each_index(count, lent, [&](Index i) {
    const detail::UnderflowWatch watch;
    f(i);
    if (watch.underflowed()) any = true;
  });
  if (any) detail::raise_underflow();
}

Index part_count(Index size, Index least) {
  constexpr Index most = 16;
  return std::clamp<Index>(size / least, 1, most);
}

Index part_start(Index size, Index count, Index i) {
  return size * i / count;
}

}  // namespace rezero
