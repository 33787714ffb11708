#include "rezero/jacobian/rounding_probe.h"

#include <algorithm>
#include <cmath>

#include "linalg/matrix_product.h"
#include "linalg/unit.h"
#include "rezero/core/contract.h"
#include "rezero/random/sample.h"

namespace rezero {
namespace {

using detail::shifted;

constexpr Index probes = 8;
constexpr Real safety = 10;
constexpr std::int64_t beyond_everything = 1 << 20;  // exponent of an error about which nothing is known

Matrix gaussian(Index rows) {
  return normal_matrix(rows, probes, stream_key(0, StreamRole::rounding, 0, 0xFFFFFFFF));
}

int samples_for(Index rows) {
  return rows < 64 ? 8 : rows < 512 ? 4 : 2;
}

bool is_zero_row(const Matrix& a, Index i) {
  return (a.row(i).array() == 0).all();
}

}  // namespace

RoundingProbe::RoundingProbe(const Matrix& tangents)
    : directions_(gaussian(tangents.cols())), samples_(samples_for(tangents.rows())) {
  image_.mantissa.resize(tangents.rows(), probes);
  multiply(tangents, directions_, image_.mantissa);
}

void RoundingProbe::step(Index block, const Block& layer, const Vector& x, const LinearMap& derivative) {
  if (!finite_) return;
  if (layer.piecewise_linear()) {
    Matrix next(derivative.rows(), probes);
    derivative.apply(image_.mantissa, next);
    return replace(std::move(next));
  }
  apply([&](int sample) {
    SimulatedRounding rounding(block, sample);
    return layer.linearize_block(x, &rounding).derivative;
  });
}

void RoundingProbe::apply(const std::function<ScaledMap(int sample)>& map) {
  std::int64_t exponent = 0;
  apply(std::function<LinearMapPtr(int)>([&](int sample) {
    const ScaledMap at = map(sample);
    REZERO_REQUIRE(sample == 0 || at.exponent == exponent);  // the same for all samples
    exponent = at.exponent;
    return at.map;
  }));
  image_.exponent += exponent;
}

void RoundingProbe::apply(const std::function<LinearMapPtr(int sample)>& map) {
  if (!finite_) return;
  const Index each = probes / samples_;
  Matrix next;
  for (int sample = 0; sample < samples_; ++sample) {
    const LinearMapPtr at = map(sample);
    if (sample == 0) next.resize(at->rows(), probes);
    at->apply(image_.mantissa.middleCols(sample * each, each), next.middleCols(sample * each, each));
  }
  replace(std::move(next));
}

void RoundingProbe::replace(Matrix next) {
  image_.mantissa.swap(next);
  finite_ = renormalize(image_);
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
  // Errors as large as J itself are no longer proportional to roundings, so nothing is known.
  const Real scale =
      2 * norm.to_real().value_or(1) >= max_abs(shifted(formed, J.exponent - unit)) ? 64 * safety : safety;
  error.size = (norm * (scale / std::sqrt(Real{probes}))).shifted(unit);
  for (Index i = 0; i < formed.rows(); ++i)
    if (is_zero_row(J.mantissa, i) && !is_zero_row(image_.mantissa, i)) error.zero_rows_agree = false;
  return error;
}

}  // namespace rezero
