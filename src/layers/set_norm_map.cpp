#include "set_norm_map.h"

namespace rezero {
namespace {

/// Sums run over positions in order, with features next to each other in vectors: O(1) per entry, and bits do
/// not depend on addresses.
class SetNormMap final : public LinearMap {
 public:
  explicit SetNormMap(SetNormMapParts parts)
      : p_(std::move(parts)),
        one_(Vector::Ones(p_.shape.features)),
        gamma_scale_(p_.gamma.asDiagonal() * p_.scale) {}
  Index rows() const override { return p_.shape.size(); }
  Index cols() const override { return p_.shape.size(); }
  Real flops_per_column() const override { return 9 * static_cast<Real>(p_.shape.size()); }
  Index rank_bound() const override { return rows() - rows() / p_.set.size(); }  // the mean of each set

 private:
  LinearMapPtr do_in_other_rounding(SimulatedRounding& rounding) const override {
    SetNormMapParts parts = p_;
    parts.direction = rounding(parts.direction);
    parts.mean_factor = rounding.factors(parts.shape.features);
    return set_norm_map(std::move(parts));
  }
  void do_apply(ConstColumns v, Columns out) const override { standardize(v, one_, gamma_scale_, out); }
  void do_apply_transpose(ConstColumns u, Columns out) const override {
    standardize(u, p_.gamma, p_.scale, out);
  }

  /// after ⊙ P (before ⊙ v), P the symmetric part without r.
  void standardize(const ConstColumns& v, const Vector& before, const Matrix& after, Columns& out) const {
    Vector mean(p_.shape.features), along(p_.shape.features);
    for (Index j = 0; j < v.cols(); ++j)
      for (Index run = 0; run < after.cols(); ++run) {
        const Index begin = run * p_.set.positions * p_.shape.features;
        const Real *from = v.data() + j * v.outerStride() + begin, *y = p_.direction.data() + begin;
        means(from, y, before.data(), mean, along);
        remove(from, y, before.data(), mean, along, after.data() + run * after.rows(),
               out.data() + j * out.outerStride() + begin);
      }
  }

  /// mean(V) and mean(Y ⊙ V) of each feature's set.
  void means(const Real* v, const Real* y, const Real* before, Vector& mean, Vector& along) const {
    const Index d = p_.shape.features;
    mean.setZero(), along.setZero();
    Real *m = mean.data(), *a = along.data();
    for (Index t = 0; t < p_.set.positions; ++t, v += d, y += d)
      for (Index i = 0; i < d; ++i) {
        const Real entry = before[i] * v[i];
        m[i] += entry;
        a[i] += y[i] * entry;
      }
    const Real size = static_cast<Real>(p_.set.size());
    for (Index first = 0; first < d; first += p_.set.features) {
      Real sum = 0, product = 0;
      for (Index i = first; i < first + p_.set.features; ++i) sum += m[i], product += a[i];
      for (Index i = first; i < first + p_.set.features; ++i) m[i] = sum / size, a[i] = product / size;
    }
    if (p_.mean_factor.size() != 0) mean.array() *= p_.mean_factor.array();
  }

  void remove(const Real* v, const Real* y, const Real* before, const Vector& mean, const Vector& along,
              const Real* after, Real* out) const {
    const Index d = p_.shape.features;
    const Real *m = mean.data(), *a = along.data();
    for (Index t = 0; t < p_.set.positions; ++t, v += d, y += d, out += d)
      for (Index i = 0; i < d; ++i) out[i] = (before[i] * v[i] - m[i] - a[i] * y[i]) * after[i];
  }

  SetNormMapParts p_;
  Vector one_;
  Matrix gamma_scale_;
};

}  // namespace

LinearMapPtr set_norm_map(SetNormMapParts parts) {
  return std::make_shared<SetNormMap>(std::move(parts));
}

}  // namespace rezero
