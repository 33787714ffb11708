#pragma once
/// The Jacobian as a spectrum method may look at it: a matrix, a map, or the product of its factors.

#include <functional>
#include <string>
#include <vector>

#include "rezero/core/words.h"
#include "rezero/linalg/scaled_map.h"
#include "rezero/linalg/scaled_matrix.h"

namespace rezero {

/// What a method needs of J, in the order of what it costs to have: factors come with a stack, the map is
/// their composition, and the matrix is n columns of that.
enum class JacobianForm { dense, map, factors };
template <>
inline constexpr auto words<JacobianForm> = closed_set<JacobianForm>("form of J",
                                                                     {{JacobianForm::dense, "dense"},
                                                                      {JacobianForm::map, "map"},
                                                                      {JacobianForm::factors, "factors"}});

/// J = F_{count−1} … F_0. `at(i)` gives factor F_i, made anew or kept by whoever knows it: ask once a use,
/// and keep no more of them than there is room for. Safe to call from any thread.
struct FactorSource {
  Index count = 0;
  std::function<ScaledMap(Index)> at;
  /// F_i computed in another rounding, as many samples as are wanted: what it differs by is what rounding
  /// inside a factor may do. Not set: the factors are exact.
  std::function<ScaledMap(Index, int sample)> in_other_rounding = {};
  std::string missing = {};  ///< why there are none, where count is 0: "there is no room"
};

/// J in the forms that are at hand; all of them describe the same J. Owns nothing of `matrix`.
struct JacobianView {
  const ScaledMatrix* matrix = nullptr;  ///< J formed, or null
  ScaledReal matrix_error = {};          ///< bound of ‖matrix − J‖₂: what forming it lost
  bool zeros_hold = true;                ///< zero rows and columns of the matrix are those of J
  ScaledMap map;                         ///< J as a map; need not be set where the matrix is
  std::vector<ScaledMap> maps_in_other_rounding = {};  ///< samples of the same, as factors may be
  FactorSource factors;                                ///< count 0: not known

  /// Of J; 0 when no form is set.
  Index rows() const;
  Index cols() const;
  /// Whether J can be had in that form without forming it.
  bool has(JacobianForm form) const;
  /// J as a map: `map`, or the matrix as one (valid as long as the matrix is).
  ScaledMap as_map() const;
};

/// The view of a formed J, and of nothing else.
JacobianView view_of(const ScaledMatrix& J);

}  // namespace rezero
