#include "rezero/core/contract.h"
#include "rezero/linalg/maps.h"

namespace rezero {
namespace {

class Segment final : public LinearMap {
 public:
  Segment(Index size, Index first, Index count) : size_(size), first_(first), count_(count) {
    REZERO_REQUIRE(first >= 0 && count >= 0 && first + count <= size);
  }
  Index rows() const override { return count_; }
  Index cols() const override { return size_; }
  Real flops_per_column() const override { return 0; }

 private:
  void do_apply(ConstColumns v, Columns out) const override { out = v.middleRows(first_, count_); }
  void do_apply_transpose(ConstColumns u, Columns out) const override {
    out.setZero();
    out.middleRows(first_, count_) = u;
  }
  Index size_, first_, count_;
};

}  // namespace

LinearMapPtr segment_map(Index size, Index first, Index count) {
  return std::make_shared<Segment>(size, first, count);
}

}  // namespace rezero
