#include "spectrum/krylov/map_ends.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rezero/core/contract.h"
#include "rezero/linalg/maps.h"
#include "rezero/parallel/parts.h"
#include "rezero/random/sample.h"
#include "spectrum/chain.h"
#include "spectrum/krylov/golub_kahan.h"
#include "spectrum/text.h"

namespace rezero::detail {
namespace {

constexpr Index most_top_products = 6000, most_bottom_products = 2000;
/// Limit for all residuals together. Within it, the measured value is published.
constexpr Real largest_residual = 1e-7;

std::string count_text(Index n) {
  return std::to_string(n);
}

/// The search for one end.
class EndsSearch {
 public:
  EndsSearch(const LinearMap& A, const std::vector<LinearMapPtr>& others, const SpectrumRequest& request)
      : A_(A), others_(others), request_(request), search_(A, request.start, options(A, request)) {}

  Spectrum run(std::int64_t exponent) {
    Triplets top, bottom;
    if (request_.top > 0 && failure_.empty()) top = end(request_.top, 0, SpectrumEnd::largest);
    if (request_.bottom > 0 && failure_.empty())
      bottom = end(request_.bottom, request_.top, SpectrumEnd::smallest);
    const Real largest = request_.top > 0 && failure_.empty() ? top.sigma[0] : search_.largest_seen();
    const Real residual = largest > 0 ? std::hypot(top.residual, bottom.residual) / largest : 0;
    if (failure_.empty()) failure_ = fault(top, bottom, residual);
    Spectrum spectrum = breakdown(A_.cols(), request_, failure_);
    spectrum.provenance.applications = search_.products() + 3 * (top.sigma.size() + bottom.sigma.size());
    if (!failure_.empty()) return spectrum;

    spectrum.status = SpectrumStatus::converged;
    spectrum.accuracy.certified = true;
    spectrum.extremal = exhausted_ ? Extremal::verified : Extremal::probabilistic;
    spectrum.leading = request_.top;
    spectrum.accuracy.relative_resolution =
        largest > 0 ? residual + rounding_bound(A_.cols()) + std::hypot(moved(top), moved(bottom)) / largest
                    : 0;
    spectrum.sigma_max = ScaledReal::make(largest, exponent);
    publish(top, largest, exponent, spectrum);
    publish(bottom, largest, exponent, spectrum);
    spectrum.multiplicity = multiplicity_of(spectrum, multiplicity_);
    if (largest == 0 && zero_in_every_rounding()) {
      spectrum.null_directions = static_cast<Index>(spectrum.sigma.size());
    } else if (largest == 0) {
      spectrum.accuracy.certified = false;
      spectrum.message = "J is zero, possibly because of rounding";
    }
    return spectrum;
  }

 private:
  static GolubKahanOptions options(const LinearMap& A, const SpectrumRequest& request) {
    GolubKahanOptions options;
    options.basis = ends_basis(std::max(request.top, request.bottom), A.cols());
    options.tolerance = rounding_bound(A.cols()) / 2;
    return options;
  }

  /// The `count` values of one end; `before` locked triplets belong to the other end.
  Triplets end(Index count, Index before, SpectrumEnd which) {
    const bool largest = which == SpectrumEnd::largest;
    search_.allow(largest ? most_top_products : most_bottom_products);
    const EndSearch first = search_.find(count, which);
    if (!first.converged) return failed(count, which, first), Triplets{};
    exhausted_ = exhausted_ && first.exhausted;
    bool cut = first.copies_left;
    std::vector<Index> order = outermost(count, before, which);
    while (!first.exhausted) {
      const Real limit = search_.values()[static_cast<std::size_t>(order.back())];
      const GolubKahan::Beyond beyond = search_.find_beyond(limit, which);
      if (!beyond.search.converged) return failed(count, which, beyond.search), Triplets{};
      cut = beyond.at_limit;
      if (!beyond.found) break;
      order = outermost(count, before, which);
    }
    if (cut) multiplicity_ = Multiplicity::cut;
    const Triplets triplets = ritz_triplets(A_, {search_.left(order), search_.right(order), 0, {}});
    failure_ = triplets.failure;
    std::vector<Index> kept(static_cast<std::size_t>(before));
    std::iota(kept.begin(), kept.end(), Index{0});
    kept.insert(kept.end(), order.begin(), order.end());
    search_.keep(kept);
    return triplets;
  }

