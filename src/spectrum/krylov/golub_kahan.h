#pragma once
/// Singular triplets at the ends of a spectrum, by products with the map alone.
///
/// A V = U B and Aᵀ U = V Bᵀ + β v eᵀ with B upper bidiagonal, extended by one column at a time (Golub &
/// Kahan 1965), with U and V each fully orthogonalized twice. Thick restarts keep the Ritz vectors of the
/// wanted end, after which B has an arrow (Baglama & Reichel, "Augmented implicitly restarted Lanczos
/// bidiagonalization methods", 2005). If the recurrence breaks down, the space is invariant, and the search
/// continues in a new random direction. It thereby finds repeated values again, and a zero operator is not a
/// special case.

#include <string>
#include <vector>

#include "rezero/linalg/linear_map.h"
#include "rezero/random/key.h"

namespace rezero::detail {

enum class SpectrumEnd { largest, smallest };

struct GolubKahanOptions {
  Index basis = 80;            ///< vectors on each side before a restart, at least twice the values sought
  Index most_products = 4000;  ///< with A and Aᵀ together, per search
  Real tolerance = 0;          ///< for a residual, relative to the largest value seen
};

/// The result of one search.
struct EndSearch {
  bool converged = false;   ///< every wanted residual is within tolerance, or stagnates at a small value
  bool exhausted = false;   ///< the bases span the whole space, so nothing can be missing
  Real worst_residual = 0;  ///< of the wanted values, relative to the largest seen
  /// exhausted, and the value next to the wanted ones equals the innermost of them
  bool copies_left = false;
};

/// The search for triplets of A (rows ≥ cols). Triplets that were found before are locked, that is, excluded
/// from the space.
class GolubKahan {
 public:
  GolubKahan(const LinearMap& A, const StreamKey& key, const GolubKahanOptions& options);

  /// Limits the number of products of each of the following searches.
  void allow(Index products) { options_.most_products = products; }

  /// The `count` triplets at that end of the spectrum of A on the complement of the locked ones; locks them
  /// if converged. Memory 2 (basis + 1) max(rows, cols) doubles. Cost per step: two products and 16 n · basis
  /// flops.
  EndSearch find(Index count, SpectrumEnd end);

  /// Locks triplets that are already known.
  void lock(const Matrix& left, const Vector& sigma, const Matrix& right);

  /// Searches the complement of the locked triplets from a new random vector, and locks anything strictly
  /// beyond `limit`; false if there is nothing. EndSearch::converged false: undecided.
  struct Beyond {
    bool found = false;
    bool at_limit = false;  ///< not beyond but at the limit: one more copy of that value
    EndSearch search;
  };
  Beyond find_beyond(Real limit, SpectrumEnd end);

  /// Forgets all locked triplets except these, in this order.
  void keep(const std::vector<Index>& which);

  /// The locked triplets, in the order in which they were found.
  const std::vector<Real>& values() const { return values_; }
  Matrix left(const std::vector<Index>& which) const;
  Matrix right(const std::vector<Index>& which) const;
  Real largest_seen() const { return scale_; }  ///< a lower bound on σ_max, up to rounding
  Index products() const { return products_; }

 private:
  struct Ritz;

  void begin();
  void extend();
  Ritz ritz(SpectrumEnd end) const;
  void restart(const Ritz& ritz, Index kept);
  void lock(const Ritz& ritz, Index count);
  EndSearch search(Index count, SpectrumEnd end, const Real* limit, Ritz& ritz);
  bool undecided(const Ritz& ritz, Index count, SpectrumEnd end, Real limit) const;
  Vector fresh(const Matrix& basis, Index used, const Matrix& locked);
  Index room() const;
  Real slack() const;

  const LinearMap& A_;
  StreamKey key_;
  GolubKahanOptions options_;
  Matrix U_, V_;       ///< bases; V one column ahead
  Matrix B_;           ///< UᵀAV
  Index size_ = 0;     ///< columns of B
  Real coupling_ = 0;  ///< β of the last step
  bool exhausted_ = false;
  Real scale_ = 0;
  Index products_ = 0;
  Matrix locked_left_, locked_right_;
  std::vector<Real> values_;
};

}  // namespace rezero::detail
