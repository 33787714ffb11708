#include "rezero/analysis/route.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "analysis/cell_size.h"
#include "rezero/spectrum/method.h"

namespace rezero {
namespace {

using detail::CellSize;
using Depths = std::vector<Index>;

constexpr Real fixed_bytes = 7.5e6;  // stack, tables, buffers of one running cell
// n × n doubles at the peak, as measured: J, its successor, and copies for the spectrum
constexpr Real square_matrices = 4.4;
constexpr Real matrices_at_work = 2.6;  // while a block is processed: J and its successor
constexpr Real stays_allocated = 64e6;  // weights below that size stay in the allocator during the spectrum
constexpr Real state_overhead = 64;     // allocation and exponent of a stored state
constexpr Real facts_bytes = 1500;      // memory of a check per block: culprits with their texts, twice

// What `auto` may spend on accuracy: four times the work of a dense spectrum, or any work that takes no
// noticeable time. If the plan has no limit, J and its factors may take this many bytes, which most machines
// have.
constexpr Real worth = 4, at_once = 1e9, common_memory = 4e9;

/// The cost of one cell in the various forms of J.
class Costs {
 public:
  Costs(const Geometry& geometry, const Depths& depths, const AnalysisOptions& options)
      : depths_(depths),
        options_(options),
        size_(detail::size_of(geometry, depths.back())),
        columns_(options.view.wrt ? geometry.shape().features : size_.n) {
    for (const Index depth : depths) {
      const Shape end = geometry.shape_after(depth * geometry.blocks_per_layer());
      rows_.push_back(options.view.of ? end.features : end.size());
    }
    by_rows_ = !looks_back() && has_few_rows();
    const Index carried = by_rows_ ? *std::max_element(rows_.begin(), rows_.end()) : size_.n;
    n_ = static_cast<Real>(carried);
  }

  const CellSize& size() const { return size_; }
  bool looks_back() const { return options_.profile || !options_.checks.empty(); }
  bool by_rows() const { return by_rows_; }
  /// Whether --top and --bottom ask for every value there is, as of a J with two rows.
  bool asks_for_all() const {
    return options_.method == "auto" && options_.top + options_.bottom >=
                                            std::min(columns_, *std::min_element(rows_.begin(), rows_.end()));
  }

  /// With J formed, by that method; null: no spectrum.
  Real formed_bytes(const SpectrumMethod* method) const {
    const Real state = static_cast<Real>(size_.largest) * sizeof(Real), J = state * n_;
    const Real at_work = matrices_at_work + size_.matrices_at_work;
    Real bytes = std::max(square_matrices * J + (size_.weights < stays_allocated ? size_.weights : 0),
                          at_work * J + size_.weights_at_work) +
                 fixed_bytes;
    if (method) bytes += work(*method, JacobianForm::dense, depths_.back()).numbers * sizeof(Real);
    const bool keeps_states = looks_back() || by_rows_ || (method && method->needs == JacobianForm::factors);
    if (keeps_states) bytes += blocks() * (state + state_overhead);
    if (options_.profile) bytes += 2 * J;
    if (!options_.checks.empty()) bytes += blocks() * facts_bytes;
    return bytes;
  }

  /// States, the method's vectors, one block.
  Real unformed_bytes(const SpectrumMethod& method) const {
    const Real states = (blocks() + 1) * static_cast<Real>(size_.largest);
    const Real numbers = states + work(method, JacobianForm::map, depths_.back()).numbers;
    return numbers * sizeof(Real) + std::max(size_.kept_derivative, size_.weights_at_work) + fixed_bytes;
  }

  /// Forming J up to a depth.
  Real forming_flops(Index depth) const {
    const Real carried = by_rows_ ? static_cast<Real>(rows_at(depth)) : n_;
    return static_cast<Real>(depth) * carried * size_.flops_per_column;
  }
  /// At all depths: one pass, or one for each depth if rows are formed.
  Real forming_flops() const {
    if (!by_rows_) return forming_flops(depths_.back());
    return std::accumulate(depths_.begin(), depths_.end(), Real{0},
                           [this](Real sum, Index depth) { return sum + forming_flops(depth); });
  }

