/// The distribution of the singular values by stochastic Lanczos quadrature: no value of its own, but a
/// cumulative curve with its errors, at any size.

#include <algorithm>
#include <cmath>

#include "rezero/linalg/maps.h"
#include "rezero/parallel/for_each.h"
#include "rezero/random/sample.h"
#include "rezero/spectrum/method.h"
#include "spectrum/chain.h"
#include "spectrum/quadrature.h"
#include "spectrum/text.h"

namespace rezero {
namespace {

using detail::ProbeMeasure;
using detail::ProbeRecurrence;

constexpr Real target = 0.01, sampling_target = 0.005;
constexpr Real kolmogorov_95 = 1.36;  // of sup |Brownian bridge|
constexpr Index fewest_probes = 2, first_steps = 100;
constexpr Index intervals = 120;

/// Of F by sampling, over the probes: the weights of a uniform direction are Dirichlet(½, …, ½), so a sum of
/// n F of them is Beta(nF/2, n(1 − F)/2).
Real sampling_factor(Index n, Index probes) {
  return std::sqrt(2 / (static_cast<Real>(n + 2) * static_cast<Real>(probes)));
}

/// What rounding leaves of the values of A: n eps of the largest, or what the products show of it. It is seen
/// in one direction of n at a time.
Real rounding_floor(const std::vector<ProbeRecurrence>& probes, Index n) {
  Real largest = 0, asymmetry = 0;
  for (const ProbeRecurrence& probe : probes) {
    largest = std::max(largest, probe.largest_seen());
    asymmetry = std::max(asymmetry, probe.asymmetry());
  }
  return std::max(largest * static_cast<Real>(n) * 2.3e-16, 4 * std::sqrt(static_cast<Real>(n)) * asymmetry);
}

/// Even edges in log₁₀ σ over all that the probes have seen above rounding.
std::vector<Real> edges(const std::vector<ProbeMeasure>& measures, Real floor) {
  Real low = HUGE_VAL, high = 0;
  for (const ProbeMeasure& measure : measures) high = std::max(high, measure.largest());
  for (const ProbeMeasure& measure : measures)
    if (measure.largest() > floor) low = std::min(low, measure.smallest_above(floor));
  const Real top = std::log10(high), span = std::max(top - std::log10(low), 0.05), pad = span / 20;
  std::vector<Real> points;
  for (Index i = 0; i <= intervals; ++i)
    points.push_back(top + pad - (span + 2 * pad) * static_cast<Real>(intervals - i) / intervals);
  return points;
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

/// All probes of one map, carried on together.
class Quadrature {
 public:
  Quadrature(const LinearMap& A, const SpectrumRequest& request) : A_(A), workers_(request.workers) {
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
    // A doubling of the steps brings the curve closer by a factor of four at best: what that cannot mend is
    // not tried.
    const Index most = density_steps(A_.cols());
    for (Index steps = first_steps; steps <= most; steps *= 2) {
      look(steps);
      const Real reach = std::pow(static_cast<Real>(most / steps), 2) * target / 2;
      if (density_.converged || density_.steps_distance > reach) break;
    }
    if (density_.log10_sigma.empty()) return density_;
    const Real unit = static_cast<Real>(exponent) * std::log10(2.0);
    for (Real& edge : density_.log10_sigma) edge += unit;
    for (std::size_t i = 0; i < density_.cdf.size(); ++i) {
      const Real F = density_.cdf[i];
      density_.cdf_error.push_back(sampling() * std::sqrt(std::max<Real>(0, F * (1 - F))));
      if (i > 0) density_.histogram.push_back(std::max<Real>(0, F - density_.cdf[i - 1]));
    }
    moments(exponent);
    return density_;
  }

  const std::string& fault() const { return fault_; }
  /// Below this much of the largest value nothing is told apart from zero.
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
  /// The mean over a whole orthonormal basis is a trace: nothing is sampled.
  Real sampling() const { return whole_basis_ ? 0 : sampling_factor(A_.cols(), density_.probes); }

  /// F with that many steps, and how far it is from F with half of them.
  void look(Index steps) {
    for_each_index(density_.probes, workers_, [&](Index i) { at(i).extend(steps); });
    std::vector<ProbeMeasure> full, half;
    floor_ = rounding_floor(probes_, A_.cols());
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
    if (zero) return;
    density_.log10_sigma = edges(full, floor_);
    density_.cdf = mean_cdf(full, density_.log10_sigma);
    density_.steps_distance = distance(density_.cdf, mean_cdf(half, density_.log10_sigma));
    density_.converged = density_.steps_distance <= target / 2;
  }

  /// A Gauss rule has the first two moments of σ² exactly, and the products give them without one.
  static bool moments_agree(const ProbeMeasure& measure, const ProbeRecurrence& probe) {
    constexpr Real slack = 1e-8;
    const Real second = probe.first_square(), fourth = probe.second_square();
    return std::abs(measure.moment(2) - second) <= slack * second &&
           (probe.steps() < 2 || std::abs(measure.moment(4) - fourth) <= slack * fourth);
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
  int workers_;
  bool whole_basis_ = false;
  Real floor_ = 0;
  std::vector<ProbeRecurrence> probes_;
  SpectralDensity density_;
  std::string fault_;
};

Spectrum density_of(const JacobianView& J, const SpectrumRequest& request) {
  const ScaledMap map = J.as_map();
  const bool wide = J.rows() < J.cols();
  const LinearMapPtr A = wide ? transpose_map(map.map) : map.map;
  Quadrature quadrature(*A, request);
  Spectrum spectrum = detail::breakdown(A->cols(), request, "the operator is zero: it has no density");
  spectrum.method = "density", spectrum.part = SpectrumPart::density;
  SpectralDensity density = quadrature.run(map.exponent);
  spectrum.applications = quadrature.products();
  if (!quadrature.fault().empty()) spectrum.message = quadrature.fault();
  if (density.log10_sigma.empty() || !quadrature.fault().empty()) return spectrum;
  spectrum.status = density.converged ? SpectrumStatus::converged : SpectrumStatus::partial;
  spectrum.message =
      density.converged
          ? ""
          : "the density is not converged: from " + std::to_string(density.steps / 2) + " to " +
                std::to_string(density.steps) + " steps the cumulative curve moved by " +
                detail::text(density.steps_distance) + " (target " + detail::text(target / 2) + ")";
  spectrum.relative_resolution = quadrature.relative_floor();
  spectrum.density = std::move(density);
  return spectrum;
}

}  // namespace

/// As many as bring the sampling distance to its part of the target; of few values a whole basis.
Index density_probes(Index n) {
  const Real enough = std::pow(kolmogorov_95 / sampling_target, 2) * 2 / static_cast<Real>(n + 2);
  return std::min(n, std::max(fewest_probes, static_cast<Index>(std::ceil(enough))));
}

Index density_steps(Index n) {
  constexpr Index long_vectors = 200000;
  return n > long_vectors ? 200 : 400;
}

SpectrumMethod density_method() {
  SpectrumMethod method;
  method.name = "density";
  method.summary = "the distribution of the singular values, from products with random vectors, at any size";
  method.reference = "stochastic Lanczos quadrature: Ubaru, Chen & Saad 2017; Golub & Kahan 1965";
  method.gives = SpectrumScope::density;
  method.needs = JacobianForm::map;
  method.compute = density_of;
  return method;
}

}  // namespace rezero
