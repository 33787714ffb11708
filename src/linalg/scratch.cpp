#include "linalg/scratch.h"

#include <cstddef>
#include <vector>

namespace rezero::detail {
namespace {

/// The buffers of one thread: those in use, then those that wait.
class Buffers {
 public:
  Real* take(Index size) {
    if (used_ == all_.size()) all_.emplace_back();
    Vector& buffer = all_[used_];
    if (buffer.size() < size) {
      buffer.resize(0);  // as in resize()
      buffer.resize(size);
    }
    ++used_;
    return buffer.data();
  }
  void give_back() {
    // Large ones are not worth keeping: allocating them takes no time beside using them.
    constexpr Index worth_keeping = 32768;
    Vector& buffer = all_[--used_];
    if (buffer.size() > worth_keeping) buffer.resize(0);
  }

 private:
  std::vector<Vector> all_;
  std::size_t used_ = 0;
};

thread_local Buffers buffers;

}  // namespace

Scratch::Scratch(Index rows, Index cols) : data_(buffers.take(rows * cols)), rows_(rows), cols_(cols) {}

Scratch::~Scratch() {
  buffers.give_back();
}

}  // namespace rezero::detail
