#include "rezero/layers/norm.h"

namespace rezero {
namespace {

/// v ↦ v − 1 mean(v) in each run of `features` entries; symmetric.
class CenteringMap final : public LinearMap {
 public:
  explicit CenteringMap(Shape shape) : shape_(shape) {}
  Index rows() const override { return shape_.size(); }
  Index cols() const override { return shape_.size(); }
  Real flops_per_column() const override { return 2 * static_cast<Real>(shape_.size()); }

 private:
  void do_apply(ConstColumns v, Columns out) const override {
    for (Index j = 0; j < v.cols(); ++j)
      for (Index t = 0; t < shape_.positions; ++t) center(v.data() + j * v.outerStride(), out, j, t);
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override { do_apply(u, out); }

  /// Summed in index order by hand: an Eigen reduction would depend on the address.
  void center(const Real* column, Columns& out, Index j, Index t) const {
    const Real* in = column + t * shape_.features;
    Real sum = 0;
    for (Index i = 0; i < shape_.features; ++i) sum += in[i];
    const Real mean = sum / static_cast<Real>(shape_.features);
    for (Index i = 0; i < shape_.features; ++i) out(t * shape_.features + i, j) = in[i] - mean;
  }
  Shape shape_;
};

std::vector<NormKind> table() {
  return {
      {"mean_subtraction",
       {},
       "x − 1 mean(x) over the features of a position",
       "Yang et al. 2023 (arXiv 2310.02244)",
       [](const NormSpec&, Shape shape) -> LayerPtr { return std::make_shared<MeanSubtraction>(shape); }}};
}

}  // namespace

const Registry<NormKind>& norms() {
  static const Registry<NormKind> registry("norm", table());
  return registry;
}

Vector MeanSubtraction::do_evaluate(const Vector& x) const {
  Vector y = x;
  for (Index t = 0; t < shape_.positions; ++t) {
    auto position = y.segment(t * shape_.features, shape_.features);
    position.array() -= position.mean();
  }
  return y;
}

Linearization MeanSubtraction::do_linearize(const Vector& x) const {
  auto map = std::make_shared<CenteringMap>(shape_);
  Vector y(x.size());
  map->apply(x, y);
  return {std::move(y), std::move(map)};
}

}  // namespace rezero
