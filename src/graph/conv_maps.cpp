#include "rezero/core/contract.h"
#include "rezero/graph/maps.h"

namespace rezero::graph {
namespace {

using ConstBlock = Eigen::Map<const Matrix>;
using Block = Eigen::Map<Matrix>;

/// The patches of one group of one image: positions × (channels · taps), so that in column-major order
/// y (positions × out) = patches · W (channels · taps × out), with W and y as files have them.
class Patches {
 public:
  explicit Patches(const ConvPlan& plan) : plan_(plan), below_(plan.window.below()) {}

  Index positions() const { return plan_.window.positions(); }
  Index depth() const { return plan_.in * plan_.window.taps(); }

  void gather(const Real* x, Matrix& patches) const {
    each([&](Index p, Index column, Index pixel, Index offset) {
      patches(p, column) = pixel < 0 ? 0 : x[offset + pixel];
    });
  }
  void scatter(const Matrix& patches, Real* x) const {
    each([&](Index p, Index column, Index pixel, Index offset) {
      if (pixel >= 0) x[offset + pixel] += patches(p, column);
    });
  }

 private:
  template <class F>
  void each(F&& f) const {
    const Index taps = plan_.window.taps(), pixels = plan_.window.pixels(), count = positions();
    for (Index c = 0; c < plan_.in; ++c)
      for (Index t = 0; t < taps; ++t)
        for (Index p = 0; p < count; ++p)
          f(p, c * taps + t, below_[static_cast<std::size_t>(p * taps + t)], c * pixels);
  }
  const ConvPlan& plan_;
  Indices below_;
};

/// Calls f(group, start in x, start in W, start in y) for every image and group.
template <class F>
void each_group(const ConvPlan& plan, F&& f) {
  const Index x = plan.in * plan.window.pixels(), y = plan.out * plan.window.positions(),
              w = plan.out * plan.in * plan.window.taps();
  for (Index b = 0; b < plan.batch; ++b)
    for (Index g = 0; g < plan.groups; ++g) f((b * plan.groups + g) * x, g * w, (b * plan.groups + g) * y);
}

class ConvolutionMap final : public LinearMap {
 public:
  ConvolutionMap(const ConvPlan& plan, std::shared_ptr<const Vector> W)
      : plan_(plan), patches_(plan_), W_(std::move(W)) {}
  Index rows() const override { return plan_.y_size(); }
  Index cols() const override { return plan_.x_size(); }
  Real flops_per_column() const override {
    return 2 * static_cast<Real>(plan_.y_size()) * static_cast<Real>(patches_.depth());
  }

 private:
  void do_apply(ConstColumns v, Columns out) const override {
    Matrix patches(patches_.positions(), patches_.depth());
    for (Index j = 0; j < v.cols(); ++j)
      each_group(plan_, [&](Index x, Index w, Index y) {
        patches_.gather(v.col(j).data() + x, patches);
        Block(out.col(j).data() + y, patches.rows(), plan_.out).noalias() = patches * weights(w);
      });
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override {
    out.setZero();
    Matrix patches(patches_.positions(), patches_.depth());
    for (Index j = 0; j < u.cols(); ++j)
      each_group(plan_, [&](Index x, Index w, Index y) {
        patches.noalias() =
            ConstBlock(u.col(j).data() + y, patches.rows(), plan_.out) * weights(w).transpose();
        patches_.scatter(patches, out.col(j).data() + x);
      });
  }
  ConstBlock weights(Index w) const { return {W_->data() + w, patches_.depth(), plan_.out}; }

  ConvPlan plan_;
  Patches patches_;
  std::shared_ptr<const Vector> W_;
};

class WeightMap final : public LinearMap {
 public:
  WeightMap(const ConvPlan& plan, std::shared_ptr<const Vector> x)
      : plan_(plan), patches_(plan_), x_(std::move(x)) {}
  Index rows() const override { return plan_.y_size(); }
  Index cols() const override { return plan_.w_size(); }
  Real flops_per_column() const override {
    return 2 * static_cast<Real>(plan_.y_size()) * static_cast<Real>(patches_.depth());
  }

