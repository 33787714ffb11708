#pragma once
/// The law of a weight's entries. Initializers draw by it, and weights of files are compared with it: there
/// is one statement of a standard deviation.

#include "rezero/core/types.h"
#include "rezero/core/words.h"

namespace rezero {

/// fixed_square: the entries depend on each other in such a way that the mean square of the whole tensor is
/// σ² in every draw, as of an orthogonal matrix.
enum class EntryShape { normal, truncated_normal, uniform, fixed_square };
template <>
inline constexpr auto words<EntryShape> =
    closed_set<EntryShape>("entry law", {{EntryShape::normal, "normal"},
                                         {EntryShape::truncated_normal, "truncated-normal"},
                                         {EntryShape::uniform, "uniform"},
                                         {EntryShape::fixed_square, "fixed-square"}});

/// Entries w of mean 0, symmetric, and all of one distribution.
class EntryLaw {
 public:
  EntryLaw() = default;  ///< zeros

  static EntryLaw normal(Real std) { return {EntryShape::normal, std, 0}; }
  /// N(0, s²) given |w| ≤ cut. Its σ is less than s.
  static EntryLaw truncated_normal(Real s, Real cut) { return {EntryShape::truncated_normal, s, cut}; }
  /// On (−bound, bound): σ = bound/√3.
  static EntryLaw uniform(Real bound) { return {EntryShape::uniform, bound, 0}; }
  static EntryLaw fixed_square(Real std) { return {EntryShape::fixed_square, std, 0}; }

  EntryShape shape() const { return shape_; }
  Real scale() const { return scale_; }  ///< σ, s or the bound, as given
  Real cut() const { return cut_; }      ///< of a truncated normal law
  bool is_zero() const { return scale_ == 0; }
  /// Whether the entries are independent draws, so that their moments fluctuate.
  bool is_random() const { return !is_zero() && shape_ != EntryShape::fixed_square; }

  Real std() const;     ///< σ
  Real fourth() const;  ///< E w⁴/σ⁴: 3 if normal, 9/5 if uniform, in between if cut, 1 for a fixed square
  Real sixth() const;   ///< E w⁶/σ⁶: 15, 27/7, in between, 1
  Real largest() const;  ///< no entry exceeds it; ∞ if normal

  EntryLaw times(Real gain) const;  ///< the law of gain·w

 private:
  EntryLaw(EntryShape shape, Real scale, Real cut) : shape_(shape), scale_(scale), cut_(cut) {}

  EntryShape shape_ = EntryShape::normal;
  Real scale_ = 0, cut_ = 0;
};

}  // namespace rezero
