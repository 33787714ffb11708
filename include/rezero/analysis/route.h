#pragma once
/// How a cell gets its spectra: decided once, when the cell is made, and used both to run it and to report
/// its cost.

#include <optional>
#include <string>
#include <vector>

#include "rezero/analysis/plan.h"
#include "rezero/spectrum/jacobian_view.h"

namespace rezero {

/// A function of the stack's sizes and of the options, including the memory limit if the plan has one. It
/// does not depend on threads or on the memory of the machine, and is the same for cells that differ only in
/// their seed.
struct Route {
  /// dense: J is formed; map: only products with its blocks are used
  JacobianForm form = JacobianForm::dense;
  /// J is formed row by row, by products with its transpose, because it has far fewer rows than columns
  bool by_rows = false;
  std::string method;  ///< registry name of the method with which spectra start; empty: none is computed
  bool uses_factors = false;  ///< at some depth, spectra are computed from J's factors, or `auto` may do so
  bool no_room_for_factors = false;  ///< `auto` would use them if the memory limit of the plan allowed it
  /// by depth, if `auto` has room: work relative to a dense spectrum, or 0 if it is worthwhile
  std::vector<Real> too_much_work;

  Real bytes = 0;        ///< upper bound, without derivatives that are stored only to save time
  Real least_bytes = 0;  ///< the same if `auto` does not turn to the factors
  Real flops = 0;        ///< for Jacobians, profiles and spectra, if `auto` does not turn to the factors
  Index most_kept = 0;   ///< number of block derivatives that are useful to store
  Real bytes_per_kept_block = 0;  ///< memory of each

  /// Number of derivatives stored if the cell may use `memory` bytes. Results do not depend on it.
  Index kept_blocks(Real memory) const;
  /// Why `auto` may not use J's factors for spectra at the i-th depth; nothing if it may.
  std::optional<std::string> factors_missing(std::size_t i) const;
};

/// J is formed, with these exceptions: for `density` from n = 2048 on, or if J does not fit into the plan's
/// memory limit; for `spectra` with --top alone, and with --bottom if J does not fit; for `auto` with --top
/// or --bottom if J does not fit or, with --top alone, if products are cheaper by estimate (never below n =
/// 1024). Profiles and checks need J. `auto` may turn to J's factors if they fit besides J into the plan's
/// limit (4 GB without one) and take at most four times the work of a dense spectrum, or 1e9 flops. `depths`
/// are those of one pass. Cost: one examination of each kind of layer.
Route route_of(const Geometry& geometry, const std::vector<Index>& depths, const AnalysisOptions& options);

/// The work of a cell in the steps that its progress counts, in flops at the speed of matrix products,
/// including what small matrices take beyond their flops. A rough estimate, for display only.
struct StepWork {
  Real block = 0;           ///< each block of the pass
  std::vector<Real> depth;  ///< what follows the pass at each depth: spectrum, profile, metrics
  Real alone = 0;           ///< of the total, what several threads cannot share

  Real total(Index blocks) const;
};
/// For a pass of that route.
StepWork step_work(const Route& route, const Geometry& geometry, const std::vector<Index>& depths,
                   const AnalysisOptions& options);

}  // namespace rezero
