#pragma once
/// Singular triplets at the ends of a spectrum by a map's products alone.
///
/// A V = U B and Aᵀ U = V Bᵀ + β v eᵀ with B upper bidiagonal, grown a column at a time (Golub & Kahan 1965),
/// U and V each orthogonalized in full, twice; thick restarts keep the Ritz vectors of the wanted end, after
/// which B has an arrow (Baglama & Reichel, "Augmented implicitly restarted Lanczos bidiagonalization
/// methods", 2005). Where the recurrence breaks down, the space is invariant, and it goes on with a fresh
/// random direction: a repeated value is so met again, a zero operator is no exception.

#include <string>
#include <vector>

#include "rezero/linalg/linear_map.h"
#include "rezero/random/key.h"

namespace rezero::detail {

enum class SpectrumEnd { largest, smallest };

struct GolubKahanOptions {
  Index basis = 80;            ///< vectors on each side before a restart, at least twice the values sought
  Index most_products = 4000;  ///< of A and Aᵀ together, for one search
  Real tolerance = 0;          ///< of a residual, relative to the largest value seen
};

/// What one search came to.
struct EndSearch {
  bool converged = false;    ///< every wanted residual within tolerance, or stagnant but small
  bool exhausted = false;    ///< the bases span the whole space: nothing can be missing
  Real worst_residual = 0;   ///< of the wanted values, relative to the largest seen
  bool copies_left = false;  ///< exhausted: the value next to the wanted ones equals the innermost of them
};

/// The search for triplets of A (rows ≥ cols), those found before locked out of the space.
class GolubKahan {
 public:
  GolubKahan(const LinearMap& A, const StreamKey& key, const GolubKahanOptions& options);

  /// Products that the next searches may take, each.
  void allow(Index products) { options_.most_products = products; }

  /// The `count` triplets at that end of the spectrum of A on the complement of the locked ones; locks them
  /// when converged. Memory 2 (basis + 1) max(rows, cols) doubles. Cost two products and 16 n · basis flops a
  /// step.
  EndSearch find(Index count, SpectrumEnd end);

  /// Locks triplets that are known already.
  void lock(const Matrix& left, const Vector& sigma, const Matrix& right);

  /// Looks into the complement of what is locked from a new random vector, and locks whatever lies strictly
  /// beyond `limit` there; false once nothing does. EndSearch::converged false: it could not be decided.
  struct Beyond {
    bool found = false;
    bool at_limit = false;  ///< not beyond, but at the limit: one more copy of that value
    EndSearch search;
  };
  Beyond find_beyond(Real limit, SpectrumEnd end);

  /// Forgets all locked triplets but these, in this order.
  void keep(const std::vector<Index>& which);

  /// The locked triplets, in the order of their finding.
  const std::vector<Real>& values() const { return values_; }
  Matrix left(const std::vector<Index>& which) const;
  Matrix right(const std::vector<Index>& which) const;
  Real largest_seen() const { return scale_; }  ///< a bound of σ_max from below, but for rounding
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
