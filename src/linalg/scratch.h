#pragma once
/// Temporary matrices whose memory is used again: a product takes a few for every panel, and allocating them
/// each time would cost more than small products.

#include "rezero/core/types.h"

namespace rezero::detail {

/// M.resize(rows, cols), except that M is empty if memory runs out: Eigen's resize keeps a pointer to what it
/// freed, which is then freed again.
inline void resize(Matrix& M, Index rows, Index cols) {
  if (M.size() != rows * cols) M.resize(0, 0);
  M.resize(rows, cols);
}

/// An uninitialized matrix for the lifetime of this object. Objects of a thread end in the reverse order of
/// their making, like variables of a function.
class Scratch {
 public:
  Scratch(Index rows, Index cols);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  Eigen::Map<Matrix> matrix() const { return {data_, rows_, cols_}; }

 private:
  Real* data_;
  Index rows_, cols_;
};

}  // namespace rezero::detail