 private:
  void do_apply(ConstColumns v, Columns out) const override {
    Matrix patches(patches_.positions(), patches_.depth());
    each_group(plan_, [&](Index x, Index w, Index y) {
      patches_.gather(x_->data() + x, patches);
      for (Index j = 0; j < v.cols(); ++j)
        Block(out.col(j).data() + y, patches.rows(), plan_.out).noalias() =
            patches * ConstBlock(v.col(j).data() + w, patches.cols(), plan_.out);
    });
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override {
    out.setZero();
    Matrix patches(patches_.positions(), patches_.depth());
    each_group(plan_, [&](Index x, Index w, Index y) {
      patches_.gather(x_->data() + x, patches);
      for (Index j = 0; j < u.cols(); ++j)
        Block(out.col(j).data() + w, patches.cols(), plan_.out).noalias() +=
            patches.transpose() * ConstBlock(u.col(j).data() + y, patches.rows(), plan_.out);
    });
  }
  ConvPlan plan_;
  Patches patches_;
  std::shared_ptr<const Vector> x_;
};

class TransposedWeightMap final : public LinearMap {
 public:
  TransposedWeightMap(const ConvPlan& plan, std::shared_ptr<const Vector> y)
      : plan_(plan), patches_(plan_), y_(std::move(y)) {}
  Index rows() const override { return plan_.x_size(); }
  Index cols() const override { return plan_.w_size(); }
  Real flops_per_column() const override {
    return 2 * static_cast<Real>(plan_.y_size()) * static_cast<Real>(patches_.depth());
  }

 private:
  void do_apply(ConstColumns v, Columns out) const override {
    out.setZero();
    Matrix patches(patches_.positions(), patches_.depth());
    each_group(plan_, [&](Index x, Index w, Index y) {
      for (Index j = 0; j < v.cols(); ++j) {
        patches.noalias() = image(y) * ConstBlock(v.col(j).data() + w, patches.cols(), plan_.out).transpose();
        patches_.scatter(patches, out.col(j).data() + x);
      }
    });
  }
  void do_apply_transpose(ConstColumns u, Columns out) const override {
    out.setZero();
    Matrix patches(patches_.positions(), patches_.depth());
    each_group(plan_, [&](Index x, Index w, Index y) {
      for (Index j = 0; j < u.cols(); ++j) {
        patches_.gather(u.col(j).data() + x, patches);
        Block(out.col(j).data() + w, patches.cols(), plan_.out).noalias() += patches.transpose() * image(y);
      }
    });
  }
  ConstBlock image(Index y) const { return {y_->data() + y, patches_.positions(), plan_.out}; }
  ConvPlan plan_;
  Patches patches_;
  std::shared_ptr<const Vector> y_;
};

}  // namespace

Indices Window::below() const {
  const std::size_t axes = image.size();
  const Dims steps = strides_of(image);
  Indices all;
  Dims at(axes, 0), tap(axes, 0);
  const auto next = [axes](Dims& counter, const Dims& limits) {
    for (std::size_t a = axes; a-- > 0;) {
      if (++counter[a] < limits[a]) return;
      counter[a] = 0;
    }
  };
  for (Index p = 0; p < positions(); ++p, next(at, output))
    for (Index t = 0; t < taps(); ++t, next(tap, kernel)) {
      Index pixel = 0;
      for (std::size_t a = 0; a < axes && pixel >= 0; ++a) {
        const Index i = at[a] * strides[a] + tap[a] * dilations[a] - pads_begin[a];
        pixel = i >= 0 && i < image[a] ? pixel + i * steps[a] : -1;
      }
      all.push_back(pixel);
    }
  return all;
}

LinearMapPtr conv_map(const ConvPlan& plan, std::shared_ptr<const Vector> weights) {
  REZERO_REQUIRE(weights->size() == plan.w_size());
  return std::make_shared<ConvolutionMap>(plan, std::move(weights));
}

LinearMapPtr conv_weight_map(const ConvPlan& plan, std::shared_ptr<const Vector> x) {
  REZERO_REQUIRE(x->size() == plan.x_size());
  return std::make_shared<WeightMap>(plan, std::move(x));
}

LinearMapPtr transposed_conv_weight_map(const ConvPlan& plan, std::shared_ptr<const Vector> y) {
  REZERO_REQUIRE(y->size() == plan.y_size());
  return std::make_shared<TransposedWeightMap>(plan, std::move(y));
}

}  // namespace rezero::graph
