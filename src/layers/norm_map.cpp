#include "norm_map.h"

#include "layers/norm_kernel.h"

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
    for (Index j = 0; j < v.cols(); ++j) push(0, p_.shape.positions, &v.coeffRef(0, j), &out(0, j));
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override {
    Vector weighted;  // only with γ
    for (Index j = 0; j < u.cols(); ++j) pull(0, p_.shape.positions, &u.coeffRef(0, j), &out(0, j), weighted);
  }
  void do_apply_at(Index t, ConstColumns v, Columns out) const override {
    for (Index j = 0; j < v.cols(); ++j) push(t, 1, &v.coeffRef(0, j), &out(0, j));
  }
  void do_apply_transpose_at(Index t, ConstColumns u, Columns out) const override {
    Vector weighted;  // only with γ
    for (Index j = 0; j < u.cols(); ++j) pull(t, 1, &u.coeffRef(0, j), &out(0, j), weighted);
  }

  void push(Index t, Index positions, const Real* v, Real* out) const {
    kernel_.apply(operands(t, positions), v, p_.gamma ? p_.gamma->data() : nullptr, out);
  }
  void pull(Index t, Index positions, const Real* u, Real* out, Vector& weighted) const {
    if (p_.gamma) {
      weighted.resize(positions * d());
      for (Index i = 0; i < positions; ++i)
        weighted.segment(i * d(), d()) = Eigen::Map<const Vector>(u + i * d(), d()).cwiseProduct(*p_.gamma);
      u = weighted.data();
    }
    kernel_.apply(operands(t, positions), u, nullptr, out);
  }

  detail::NormOperands operands(Index t, Index positions) const {
    const auto of_position = [t](const Vector& v) { return v.size() != 0 ? v.data() + t : nullptr; };
    return {d(),
            positions,
            p_.center,
            p_.direction.size() != 0 ? p_.direction.data() + t * d() : nullptr,
            of_position(p_.mean_factor),
            of_position(p_.scale),
            of_position(p_.coefficient)};
  }

  Index d() const { return p_.shape.features; }
  NormMapParts p_;
  const detail::NormKernel& kernel_ = detail::norm_kernel();
};

}  // namespace

LinearMapPtr norm_map(NormMapParts parts) {
  return std::make_shared<NormMap>(std::move(parts));
}

}  // namespace rezero
