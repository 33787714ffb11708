#pragma once
/// The forms in which a spectrum method may use the Jacobian: a matrix, a map, or the product of its factors.

#include <functional>
#include <string>
#include <vector>

#include "rezero/core/words.h"
#include "rezero/linalg/scaled_map.h"
#include "rezero/linalg/scaled_matrix.h"

namespace rezero {

/// The form of J that a method needs, in order of cost: factors come with a stack, the map is their
/// composition, and the matrix is the map applied to n columns.
enum class JacobianForm { dense, map, factors };
template <>
inline constexpr auto words<JacobianForm> = closed_set<JacobianForm>("form of J",
                                                                     {{JacobianForm::dense, "dense"},
                                                                      {JacobianForm::map, "map"},
                                                                      {JacobianForm::factors, "factors"}});

/// J = F_{count−1} … F_0. `at(i)` returns F_i, rebuilt or cached. Call it once per use, and hold only as many
/// factors as fit in memory. Safe to call from any thread.
struct FactorSource {
  Index count = 0;
  std::function<ScaledMap(Index)> at;
  /// F_i computed in another rounding, for any number of samples: the difference shows the effect of rounding
  /// inside a factor. Not set: the factors are exact.
  std::function<ScaledMap(Index, int sample)> in_other_rounding = {};
  std::string missing = {};  ///< why there are none, where count is 0: "there is no room"
};

/// J in the available forms, all of which describe the same J. Does not own `matrix`.
struct JacobianView {
  const ScaledMatrix* matrix = nullptr;  ///< J formed, or null
  ScaledReal matrix_error = {};          ///< bound of ‖matrix − J‖₂: what forming it lost
  bool zeros_hold = true;                ///< zero rows and columns of the matrix are those of J
  ScaledMap map;                         ///< J as a map; need not be set if the matrix is
  /// samples of the map in other roundings, as for factors
  std::vector<ScaledMap> maps_in_other_rounding = {};
  FactorSource factors;  ///< count 0: unknown

  /// Rows of J; 0 if no form is set.
  Index rows() const;
  Index cols() const;
  /// Whether J is available in that form without forming it.
  bool has(JacobianForm form) const;
  /// J as a map: `map`, or the matrix as a map (valid as long as the matrix).
  ScaledMap as_map() const;
};

/// The view of a formed J, without other forms.
JacobianView view_of(const ScaledMatrix& J);

}  // namespace rezero
