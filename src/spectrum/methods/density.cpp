/// The distribution of the singular values by stochastic Lanczos quadrature: a cumulative curve with its
/// errors, at any size, but no individual values.

#include <algorithm>
#include <cmath>

#include "rezero/core/contract.h"
#include "rezero/linalg/maps.h"
#include "rezero/parallel/for_each.h"
#include "rezero/random/sample.h"
#include "rezero/spectrum/method.h"
#include "spectrum/chain.h"
#include "spectrum/density/quadrature.h"
#include "spectrum/resolution.h"
#include "spectrum/text.h"

namespace rezero {
namespace {

using detail::ProbeMeasure;
using detail::ProbeRecurrence;
using detail::six_digits;

constexpr Real target = 0.01, sampling_target = 0.005;
constexpr Real kolmogorov_95 = 1.36;  // quantile of sup |Brownian bridge|
constexpr Index fewest_probes = 2, first_steps = 100;
constexpr Index intervals = 120;
constexpr Real eps_rounded_up = 2.3e-16;

/// Sampling error of F over the probes. The weights of a uniform direction are Dirichlet(½, …, ½), so a sum
/// of n F of them is Beta(nF/2, n(1 − F)/2).
Real sampling_factor(Index n, Index probes) {
  return std::sqrt(2 / (static_cast<Real>(n + 2) * static_cast<Real>(probes)));
}

/// As many as the sampling distance needs to reach its share of the target; a whole basis for small
/// dimensions.
Index density_probes(Index n) {
  const Real enough = std::pow(kolmogorov_95 / sampling_target, 2) * 2 / static_cast<Real>(n + 2);
  return std::min(n, std::max(fewest_probes, static_cast<Index>(std::ceil(enough))));
}

/// The maximum number of steps per probe, which is also the number of vectors stored.
Index density_steps(Index n) {
  constexpr Index long_vectors = 200000;
  return n > long_vectors ? 200 : 400;
}

/// The smallest values of A that rounding leaves intact: n eps of the largest, or the effect of rounding seen
/// in the products, which show one direction of n at a time.
Real rounding_floor(const std::vector<ProbeRecurrence>& probes, Index n) {
  Real largest = 0, asymmetry = 0;
  for (const ProbeRecurrence& probe : probes) {
    largest = std::max(largest, probe.largest_seen());
    asymmetry = std::max(asymmetry, probe.asymmetry());
  }
  return std::max(largest * static_cast<Real>(n) * eps_rounded_up,
                  4 * std::sqrt(static_cast<Real>(n)) * asymmetry);
}

/// Edges evenly spaced over the logarithms of values from low to high, with a small margin.
std::vector<Real> edges(Real low, Real high) {
  const Real top = high, span = std::max(high - low, 0.05), pad = span / 20;
  std::vector<Real> points;
  for (Index i = 0; i <= intervals; ++i)
    points.push_back(top + pad - (span + 2 * pad) * static_cast<Real>(intervals - i) / intervals);
  return points;
}

/// Over all nodes of the probes above rounding.
std::vector<Real> edges(const std::vector<ProbeMeasure>& measures, Real floor) {
  Real low = HUGE_VAL, high = 0;
  for (const ProbeMeasure& measure : measures) high = std::max(high, measure.largest());
  for (const ProbeMeasure& measure : measures)
    if (measure.largest() > floor) low = std::min(low, measure.smallest_above(floor));
  return edges(std::log10(low), std::log10(high));
}

/// For a map whose values are all zero, or below 10^top: F is 1 from the first edge on.
void set_nothing_above(SpectralDensity& density, Real top) {
  density.log10_sigma = edges(top, top);
  density.cdf.assign(density.log10_sigma.size(), 1);
  density.converged = true;
}

/// Derives the errors (of F over that many values) and the histogram from the curve.
void complete(SpectralDensity& density, Real sampling) {
  for (std::size_t i = 0; i < density.cdf.size(); ++i) {
    const Real F = density.cdf[i];
    density.cdf_error.push_back(sampling * std::sqrt(std::max<Real>(0, F * (1 - F))));
    if (i > 0) density.histogram.push_back(std::max<Real>(0, F - density.cdf[i - 1]));
  }
}

/// The mean of the probes' F at the edges (log₁₀ σ).
std::vector<Real> mean_cdf(const std::vector<ProbeMeasure>& measures, const std::vector<Real>& at) {
  std::vector<Real> mean;
  for (const Real point : at) {
    Real sum = 0;
    for (const ProbeMeasure& measure : measures) sum += measure.cdf(std::pow(10, point));
    mean.push_back(std::min<Real>(1, sum / static_cast<Real>(measures.size())));
  }
  return mean;
}

Real distance(const std::vector<Real>& a, const std::vector<Real>& b) {
  Real largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// All probes of one map, extended together.
class Quadrature {
 public:
  /// rounding: ‖·‖_F of the rounding error of products with A.
  Quadrature(const LinearMap& A, Real rounding, const SpectrumRequest& request)
      : A_(A), rounding_(rounding), workers_(request.workers) {
    density_.probes = density_probes(A.cols()), density_.target = target;
    whole_basis_ = density_.probes == A.cols();
    density_.sampling_distance = kolmogorov_95 * sampling();
    for (Index i = 0; i < density_.probes; ++i) {
      if (whole_basis_) {
        probes_.emplace_back(A_, Vector::Unit(A_.cols(), i));
        continue;
      }
      const StreamKey key =
          stream_key(request.start.seed, StreamRole::probe, 0, static_cast<std::uint32_t>(i + 1));
      probes_.emplace_back(A_, normal_vector(A_.cols(), key).normalized());
    }
  }

  SpectralDensity run(std::int64_t exponent) {
    // Doubling the steps reduces the distance by a factor of four at best; if that cannot suffice, it is not
    // tried.
    const Index most = density_steps(A_.cols());
    for (Index steps = first_steps; steps <= most; steps *= 2) {
      look(steps);
      const Real reach = std::pow(static_cast<Real>(most / steps), 2) * target / 2;
      if (density_.converged || density_.steps_distance > reach) break;
    }
    const Real unit = static_cast<Real>(exponent) * std::log10(2.0);
    for (Real& edge : density_.log10_sigma) edge += unit;
    complete(density_, sampling());
    if (relative_floor() <= six_digits) moments(exponent);
    return density_;
  }

  const std::string& fault() const { return fault_; }
  /// Below this share of the largest value, nothing can be distinguished from zero.
  Real relative_floor() const {
    Real largest = 0;
    for (const ProbeRecurrence& probe : probes_) largest = std::max(largest, probe.largest_seen());
    return largest > 0 ? floor_ / largest : 0;
  }
  Index products() const {
    Index sum = 0;
    for (const ProbeRecurrence& probe : probes_) sum += 2 * probe.steps();
    return sum;
  }

 private:
  /// The mean over a whole orthonormal basis is a trace, without sampling error.
  Real sampling() const { return whole_basis_ ? 0 : sampling_factor(A_.cols(), density_.probes); }

  /// F with that many steps, and its distance from F with half of them.
  void look(Index steps) {
    for_each_index(density_.probes, workers_, [&](Index i) { at(i).extend(steps); });
    std::vector<ProbeMeasure> full, half;
    floor_ = std::max(rounding_, rounding_floor(probes_, A_.cols()));
    Index longest = 0;
    for (const ProbeRecurrence& probe : probes_) {
      full.push_back(probe.measure(steps, floor_));
      half.push_back(probe.measure(probe.steps() < steps ? steps : steps / 2, floor_));
      longest = std::max(longest, probe.steps());
      if (!moments_agree(full.back(), probe)) fault_ = "the Gauss rule of a probe misses its second moment";
    }
    density_.steps = longest;
    const bool zero =
        std::all_of(full.begin(), full.end(), [](const ProbeMeasure& m) { return m.largest() == 0; });
    if (zero) return set_nothing_above(density_, 0);
    density_.log10_sigma = edges(full, floor_);
    density_.cdf = mean_cdf(full, density_.log10_sigma);
    density_.steps_distance = distance(density_.cdf, mean_cdf(half, density_.log10_sigma));
    density_.converged = density_.steps_distance <= target / 2;
  }

  /// A Gauss rule has the exact first two moments of σ², which the products also give directly.
  static bool moments_agree(const ProbeMeasure& measure, const ProbeRecurrence& probe) {
    // Weights are accurate to a few eps; next to large nodes they say little about a start vector near the
    // null space.
    constexpr Real slack = 1e-8, weight_error = 1e-13;
    const Real second = probe.first_square(), fourth = probe.second_square();
    const Real square = measure.largest() * measure.largest();
    const auto agrees = [](Real by_rule, Real by_product, Real largest) {
      return std::abs(by_rule - by_product) <= slack * by_product + weight_error * largest;
    };
    return agrees(measure.moment(2), second, square) &&
           (probe.steps() < 2 || agrees(measure.moment(4), fourth, square * square));
  }

  void moments(std::int64_t exponent) {
    const auto count = static_cast<Real>(probes_.size());
    Real sum = 0, squares = 0, fourth = 0;
    for (const ProbeRecurrence& probe : probes_) sum += probe.first_square(), fourth += probe.second_square();
    for (const ProbeRecurrence& probe : probes_) squares += std::pow(probe.first_square() - sum / count, 2);
    density_.mean_square = ScaledReal::make(sum / count, 2 * exponent);
    const Real error = whole_basis_ ? 0 : std::sqrt(squares / (count * (count - 1)));
    density_.mean_square_error = ScaledReal::make(error, 2 * exponent);
    density_.mean_fourth = ScaledReal::make(fourth / count, 4 * exponent);
  }

  ProbeRecurrence& at(Index i) { return probes_[static_cast<std::size_t>(i)]; }

  const LinearMap& A_;
  Real rounding_;
  int workers_;
  bool whole_basis_ = false;
  Real floor_ = 0;
  std::vector<ProbeRecurrence> probes_;
  SpectralDensity density_;
  std::string fault_;
};

/// The exponent of the map applied to a random vector, if it is far from 1: squares would leave the range.
std::int64_t far_exponent(const LinearMap& map) {
  constexpr std::int64_t moderate = 100, most = 1000;
  Matrix image(map.rows(), 1);
  map.apply(normal_vector(map.cols(), stream_key(0, StreamRole::probe)), image);
  const ScaledReal size = frobenius_norm(image);
  return size.is_zero() || std::abs(size.exponent) <= moderate ? 0 : std::clamp(size.exponent, -most, most);
}

LinearMapPtr in_units(const LinearMapPtr& map, std::int64_t exponent) {
  if (exponent == 0) return map;
  const Real unit = std::ldexp(1.0, static_cast<int>(-exponent));
  return product_map({map, diagonal_map(Vector::Constant(map->rows(), unit))});
}

/// An estimated bound on ‖Ã − A‖_F, from a few random vectors for each sample Ã of A in another rounding.
Real rounding_of(const LinearMap& A, const std::vector<LinearMapPtr>& others) {
  constexpr Real safety = 8;
  constexpr Index directions = 3;
  if (others.empty()) return 0;
  const Matrix v = normal_matrix(A.cols(), directions, stream_key(0, StreamRole::rounding));
  Matrix image(A.rows(), directions), again(A.rows(), directions);
  A.apply(v, image);
  Real sum = 0;
  for (const LinearMapPtr& other : others) {
    other->apply(v, again);
    sum += (again - image).squaredNorm();
  }
  return safety * std::sqrt(sum / static_cast<Real>(directions * static_cast<Index>(others.size())));
}

Spectrum by_quadrature(const JacobianView& J, const SpectrumRequest& request) {
  const ScaledMap map = J.as_map();
  const std::int64_t unit = far_exponent(*map.map);
  const bool wide = J.rows() < J.cols();
  const auto tall = [&](const ScaledMap& of) {
    REZERO_REQUIRE(of.exponent == map.exponent);
    const LinearMapPtr moderate = in_units(of.map, unit);
    return wide ? transpose_map(moderate) : moderate;
  };
  const LinearMapPtr A = tall(map);
  std::vector<LinearMapPtr> others;
  for (const ScaledMap& other : J.maps_in_other_rounding) others.push_back(tall(other));
  Quadrature quadrature(*A, rounding_of(*A, others), request);
  SpectralDensity density = quadrature.run(map.exponent + unit);
  Spectrum spectrum = detail::breakdown(A->cols(), request, quadrature.fault());
  spectrum.provenance.applications = quadrature.products();
  if (!quadrature.fault().empty()) return spectrum;
  spectrum.status = density.converged ? SpectrumStatus::converged : SpectrumStatus::partial;
  if (!density.converged)
    spectrum.message = "the density is not converged: from " + std::to_string(density.steps / 2) + " to " +
                       std::to_string(density.steps) + " steps the cumulative curve moved by " +
                       detail::text(density.steps_distance) + " (target " + detail::text(target / 2) + ")";
  spectrum.accuracy.relative_resolution = quadrature.relative_floor();
  spectrum.density = std::move(density);
  return spectrum;
}

/// Mean of σ^(2 power) over all values.
ScaledReal mean_power(const Spectrum& all, int power) {
  Real sum = 0;
  for (const ScaledReal& sigma : all.sigma)
    if (!sigma.is_zero()) sum += std::pow(quotient(sigma, all.sigma_max), 2 * power);
  return ScaledReal::make(
      std::pow(all.sigma_max.mantissa, 2 * power) * sum / static_cast<Real>(all.dimension),
      2 * power * all.sigma_max.exponent);
}

/// F of known values; unresolved ones, and zeros, lie below the first edge.
SpectralDensity distribution(const Spectrum& all) {
  SpectralDensity density;
  density.target = target, density.converged = true;
  std::vector<Real> logs;  // descending
  for (std::size_t i = 0; i < all.sigma.size() && all.resolved(i); ++i) logs.push_back(all.sigma[i].log10());
  if (logs.empty()) {
    const bool zero = all.sigma_max.is_zero();
    set_nothing_above(density,
                      zero ? 0 : all.sigma_max.log10() + std::log10(all.accuracy.relative_resolution));
  } else {
    constexpr Real touch = 1e-9;
    density.log10_sigma = edges(logs.back(), logs.front());
    for (const Real edge : density.log10_sigma) {
      const auto above = std::count_if(logs.begin(), logs.end(), [&](Real x) { return x > edge + touch; });
      density.cdf.push_back(1 - static_cast<Real>(above) / static_cast<Real>(all.dimension));
    }
  }
  complete(density, 0);
  if (all.accuracy.relative_resolution <= six_digits)
    density.mean_square = mean_power(all, 1), density.mean_square_error = ScaledReal{},
    density.mean_fourth = mean_power(all, 2);
  return density;
}

/// For a formed J, from all its values.
Spectrum by_values(const JacobianView& J, const SpectrumRequest& request) {
  Spectrum all = detail::full_spectrum(J.matrix->mantissa, J.matrix->exponent, spectrum_methods().at("dense"),
                                       request.workers);
  if (all.status != SpectrumStatus::converged) return all;
  if (!J.matrix_error.is_zero())
    all.accuracy.forming_error = all.sigma_max.is_zero() ? 1 : quotient(J.matrix_error, all.sigma_max);
  all.accuracy.relative_resolution += all.accuracy.forming_error;
  Spectrum spectrum = detail::breakdown(all.dimension, request, "");
  spectrum.status = SpectrumStatus::converged;
  spectrum.provenance.choice =
      "J was formed, and all its values were computed: fewer products than probes take";
  spectrum.accuracy.certified = all.accuracy.certified;
  spectrum.accuracy.relative_resolution = all.accuracy.relative_resolution,
  spectrum.accuracy.forming_error = all.accuracy.forming_error;
  spectrum.density = distribution(all);
  return spectrum;
}

Spectrum density_of(const JacobianView& J, const SpectrumRequest& request) {
  Spectrum spectrum = J.matrix ? by_values(J, request) : by_quadrature(J, request);
  spectrum.provenance.method = "density", spectrum.part = SpectrumPart::density;
  return spectrum;
}

SpectrumWork density_work(const SpectrumTask& task) {
  if (task.form == JacobianForm::dense) return dense_work(task);
  const Index steps = std::min(density_steps(task.cols), task.cols);
  const auto probes = static_cast<Real>(density_probes(task.cols));
  const Real vectors = probes * static_cast<Real>(steps) + 8;
  const Real products = probes * 2 * static_cast<Real>(std::min(steps, first_steps));
  return {products * 4 * static_cast<Real>(task.cols) * vectors, products,
          vectors * static_cast<Real>(task.rows)};
}

}  // namespace

SpectrumMethod method_density() {
  SpectrumMethod method;
  method.name = "density";
  method.summary = "the distribution of the singular values, from products with random vectors, at any size";
  method.source = "stochastic Lanczos quadrature: Ubaru, Chen & Saad 2017; Golub & Kahan 1965";
  method.gives = SpectrumScope::density;
  method.needs = JacobianForm::map;
  method.dense_below = 2048;
  method.work = density_work;
  method.compute = density_of;
  return method;
}

}  // namespace rezero
