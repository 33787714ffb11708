#include "rezero/jacobian/rounding_probe.h"

#include <algorithm>
#include <cmath>

#include "linalg/matrix_product.h"
#include "rezero/random/sample.h"

namespace rezero {
namespace {

constexpr Index probes = 8;
constexpr Real safety = 8;
constexpr std::int64_t beyond_everything = 1 << 20;  // exponent of an error where nothing is known

Matrix gaussian(Index rows) {
  return normal_matrix(rows, probes, stream_key(0, StreamRole::rounding, 0, 0xFFFFFFFF));
}

/// a · 2^shift, 0 where that is below the range of double.
Matrix shifted(const Matrix& a, std::int64_t shift) {
  if (shift == 0) return a;
  const auto by = static_cast<int>(std::clamp<std::int64_t>(shift, -4000, 4000));
  return a.unaryExpr([by](Real entry) { return std::ldexp(entry, by); });
}

bool is_zero_row(const Matrix& a, Index i) {
  return (a.row(i).array() == 0).all();
}

}  // namespace

RoundingProbe::RoundingProbe(const Matrix& tangents) : directions_(gaussian(tangents.cols())) {
  image_.mantissa.resize(tangents.rows(), probes);
  multiply(tangents, directions_, image_.mantissa);
}

void RoundingProbe::step(Index block, const ResidualBlock& layer, const Vector& x,
                         const LinearMap& derivative) {
  if (layer.piecewise_linear()) return apply(derivative);
  SimulatedRounding rounding(block);
  apply(*layer.linearize_block(x, &rounding).derivative);
}

void RoundingProbe::apply(const ScaledMap& map) {
  apply(*map.map);
  image_.exponent += map.exponent;
}

void RoundingProbe::apply(const LinearMap& map) {
  Matrix next(map.rows(), probes);
  if (finite_) map.apply(image_.mantissa, next);
  image_.mantissa.swap(next);
  finite_ = finite_ && renormalize(image_);
}

void RoundingProbe::keep_rows(Index first, Index count) {
  image_.mantissa = Matrix(image_.mantissa.middleRows(first, count));
}

FormingError RoundingProbe::compare(const ScaledMatrix& J) const {
  if (!finite_) return {ScaledReal::make(1, beyond_everything), false};
  Matrix formed(J.mantissa.rows(), probes);
  multiply(J.mantissa, directions_, formed);
  // In units of the larger of the two, neither overflows.
  const bool zero = formed.isZero(0), none = image_.mantissa.isZero(0);
  if (zero && none) return {};
  const std::int64_t unit = zero   ? image_.exponent
                            : none ? J.exponent
                                   : std::max(J.exponent, image_.exponent);
  const Matrix difference =
      shifted(formed, J.exponent - unit) - shifted(image_.mantissa, image_.exponent - unit);
  FormingError error;
  const ScaledReal norm = frobenius_norm(difference);
  error.size = ScaledReal::make(safety / std::sqrt(Real{probes}) * norm.mantissa, norm.exponent + unit);
  for (Index i = 0; i < formed.rows(); ++i)
    if (is_zero_row(J.mantissa, i) && !is_zero_row(image_.mantissa, i)) error.zero_rows_agree = false;
  return error;
}

}  // namespace rezero
