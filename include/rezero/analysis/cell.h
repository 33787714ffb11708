#pragma once
/// The cells of a plan: each is the work of one pass through one stack.

#include <functional>
#include <optional>
#include <vector>

#include "rezero/analysis/plan.h"
#include "rezero/analysis/result.h"
#include "rezero/analysis/route.h"

namespace rezero {

/// One stack (a scheme, width, activation, init and seed) at the depths that one pass can give: all of them
/// if the scheme ignores the total depth, otherwise one.
struct Cell {
  /// A random stack.
  Cell(std::size_t index, const StackSpec& spec, std::uint64_t seed, std::vector<Index> depths,
       const AnalysisOptions& options);
  /// An existing stack; depths count its blocks.
  Cell(StackPtr stack, std::vector<Index> depths, const AnalysisOptions& options, CellLabels labels = {},
       std::size_t index = 0);

  std::size_t index = 0;
  CellLabels labels;
  std::optional<StackSpec> spec;  ///< of a random stack
  StackPtr stack;                 ///< the existing one
  GeometryPtr geometry;           ///< of either
  std::shared_ptr<const Recipe> recipe =
      {};  ///< instead of that of the options: about the blocks of this stack
  std::vector<Index> depths;
  Route route;  ///< how its spectra are computed, according to the options with which it was made
};

/// The cells of a plan that differ only in their seed or sample: they take the same memory and work.
struct CellKind {
  std::size_t first_cell;  ///< the index of the cell with the first seed or sample
  const StackSpec* spec;   ///< of a random stack; null: an existing one
  const Geometry& geometry;
  const std::vector<Index>& depths;
};

/// The cells of a plan, in the order scheme, width, activation, init, seed, depth (of stacks from files:
/// checkpoint, sample), with the last varying fastest. Each is made on demand, so that a million seeds cost
/// no more than their numbers. The plan must outlive the list.
class CellList {
 public:
  explicit CellList(const SweepPlan& plan);
  explicit CellList(const SweepPlan&&) = delete;

  std::size_t size() const { return kinds_ * seeds_; }
  std::size_t rows() const { return rows_; }  ///< one per depth of each cell
  Cell operator[](std::size_t i) const;

  std::size_t kinds() const { return kinds_; }
  std::size_t cells_per_kind() const { return seeds_; }
  /// Visits the kinds in the order of their first cells. About a microsecond each, and no memory, where a
  /// cell is made with its labels and its route.
  void for_each_kind(const std::function<void(const CellKind&)>& visit) const;

 private:
  /// Neighbouring schemes that each contribute the same number of kinds.
  struct Part {
    std::size_t first_scheme = 0, first_kind = 0;
    std::size_t stacks_per_seed = 1;  ///< 1: one pass gives all depths; otherwise one stack per depth
  };
  std::size_t part_of(std::size_t kind) const;
  void for_each_kind(const SchemeSpec& scheme, std::size_t stacks_per_seed, std::size_t& first_cell,
                     const std::function<void(const CellKind&)>& visit) const;

  const SweepPlan* plan_;
  std::vector<Part> parts_;
  std::size_t seeds_ = 1, kinds_ = 1, rows_ = 0;
};

CellList expand_cells(const SweepPlan& plan);
CellList expand_cells(const SweepPlan&&) = delete;

}  // namespace rezero
