#include "norm_map.h"

#include "linalg/octet.h"

namespace rezero {
namespace {

class NormMap final : public LinearMap {
 public:
  explicit NormMap(NormMapParts parts) : p_(std::move(parts)) {}
  Index rows() const override { return p_.shape.size(); }
  Index cols() const override { return p_.shape.size(); }
  Real flops_per_column() const override { return 8 * static_cast<Real>(p_.shape.size()); }
  Index local_positions() const override { return p_.shape.positions; }
  Index rank_bound() const override { return rows() - (p_.center ? p_.shape.positions : 0); }

 private:
  LinearMapPtr do_in_other_rounding(SimulatedRounding& rounding) const override {
    NormMapParts parts = p_;
    if (parts.direction.size() > 0) parts.direction = rounding(parts.direction);
    if (parts.center) parts.mean_factor = rounding.factors(parts.shape.positions);
    return norm_map(std::move(parts));
  }
  // One column after another, each from top to bottom, since the rows of a position are far apart in memory.
  void do_apply(ConstColumns v, Columns out) const override {
    for (Index j = 0; j < v.cols(); ++j)
      for (Index t = 0; t < p_.shape.positions; ++t) push(t, &v.coeffRef(t * d(), j), &out(t * d(), j));
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override {
    Vector weighted;  // only with γ
    for (Index j = 0; j < u.cols(); ++j)
      for (Index t = 0; t < p_.shape.positions; ++t)
        pull(t, &u.coeffRef(t * d(), j), &out(t * d(), j), weighted);
  }
  void do_apply_at(Index t, ConstColumns v, Columns out) const override {
    for (Index j = 0; j < v.cols(); ++j) push(t, &v.coeffRef(0, j), &out(0, j));
  }
  void do_apply_transpose_at(Index t, ConstColumns u, Columns out) const override {
    Vector weighted;  // only with γ
    for (Index j = 0; j < u.cols(); ++j) pull(t, &u.coeffRef(0, j), &out(0, j), weighted);
  }

  void push(Index t, const Real* v, Real* out) const {
    symmetric_part(t, v, out);
    if (!p_.gamma) return;
    const Real* gamma = p_.gamma->data();
    for (Index i = 0; i < d(); ++i) out[i] *= gamma[i];
  }
  void pull(Index t, const Real* u, Real* out, Vector& weighted) const {
    if (p_.gamma) {
      weighted = Eigen::Map<const Vector>(u, d()).cwiseProduct(*p_.gamma);
      u = weighted.data();
    }
    symmetric_part(t, u, out);
  }

  /// (P v − c y (yᵀv)) r. Both sums in one pass, in an order that does not depend on the address.
  void symmetric_part(Index t, const Real* v, Real* out) const {
    const Real* y = p_.direction.size() != 0 ? p_.direction.data() + t * d() : nullptr;
    detail::Octet sums = {}, products = {};
    Index i = 0;
    for (; i + detail::octet_size <= d(); i += detail::octet_size) {
      if (p_.center) sums += detail::octet(v + i);
      if (y) products += detail::octet(v + i) * detail::octet(y + i);
    }
    Real sum = detail::sum(sums), product = detail::sum(products);
    for (; i < d(); ++i) {
      sum += v[i];
      if (y) product += y[i] * v[i];
    }
    Real mean = p_.center ? sum / static_cast<Real>(d()) : 0;
    if (p_.mean_factor.size() != 0) mean *= p_.mean_factor(t);
    const Real r = p_.scale(t);
    if (!y) {
      for (i = 0; i < d(); ++i) out[i] = (v[i] - mean) * r;
      return;
    }
    const Real along = p_.coefficient(t) * product;
    for (i = 0; i < d(); ++i) out[i] = (v[i] - mean - along * y[i]) * r;
  }

  Index d() const { return p_.shape.features; }
  NormMapParts p_;
};

}  // namespace

LinearMapPtr norm_map(NormMapParts parts) {
  return std::make_shared<NormMap>(std::move(parts));
}

}  // namespace rezero