  /// The spectrum at a depth, including products with the layers.
  Real spectrum_flops(const SpectrumMethod& method, JacobianForm form, Index depth) const {
    const SpectrumWork w = work(method, form, depth);
    return w.flops + w.products * static_cast<Real>(depth) * size_.flops_per_column;
  }

  /// All depths, by that method; null: no spectrum.
  Real flops(const SpectrumMethod* method, JacobianForm form) const {
    Real flops = form == JacobianForm::dense ? forming_flops() : 0;
    for (const Index depth : depths_) {
      if (method) flops += spectrum_flops(*method, form, depth);
      if (options_.profile) flops += forming_flops(depth);
    }
    return flops;
  }

  /// Below n = 1024, J is formed even if products take less time (from n = 256 with 16 positions, measured):
  /// both take a second at most, and with J all metrics are available and ends are verified.
  bool products_are_cheaper() const {
    constexpr Index smallest = 1024;
    return size_.n >= smallest &&
           single_column_penalty() * flops(&auto_method(JacobianForm::map), JacobianForm::map) <
               flops(&auto_method(JacobianForm::dense), JacobianForm::dense);
  }

  /// The time of a spectrum at a depth, in flops at the speed of a product of large matrices.
  Real spectrum_effort(const SpectrumMethod& method, JacobianForm form, Index depth) const {
    const SpectrumWork w = work(method, form, depth);
    const Real by_column = form == JacobianForm::map ? single_column_penalty() : 1;
    return w.slowness * w.flops + by_column * w.products * static_cast<Real>(depth) * size_.flops_per_column;
  }

  /// The overheads were measured: what a block and a depth take besides their flops, and the time of a weight
  /// that is drawn.
  StepWork steps(const SpectrumMethod* method, JacobianForm form) const {
    constexpr Real block_overhead = 1e6, depth_overhead = 1e7, weight = 150, shared_forming = 0.95;
    const bool formed = form == JacobianForm::dense;
    StepWork steps;
    steps.block =
        block_overhead + weight * size_.weights / sizeof(Real) + (formed ? forming_flops() / blocks() : 0);
    steps.alone = (1 - shared_forming) * steps.block * blocks();
    for (const Index depth : depths_) {
      Real effort = depth_overhead, alone = depth_overhead;
      if (method) {
        const Real spectrum = spectrum_effort(*method, form, depth);
        effort += spectrum, alone += (1 - work(*method, form, depth).shared) * spectrum;
      }
      if (options_.profile) effort += forming_flops(depth);
      steps.depth.push_back(effort);
      steps.alone += alone;
    }
    return steps;
  }

 private:
  Real blocks() const { return static_cast<Real>(size_.blocks); }

  SpectrumWork work(const SpectrumMethod& method, JacobianForm form, Index depth) const {
    const Index factors = depth * (size_.blocks / depths_.back());
    const Index rows = by_rows_ ? rows_at(depth) : size_.largest;
    return method.work({form, rows, size_.n, factors, options_.top, options_.bottom});
  }

  Index rows_at(Index depth) const {
    const auto at = std::lower_bound(depths_.begin(), depths_.end(), depth);
    return rows_[static_cast<std::size_t>(at - depths_.begin())];
  }

  /// Rows need a pass for each depth, and derivatives that are built again if they are not stored: they must
  /// be far fewer.
  bool has_few_rows() const {
    constexpr Real fewer = 4;
    Real work = 0;
    for (const Index depth : depths_) work += static_cast<Real>(depth) * static_cast<Real>(rows_at(depth));
    return fewer * work <= static_cast<Real>(depths_.back()) * static_cast<Real>(columns_);
  }

  /// Time per flop in the product with one column over that in the dense computation, measured with twelve
  /// layers at n = 512 to 2048 (docs/performance.md): 13 to 24 for one position, where the weights come from
  /// memory for each column; 2 to 6 for 16 and 64 positions, which make a matrix of the column.
  Real single_column_penalty() const { return size_.positions >= 64 ? 2.5 : size_.positions >= 16 ? 6 : 20; }

