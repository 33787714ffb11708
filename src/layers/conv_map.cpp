#include "conv_map.h"

#include "tap_product.h"

namespace rezero {
namespace {

using Taps = std::vector<std::vector<detail::Tap>>;  ///< of each output position

/// Calls f(output position, input position, tap) for all that exist, with ascending taps for every output.
template <class F>
void each_tap(const ImageSpec& image, const ConvSpec& spec, F f) {
  const ImageSpec to = conv_output(image, spec);
  const auto inside = [&](Index at, Index size) {
    if (spec.padding == Padding::circular) return (at % size + size) % size;
    return 0 <= at && at < size ? at : Index{-1};
  };
  for (Index q = 0; q < to.positions(); ++q) {
    const Index column = q % to.width, row = q / to.width % to.height, number = q / to.width / to.height;
    for (Index tap = 0; tap < spec.taps(); ++tap) {
      const Index a = tap / spec.kernel_width - spec.kernel_height / 2,
                  b = tap % spec.kernel_width - spec.kernel_width / 2;
      const Index i = inside(row * spec.stride + a, image.height),
                  j = inside(column * spec.stride + b, image.width);
      if (i >= 0 && j >= 0) f(q, (number * image.height + i) * image.width + j, tap);
    }
  }
}

/// [W_0 W_1 …], W_t: out × in.
Matrix by_tap(const Matrix& W, Index taps) {
  Matrix M(W.rows(), W.cols());
  const Index in = W.cols() / taps;
  for (Index t = 0; t < taps; ++t)
    for (Index c = 0; c < in; ++c) M.col(t * in + c) = W.col(c * taps + t);
  return M;
}

/// [… W_1ᵀ W_0ᵀ]: backwards, so that runs of ascending outputs are runs of ascending taps.
Matrix by_tap_transposed(const Matrix& W, Index taps) {
  const Index in = W.cols() / taps, out = W.rows();
  Matrix M(in, out * taps);
  for (Index t = 0; t < taps; ++t)
    for (Index c = 0; c < in; ++c)
      M.row(c).segment((taps - 1 - t) * out, out) = W.col(c * taps + t).transpose();
  return M;
}

detail::TapProduct forward(const Matrix& W, const ImageSpec& image, const ConvSpec& spec) {
  Taps taps(static_cast<std::size_t>(conv_output(image, spec).positions()));
  each_tap(image, spec, [&](Index q, Index p, Index tap) {
    taps[static_cast<std::size_t>(q)].push_back({p, tap});
  });
  return {by_tap(W, spec.taps()), W.cols() / spec.taps(), image.positions(), taps};
}

detail::TapProduct backward(const Matrix& W, const ImageSpec& image, const ConvSpec& spec) {
  Taps taps(static_cast<std::size_t>(image.positions()));
  each_tap(image, spec, [&](Index q, Index p, Index tap) {
    taps[static_cast<std::size_t>(p)].push_back({q, spec.taps() - 1 - tap});
  });
  return {by_tap_transposed(W, spec.taps()), W.rows(), conv_output(image, spec).positions(), taps};
}

class ConvMap final : public LinearMap {
 public:
  ConvMap(const Matrix& W, const ImageSpec& image, const ConvSpec& spec)
      : forward_(forward(W, image, spec)), backward_(backward(W, image, spec)) {}
  Index rows() const override { return forward_.outputs(); }
  Index cols() const override { return forward_.inputs(); }
  Real flops_per_column() const override { return forward_.flops(); }

 private:
  void do_apply(ConstColumns v, Columns out) const override { forward_.apply(v, out); }
  void do_apply_transpose(ConstColumns u, Columns out) const override { backward_.apply(u, out); }
  detail::TapProduct forward_, backward_;
};

}  // namespace

LinearMapPtr conv_map(const MatrixPtr& W, const ImageSpec& image, const ConvSpec& spec) {
  if (spec.taps() == 1 && spec.stride == 1) return positionwise_map(W, image.positions());
  return std::make_shared<ConvMap>(*W, image, spec);
}

}  // namespace rezero
