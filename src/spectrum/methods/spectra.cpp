/// The ends of a spectrum by Krylov subspaces. For a formed J, Spectra finds candidates (it reports success
/// with wrong values for operators of low rank). Without J, the search of golub_kahan.h finds them. Residuals
/// prove the values in both cases; no value is returned without its proof.

#include <algorithm>
#include <cmath>

#include "rezero/linalg/maps.h"
#include "spectrum/chain.h"
#include "spectrum/krylov/golub_kahan.h"
#include "spectrum/krylov/map_ends.h"
#include "spectrum/krylov/start_vector.h"
#include "spectrum/text.h"

namespace rezero {
namespace {

using detail::Triplets;

/// A lower bound on σ_max by ten steps of the power method, within a few per cent in practice.
Real estimate_largest(const Matrix& A, Vector v) {
  Real norm = 0;
  for (int step = 0; step < 10 && v.norm() > 0; ++step) {
    const Vector image = A * v.normalized();
    norm = std::max(norm, image.norm());
    v.noalias() = A.transpose() * image;
  }
  return norm;
}

/// The k values are proved to be the largest if they leave less of ‖A‖_F² than the square of the smallest of
/// them, since then no other value can be as large. Conclusive only for operators of low numerical rank.
bool leaves_less(const Matrix& A, const Vector& sigma) {
  const Real total = A.squaredNorm(), last = sigma[sigma.size() - 1];
  const Real slack = detail::rounding_bound(A.cols()) * total;
  return total - sigma.squaredNorm() + slack < last * last;
}

/// Both ends of A (rows ≥ cols) and a common bound on their errors; `failure` as in Triplets.
struct Ends {
  Triplets top, bottom;
  Index applications = 0;
  Real largest = 0, relative_bound = 0;
  Multiplicity multiplicity = Multiplicity::resolved;
  std::string failure;
};

/// Spectra follows one vector, which finds a repeated value once. This searches from another vector for
/// anything beyond `innermost` that is not yet found. A: largest at that end. Limited to a few hundred
/// products.
void look_for_copies(const LinearMap& A, const Matrix& left, const Vector& values, const Matrix& right,
                     StreamKey key, Ends& ends) {
  detail::GolubKahanOptions options;
  options.basis = detail::ends_basis(values.size(), A.cols());
  options.tolerance = detail::rounding_bound(A.cols()) / 2;
  options.most_products = 1000;
  detail::GolubKahan search(A, key, options);
  search.lock(left, values, right);
  const detail::GolubKahan::Beyond beyond =
      search.find_beyond(values.minCoeff(), detail::SpectrumEnd::largest);
  ends.applications += search.products();
  if (beyond.found)
    ends.failure = "a second search found a value beyond the last: some value is repeated";
  else if (!beyond.search.converged)
    ends.multiplicity = Multiplicity::unresolved;
  else if (beyond.at_limit)
    ends.multiplicity = std::max(ends.multiplicity, Multiplicity::cut);
}

Triplets proved(const Matrix& A, const detail::Subspace& subspace, Ends& ends) {
  ends.applications += subspace.applications;
  if (!subspace.failure.empty()) {
    ends.failure = subspace.failure;
    return {};
  }
  Triplets triplets = detail::ritz_triplets(A, subspace);
  ends.applications += 2 * subspace.right.cols();
  ends.failure = triplets.failure;
  return triplets;
}

Ends compute_ends(const Matrix& A, const SpectrumRequest& request) {
  Ends ends;
  const Vector start = detail::start_vector(A.cols(), request.start);
  if (request.top > 0) ends.top = proved(A, detail::largest_subspace(A, request.top, start), ends);
  detail::QrFactorsPtr qr;
  if (request.bottom > 0 && ends.failure.empty()) {
    qr = detail::qr_factors(A);
    ends.bottom = proved(A, detail::smallest_subspace(qr, request.bottom, start), ends);
  }
  if (!ends.failure.empty()) return ends;

  ends.largest = request.top > 0 ? ends.top.sigma[0] : estimate_largest(A, start);
  const Real rounding = detail::rounding_bound(A.cols());
  const Real residual = std::hypot(ends.top.residual, ends.bottom.residual) / ends.largest;
  ends.relative_bound = residual + rounding;
  if (!(residual <= 8 * rounding))
    ends.failure = "the residual of the singular triplets is " + detail::text(residual) +
                   " of sigma_max (allowed " + detail::text(8 * rounding) + ")";
  else if (request.top > 0 && request.bottom > 0 && !detail::are_apart(ends.top, ends.bottom))
    ends.failure = "the vectors of the two ends are not orthogonal: some value was counted twice";
  if (!ends.failure.empty()) return ends;
  StreamKey key = request.start;
  ++key.block;
  if (request.top > 0) {
    const MatrixPtr borrowed(std::shared_ptr<const void>(), &A);
    look_for_copies(*dense_map(borrowed), ends.top.left, ends.top.sigma, ends.top.right, key, ends);
  }
  if (qr && ends.failure.empty()) {
    const LinearMapPtr inverse = detail::inverse_map(qr);
    Matrix images(A.cols(), ends.bottom.right.cols());
    inverse->apply(ends.bottom.right, images);
    const Vector values = images.colwise().norm();
    look_for_copies(*inverse, images.colwise().normalized(), values, ends.bottom.right, key, ends);
  }
  return ends;
}

Spectrum ends_of_matrix(const ScaledMatrix& J, const SpectrumRequest& request) {
  Matrix transposed;
  if (J.mantissa.rows() < J.mantissa.cols()) transposed = J.mantissa.transpose();
  const Matrix& A = transposed.size() > 0 ? transposed : J.mantissa;
  if (max_abs(A) == 0) return detail::breakdown(A.cols(), request, "the operator is zero");
  const Ends ends = compute_ends(A, request);
  Spectrum spectrum = detail::breakdown(A.cols(), request, ends.failure);
  spectrum.provenance.method = "spectra";
  spectrum.provenance.applications = ends.applications;
  if (!ends.failure.empty()) return spectrum;

  spectrum.status = SpectrumStatus::converged;
  spectrum.accuracy.certified = true;
  const bool verified = request.bottom == 0 && leaves_less(A, ends.top.sigma);
  spectrum.extremal = verified ? Extremal::verified : Extremal::probabilistic;
  spectrum.leading = request.top;
  spectrum.accuracy.relative_resolution = ends.relative_bound;
  spectrum.sigma_max = ScaledReal::make(ends.largest, J.exponent);
  for (const Triplets* part : {&ends.top, &ends.bottom})
    detail::publish(*part, ends.largest, J.exponent, spectrum);
  spectrum.multiplicity = detail::multiplicity_of(spectrum, ends.multiplicity);
  if (transposed.size() > 0) spectrum.accuracy.right_residuals.swap(spectrum.accuracy.left_residuals);
  return spectrum;
}

Spectrum spectra_ends(const JacobianView& J, const SpectrumRequest& request) {
  if (J.matrix) return ends_of_matrix(*J.matrix, request);
  Spectrum spectrum = detail::ends_of_map(J.map, J.maps_in_other_rounding, request);
  spectrum.provenance.method = "spectra";
  return spectrum;
}

/// Number of products as measured for the largest values of random stacks: 60 to 200 for one, 160 to 310 for
/// ten (n from 64 to 2048). With a matrix, the saving compared with a full spectrum is ignored.
SpectrumWork spectra_work(const SpectrumTask& task) {
  if (task.form == JacobianForm::dense) return dense_work(task);
  const auto count = static_cast<Real>(task.top + task.bottom);
  const auto basis = static_cast<Real>(detail::ends_basis(std::max(task.top, task.bottom), task.cols));
  const Real vectors = 2 * basis + 4 * count + 8, products = 100 + 20 * count;
  return {products * 4 * static_cast<Real>(task.cols) * vectors, products,
          vectors * static_cast<Real>(task.rows)};
}

}  // namespace

SpectrumMethod method_spectra() {
  SpectrumMethod method;
  method.name = "spectra";
  method.summary =
      "the ends of the spectrum by products with J, proved by residuals (needs --top or --bottom)";
  method.source =
      "Baglama & Reichel 2005; Sorensen 1992 (Spectra 1.0.1); residual bound: Parlett, The Symmetric "
      "Eigenvalue Problem, 11.5";
  method.gives = SpectrumScope::ends;
  method.needs = JacobianForm::map;
  method.work = spectra_work;
  method.compute = spectra_ends;
  return method;
}

}  // namespace rezero
