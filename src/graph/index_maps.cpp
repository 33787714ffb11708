#include "rezero/graph/maps.h"

namespace rezero::graph {
namespace {

class Sparse final : public LinearMap {
 public:
  explicit Sparse(SparseRows rows) : rows_(std::move(rows)) {}
  Index rows() const override { return static_cast<Index>(rows_.first.size()) - 1; }
  Index cols() const override { return rows_.cols; }
  Real flops_per_column() const override { return 2 * static_cast<Real>(rows_.indices.size()); }

 private:
  void do_apply(ConstColumns v, Columns out) const override {
    for (Index j = 0; j < v.cols(); ++j)
      for (Index i = 0; i < rows(); ++i) {
        Real sum = 0;
        for (std::size_t e = begin(i); e < begin(i + 1); ++e)
          sum += rows_.weights[e] * v(rows_.indices[e], j);
        out(i, j) = sum;
      }
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override {
    out.setZero();
    for (Index j = 0; j < u.cols(); ++j)
      for (Index i = 0; i < rows(); ++i)
        for (std::size_t e = begin(i); e < begin(i + 1); ++e)
          out(rows_.indices[e], j) += rows_.weights[e] * u(i, j);
  }
  std::size_t begin(Index row) const { return rows_.first[static_cast<std::size_t>(row)]; }
  SparseRows rows_;
};

}  // namespace

LinearMapPtr sparse_map(SparseRows rows) {
  return std::make_shared<Sparse>(std::move(rows));
}

}  // namespace rezero::graph
