#include "norm_map.h"

namespace rezero {
namespace {

class NormMap final : public LinearMap {
 public:
  explicit NormMap(NormMapParts parts) : p_(std::move(parts)) {}
  Index rows() const override { return p_.shape.size(); }
  Index cols() const override { return p_.shape.size(); }
  Real flops_per_column() const override { return 8 * static_cast<Real>(p_.shape.size()); }
  Index local_positions() const override { return p_.shape.positions; }

 private:
  void do_apply(ConstColumns v, Columns out) const override {
    for (Index t = 0; t < p_.shape.positions; ++t)
      do_apply_at(t, v.middleRows(t * d(), d()), out.middleRows(t * d(), d()));
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override {
    for (Index t = 0; t < p_.shape.positions; ++t)
      do_apply_transpose_at(t, u.middleRows(t * d(), d()), out.middleRows(t * d(), d()));
  }
  void do_apply_at(Index t, ConstColumns v, Columns out) const override {
    for (Index j = 0; j < v.cols(); ++j) {
      Real* to = out.data() + j * out.outerStride();
      symmetric_part(t, v.data() + j * v.outerStride(), to);
      if (p_.gamma)
        for (Index i = 0; i < d(); ++i) to[i] *= (*p_.gamma)(i);
    }
  }
  void do_apply_transpose_at(Index t, ConstColumns u, Columns out) const override {
    Vector weighted(d());
    for (Index j = 0; j < u.cols(); ++j) {
      weighted = u.col(j);
      if (p_.gamma) weighted.array() *= p_.gamma->array();
      symmetric_part(t, weighted.data(), out.data() + j * out.outerStride());
    }
  }

  /// (P v − c y (yᵀv)) r. Sums in index order by hand: an Eigen reduction would depend on the address. Four
  /// partial sums let the processor overlap them.
  void symmetric_part(Index t, const Real* v, Real* out) const {
    Real mean = 0, along = 0;
    if (p_.center) mean = ordered_sum([&](Index i) { return v[i]; }) / static_cast<Real>(d());
    const Real* y = p_.direction.size() != 0 ? p_.direction.data() + t * d() : nullptr;
    if (y) along = p_.coefficient(t) * ordered_sum([&](Index i) { return y[i] * v[i]; });
    const Real r = p_.scale(t);
    if (y)
      for (Index i = 0; i < d(); ++i) out[i] = (v[i] - mean - along * y[i]) * r;
    else
      for (Index i = 0; i < d(); ++i) out[i] = (v[i] - mean) * r;
  }

  template <class F>
  Real ordered_sum(F term) const {
    constexpr Index lanes = 8;
    Real partial[lanes] = {};
    Index i = 0;
    for (; i + lanes <= d(); i += lanes)
      for (Index k = 0; k < lanes; ++k) partial[k] += term(i + k);
    for (; i < d(); ++i) partial[0] += term(i);
    Real sum = 0;
    for (Real part : partial) sum += part;
    return sum;
  }

  Index d() const { return p_.shape.features; }
  NormMapParts p_;
};

}  // namespace

LinearMapPtr norm_map(NormMapParts parts) {
  return std::make_shared<NormMap>(std::move(parts));
}

}  // namespace rezero
