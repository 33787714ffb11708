#pragma once
/// One reflection of a few numbers, applied to a small block from either side.

#include "linalg/octet.h"
#include "rezero/core/types.h"

namespace rezero::detail {

/// H = I − v vᵀ, ‖v‖² = 2 or 0, of up to 128 entries.
class Reflector {
 public:
  static constexpr Index longest = 128;

  /// Sets H so that it maps the `length` numbers at `from`, `step` apart, to (β, 0, …), and returns β.
  /// Entries at most about 1.
  Real set(const Real* from, Index step, Index length);

  /// M ← M H: rows × length, columns `stride` apart.
  void apply_right(Real* M, Index stride, Index rows) const;
  /// M ← H M: length × columns.
  void apply_left(Real* M, Index stride, Index columns) const;

 private:
  Index length_ = 0;
  alignas(64) Real v_[longest];  ///< padded with zeros to whole octets
};

}  // namespace rezero::detail