  /// The `count` outermost of the triplets locked after the first `before`; the innermost of them is last.
  std::vector<Index> outermost(Index count, Index before, SpectrumEnd which) const {
    const std::vector<Real>& values = search_.values();
    std::vector<Index> order(values.size() - static_cast<std::size_t>(before));
    std::iota(order.begin(), order.end(), before);
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      const Real left = values[static_cast<std::size_t>(a)], right = values[static_cast<std::size_t>(b)];
      return which == SpectrumEnd::largest ? left > right : left < right;
    });
    order.resize(static_cast<std::size_t>(count));
    return order;
  }

  void failed(Index count, SpectrumEnd which, const EndSearch& search) {
    const bool largest = which == SpectrumEnd::largest;
    failure_ = "the " + count_text(count) + (largest ? " largest" : " smallest") +
               " values did not converge in " + count_text(search_.products()) + " products (a residual of " +
               text(search.worst_residual) + " of sigma_max is left)";
    if (!largest)
      failure_ +=
          ": without the matrix the smallest values are reached only where they stand apart, of condition "
          "numbers up to about 30";
  }

  /// The largest ‖(Ã − A) V‖_F with Ã the map in another rounding, times a safety factor for the small number
  /// of samples.
  Real moved(const Triplets& triplets) const {
    constexpr Real safety = 32;
    Matrix image(A_.rows(), triplets.right.cols()), again(A_.rows(), triplets.right.cols());
    if (others_.empty() || image.cols() == 0) return 0;
    A_.apply(triplets.right, image);
    Real largest = 0;
    for (const LinearMapPtr& other : others_) {
      other->apply(triplets.right, again);
      largest = std::max(largest, (again - image).norm());
    }
    return safety * largest;
  }

  bool zero_in_every_rounding() const {
    const Vector v = normal_vector(A_.cols(), request_.start);
    Matrix image(A_.rows(), 1);
    return std::all_of(others_.begin(), others_.end(), [&](const LinearMapPtr& other) {
      other->apply(v, image);
      return image.isZero(0);
    });
  }

  std::string fault(const Triplets& top, const Triplets& bottom, Real residual) const {
    if (!(residual <= largest_residual))
      return "the residual of the singular triplets is " + text(residual) + " of sigma_max (allowed " +
             text(largest_residual) + ")";
    const bool both = top.right.cols() > 0 && bottom.right.cols() > 0;
    if (both && !are_apart(top, bottom))
      return "the vectors of the two ends are not orthogonal: some value was counted twice";
    return {};
  }

  const LinearMap& A_;
  const std::vector<LinearMapPtr>& others_;
  const SpectrumRequest& request_;
  GolubKahan search_;
  bool exhausted_ = true;
  Multiplicity multiplicity_ = Multiplicity::resolved;
  std::string failure_;
};

}  // namespace

void publish(const Triplets& triplets, Real largest, std::int64_t exponent, Spectrum& spectrum) {
  for (Index i = 0; i < triplets.sigma.size(); ++i) {
    spectrum.sigma.push_back(ScaledReal::make(triplets.sigma[i], exponent));
    spectrum.accuracy.right_residuals.push_back(largest > 0 ? triplets.right_residual[i] / largest : 0);
    spectrum.accuracy.left_residuals.push_back(largest > 0 ? triplets.left_residual[i] / largest : 0);
  }
}

Spectrum ends_of_map(const ScaledMap& J, const std::vector<ScaledMap>& others,
                     const SpectrumRequest& request) {
  const bool wide = J.map->rows() < J.map->cols();
  const auto tall = [wide](const LinearMapPtr& map) { return wide ? transpose_map(map) : map; };
  const LinearMapPtr A = tall(J.map);
  std::vector<LinearMapPtr> again;
  for (const ScaledMap& other : others) {
    REZERO_REQUIRE(other.exponent == J.exponent);
    again.push_back(tall(other.map));
  }
  const PartWorkers workers(request.workers);
  Spectrum spectrum = EndsSearch(*A, again, request).run(J.exponent);
  if (wide) spectrum.accuracy.right_residuals.swap(spectrum.accuracy.left_residuals);
  return spectrum;
}

Index ends_basis(Index count, Index n) {
  constexpr Index long_vectors = 200000;
  return std::min(n, std::max<Index>(2 * count + 30, n > long_vectors ? 80 : 160));
}

}  // namespace rezero::detail
