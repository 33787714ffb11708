#pragma once
/// How a cell gets its spectra: decided once, when the cell is made, and obeyed by whoever runs it or says
/// what it would take.

#include <optional>
#include <string>
#include <vector>

#include "rezero/analysis/plan.h"
#include "rezero/spectrum/jacobian_view.h"

namespace rezero {

struct Cell;

/// A function of the stack's sizes and the options, the memory limit among them if the plan names one.
/// Neither threads nor the machine's memory enter, and cells that differ only in their seed go the same way.
struct Route {
  JacobianForm form =
      JacobianForm::dense;  ///< dense: J is formed; map: only products with its blocks are taken
  std::string method;       ///< registry name of the method that spectra start with; empty: none is computed
  bool uses_factors = false;  ///< spectra are, or by `auto` may be, computed from J's factors at some depth
  bool no_room_for_factors = false;  ///< `auto` would allow it but for the memory limit of the plan
  std::vector<Real> too_much_work;   ///< by depth, where `auto` has room: times the work of a dense spectrum;
                                     ///< 0 where it is worth it

  Real bytes = 0;       ///< at most, without derivatives that are kept only to save time
  Real flops = 0;       ///< of Jacobians, profiles and spectra, without a turn of `auto` to the factors
  Index most_kept = 0;  ///< blocks' derivatives that it has a use for
  Real bytes_per_kept_block = 0;  ///< of each

  /// How many derivatives are kept where the cell may take `memory` bytes. No number depends on it.
  Index kept_blocks(Real memory) const;
  /// Nothing where spectra at the i-th depth may be computed from J's factors; else why `auto` may not ask
  /// for them.
  std::optional<std::string> factors_missing(std::size_t i) const;
};

/// J is formed, except: for `density` from n = 2048 on, or where J does not fit into the plan's memory limit;
/// for `spectra` with --top alone, and with --bottom where J does not fit; for `auto` with --top or --bottom
/// where J does not fit or, with --top alone, products are cheaper by estimate (never below n = 1024).
/// Profiles and checks need J. `auto` may turn to J's factors where they fit beside J into the plan's limit
/// (4 GB if it names none) and take at most four times the work of a dense spectrum, or 1e9 flops. Cost: one
/// look at each kind of layer.
Route route_of(const Cell& cell, const AnalysisOptions& options);

}  // namespace rezero
