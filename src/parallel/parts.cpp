#include "rezero/parallel/parts.h"

#include <algorithm>

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
  for_each_index(count, lent, f);
}

Index part_count(Index size, Index least) {
  constexpr Index most = 16;
  return std::clamp<Index>(size / least, 1, most);
}

Index part_start(Index size, Index count, Index i) {
  return size * i / count;
}

}  // namespace rezero
