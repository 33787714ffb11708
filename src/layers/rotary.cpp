#include "rotary.h"

#include <cmath>

#include "rezero/core/error.h"

namespace rezero {
namespace {

class RotaryMap final : public LinearMap {
 public:
  RotaryMap(Index head_width, Index heads, Index positions, Index sequences, Real base)
      : width_(head_width), heads_(heads), positions_(positions) {
    const Index length = positions / sequences, half = width_ / 2;
    cosine_.resize(half, positions), sine_.resize(half, positions);
    for (Index t = 0; t < positions; ++t)
      for (Index i = 0; i < half; ++i) {
        const Real angle = static_cast<Real>(t % length) *
                           std::pow(base, -2 * static_cast<Real>(i) / static_cast<Real>(width_));
        cosine_(i, t) = std::cos(angle), sine_(i, t) = std::sin(angle);
      }
  }
  Index rows() const override { return width_ * heads_ * positions_; }
  Index cols() const override { return rows(); }
  Real flops_per_column() const override { return 3 * static_cast<Real>(rows()); }

 private:
  void do_apply(ConstColumns v, Columns out) const override { rotate(v, out, 1); }
  void do_apply_transpose(ConstColumns u, Columns out) const override { rotate(u, out, -1); }
  void rotate(const ConstColumns& v, Columns& out, Real sign) const {
    const Index half = width_ / 2;
    for (Index j = 0; j < v.cols(); ++j)
      for (Index t = 0; t < positions_; ++t)
        for (Index h = 0; h < heads_; ++h) {
          const Index at = (t * heads_ + h) * width_;
          for (Index i = 0; i < half; ++i) {
            const Real a = v(at + i, j), b = v(at + half + i, j), c = cosine_(i, t), s = sign * sine_(i, t);
            out(at + i, j) = a * c - b * s;
            out(at + half + i, j) = b * c + a * s;
          }
        }
  }
  Index width_, heads_, positions_;
  Matrix cosine_, sine_;
};

class Rotary final : public Layer {
 public:
  explicit Rotary(Shape shape, LinearMapPtr map) : shape_(shape), map_(std::move(map)) {}
  Shape input_shape() const override { return shape_; }
  Shape output_shape() const override { return shape_; }
  bool positively_homogeneous() const override { return true; }

 private:
  Vector do_evaluate(const Vector& x) const override { return do_linearize(x).value; }
  Linearization do_linearize(const Vector& x) const override {
    Vector y(x.size());
    map_->apply(x, y);
    return {std::move(y), map_};
  }
  Shape shape_;
  LinearMapPtr map_;
};

}  // namespace

LayerPtr rotary_layer(Index head_width, Index heads, Index positions, Index sequences, Real base) {
  if (head_width % 2 != 0)
    throw ShapeError("rotary positions need an even head width, got " + std::to_string(head_width));
  return std::make_shared<Rotary>(Shape{head_width * heads, positions},
                                  std::make_shared<RotaryMap>(head_width, heads, positions, sequences, base));
}

}  // namespace rezero