  const Depths& depths_;
  const AnalysisOptions& options_;
  CellSize size_;
  Index columns_;            ///< of the reported J
  std::vector<Index> rows_;  ///< of the reported J, by depth
  bool by_rows_;             ///< J, if formed, is formed by rows
  Real n_;                   ///< columns that a pass carries if J is formed
};

Real limit_of(const AnalysisOptions& options) {
  return options.max_memory.value_or(std::numeric_limits<Real>::infinity());
}

JacobianForm form_of(const Costs& costs, const AnalysisOptions& options) {
  if (!options.spectrum || costs.looks_back()) return JacobianForm::dense;
  const SpectrumMethod& method = method_for(options.method, JacobianForm::map);
  if (method.needs != JacobianForm::map) return JacobianForm::dense;
  const bool fits = costs.formed_bytes(&method_for(options.method, JacobianForm::dense)) <= limit_of(options);
  if (method.dense_below > 0)
    return fits && costs.size().n < method.dense_below ? JacobianForm::dense : JacobianForm::map;
  if (options.top + options.bottom == 0 || costs.asks_for_all()) return JacobianForm::dense;
  if (!fits) return JacobianForm::map;
  if (options.bottom > 0) return JacobianForm::dense;
  return options.method != "auto" || costs.products_are_cheaper() ? JacobianForm::map : JacobianForm::dense;
}

/// For `auto` with a formed J.
void decide_factors(Route& route, const Costs& costs, const Depths& depths, const AnalysisOptions& options) {
  const SpectrumMethod &dense = auto_method(JacobianForm::dense),
                       &product = auto_method(JacobianForm::factors);
  route.no_room_for_factors = costs.formed_bytes(&product) > options.max_memory.value_or(common_memory);
  if (route.no_room_for_factors) return;
  for (const Index depth : depths) {
    const Real work = costs.spectrum_flops(product, JacobianForm::factors, depth);
    const Real of_dense =
        costs.forming_flops(depth) + costs.spectrum_flops(dense, JacobianForm::dense, depth);
    const bool worth_it = work <= worth * of_dense || work <= at_once;
    route.uses_factors = route.uses_factors || worth_it;
    route.too_much_work.push_back(worth_it ? 0 : work / of_dense);
  }
}

}  // namespace

Index Route::kept_blocks(Real memory) const {
  if (most_kept == 0) return 0;
  return static_cast<Index>(
      std::clamp<Real>((memory - bytes) / bytes_per_kept_block, 0, static_cast<Real>(most_kept)));
}

std::optional<std::string> Route::factors_missing(std::size_t i) const {
  if (no_room_for_factors) return "there is no room";
  if (too_much_work.empty()) return uses_factors ? std::nullopt : std::optional<std::string>("");
  if (too_much_work[i] == 0) return std::nullopt;
  return std::to_string(std::llround(too_much_work[i])) + " times the work of a dense spectrum is too much";
}

Real StepWork::total(Index blocks) const {
  return std::accumulate(depth.begin(), depth.end(), block * static_cast<Real>(blocks));
}

Route route_of(const Geometry& geometry, const Depths& depths, const AnalysisOptions& options) {
  const Costs costs(geometry, depths, options);
  Route route;
  route.form = form_of(costs, options);
  const bool formed = route.form == JacobianForm::dense;
  route.by_rows = formed && costs.by_rows();
  const SpectrumMethod* method = options.spectrum ? &method_for(options.method, route.form) : nullptr;
  if (method) route.method = method->name;
  route.uses_factors = method && method->needs == JacobianForm::factors;
  if (method && formed && options.method == "auto") decide_factors(route, costs, depths, options);
  const SpectrumMethod* largest = route.uses_factors ? &auto_method(JacobianForm::factors) : method;
  route.bytes = formed ? costs.formed_bytes(largest) : costs.unformed_bytes(*method);
  route.least_bytes = formed ? costs.formed_bytes(method) : route.bytes;
  route.flops = costs.flops(method, route.form);
  const bool goes_through_blocks_again =
      method && (!formed || route.by_rows || method->needs == JacobianForm::factors);
  if (goes_through_blocks_again) route.most_kept = costs.size().blocks;
  route.bytes_per_kept_block = costs.size().kept_derivative;
  return route;
}

StepWork step_work(const Route& route, const Geometry& geometry, const Depths& depths,
                   const AnalysisOptions& options) {
  const SpectrumMethod* method = route.method.empty() ? nullptr : &spectrum_methods().at(route.method);
  return Costs(geometry, depths, options).steps(method, route.form);
}

}  // namespace rezero
