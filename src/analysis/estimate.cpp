#include <algorithm>

#include "analysis/cost.h"
#include "rezero/analysis/sweep.h"
#include "rezero/spectrum/method.h"

namespace rezero {
namespace {

constexpr Real fixed_bytes = 20e6;   // stack, tables, buffers of one worker
constexpr Real square_matrices = 6;  // n × n doubles at the peak: J, its successor, the spectrum's copies
// While a block is at work: J and its successor, and its weights with what its maps make of them. Measured
// with wide branches, 2.0 to 2.6 times the weights; of convolutions, packed both ways, 6.7 to 6.9. Of
// attention also queries, keys, values, their turned or normalized forms and two results, all columns at once
// at most.
constexpr Real matrices_at_work = 2, attention_matrices = 6, weight_copies = 3, conv_weight_copies = 7;
constexpr Real spectrum_flops =
    8.0 / 3 + 2 + 2.0 / 3;  // · n³: bidiagonalization, and the certificate's JᵀJ and LU

constexpr Real state_overhead = 64;  // allocation and exponent of a kept state
constexpr Real facts_bytes = 1500;   // what a check keeps of a block: culprits with their texts, twice

// What is kept of results until the end, measured: the text of a check, and of a row of the summary its
// labels and its text.
constexpr Real check_text_bytes = 1000, summary_bytes = 10000;

// A product spectrum: Q, T, the running product and its copy, each with its successor; of a factor QR with Q
// (8/3 n³) and T (n³) at most; of a Jacobi iteration about six sweeps. In units of n² doubles and n³.
constexpr Real factored_matrices = 10, factor_flops = 11.0 / 3, jacobi_flops = 20;
/// Through the factors: two, and of few values three more samples of their rounding.
Real product_sweeps(Real n) {
  return n <= 64 ? 5 : 2;
}

struct Size {
  Real n;        ///< of the input: columns of J
  Real largest;  ///< of the largest state: rows of J on its way
  Real weights, weights_at_work, flops_per_column;
};

/// Of one layer's derivative on one column: every weight at every position, and attention's products of
/// positions. l: the layer, where they differ.
Real layer_flops(const StackSpec& spec, Index l) {
  const auto positions = static_cast<Real>(
      spec.family->is_conv() ? shape_after(spec.conv, spec.width, l + 1).positions : spec.shape().positions);
  Real flops = 0;
  for (const BranchKind* kind : spec.family->branches()) {
    for (const WeightSlot& slot : kind->slots(spec.sizes(l)))
      flops += 2 * static_cast<Real>(slot.rows()) * static_cast<Real>(slot.cols()) * positions;
    if (kind->is_attention) flops += 8 * static_cast<Real>(spec.width) * positions * positions;
  }
  return flops;
}

/// Runs of equal layers up to the depth: the last layer of each, and how many there are.
struct Run {
  Index last, count;
};
std::vector<Run> runs_of(const StackSpec& spec, Index depth) {
  if (!spec.conv.staged()) return {{0, depth}};
  std::vector<Run> runs;
  Index end = 0;
  for (const Index stage : spec.conv.stages) {
    if (end >= depth) break;
    const Index count = std::min(stage, depth - end);
    end += count;
    runs.push_back({end - 1, count});
  }
  return runs;
}

Size size_of(const StackSpec& spec, Index depth) {
  const auto n = static_cast<Real>(spec.shape().size());
  const Real weights = block_weight_bytes(spec);
  Size size{n, n, weights, weights * (spec.family->is_conv() ? conv_weight_copies : weight_copies), 0};
  for (const Run& run : runs_of(spec, depth)) {
    size.flops_per_column +=
        layer_flops(spec, run.last) * static_cast<Real>(run.count) / static_cast<Real>(depth);
    if (spec.conv.staged())
      size.largest =
          std::max(size.largest, static_cast<Real>(shape_after(spec.conv, spec.width, run.last + 1).size()));
  }
  return size;
}

Size size_of(const Cell& cell) {
  if (cell.spec) return size_of(*cell.spec, cell.depths.back());
  const auto n = static_cast<Real>(cell.stack->shape().size());
  // A loaded stack's weights are in memory already; the estimate takes two square matrices.
  return {n, n, 0, 0, 4 * n * n};
}

Real blocks_of(const Cell& cell) {
  const Real per_layer = cell.spec ? static_cast<Real>(cell.spec->family->blocks.size()) : 1;
  return static_cast<Real>(cell.depths.back()) * per_layer;
}

bool looks_back(const AnalysisOptions& options) {
  return options.profile || !options.checks.empty();
}

bool by_factors(const AnalysisOptions& options) {
  return options.spectrum && options.method != "auto" &&
         spectrum_methods().at(options.method).needs == JacobianForm::factors;
}

Real dense_bytes(const Cell& cell, const AnalysisOptions& options) {
  const Size size = size_of(cell);
  const Real J = size.largest * size.n * sizeof(Real);
  const bool attention = !cell.spec || cell.spec->family->has_attention();  // a loaded stack may have it
  const Real at_work = matrices_at_work + (attention ? attention_matrices : 0);
  Real bytes = std::max(square_matrices * J + size.weights, at_work * J + size.weights_at_work) + fixed_bytes;
  if (by_factors(options)) bytes += factored_matrices * size.largest * size.n * sizeof(Real);
  if (looks_back(options)) bytes += blocks_of(cell) * (size.largest * sizeof(Real) + state_overhead);
  if (!options.checks.empty()) bytes += blocks_of(cell) * facts_bytes;
  return bytes;
}

/// Of a product spectrum at one depth, a factor a layer.
Real factored_flops(const Cell& cell, Index depth) {
  const Size size = size_of(cell);
  const Real cube = size.n * size.n * size.n;
  return product_sweeps(size.n) *
         (static_cast<Real>(depth) * (size.n * size.flops_per_column + factor_flops * cube) +
          jacobi_flops * cube);
}

Real dense_flops(const Cell& cell, const AnalysisOptions& options) {
  const Size size = size_of(cell);
  const Real block = size.n * size.flops_per_column;
  Real flops = static_cast<Real>(cell.depths.back()) * block;
  for (Index depth : cell.depths) {
    const Real cube = size.n * size.n * size.n;
    if (by_factors(options))
      flops += factored_flops(cell, depth);
    else if (options.spectrum)
      flops += spectrum_flops * cube;
    if (options.profile) flops += static_cast<Real>(depth) * block;
  }
  return flops;
}

/// Vectors of n doubles that a method holds by products at most, and products that it takes, roughly: of the
/// largest values of random stacks 60 to 200 for one and 160 to 310 for ten (n from 64 to 2048); probes of a
/// hundred steps.
struct ProductWork {
  Real vectors, products;
};

bool is_density(const AnalysisOptions& options) {
  return options.method != "auto" && spectrum_methods().at(options.method).gives == SpectrumScope::density;
}

ProductWork product_work(const Cell& cell, const AnalysisOptions& options) {
  const auto n = static_cast<Index>(size_of(cell).n);
  if (is_density(options)) {
    const auto probes = static_cast<Real>(density_probes(n));
    const Index steps = std::min(density_steps(n), n);
    return {probes * static_cast<Real>(steps) + 8,
            probes * 2 * static_cast<Real>(std::min<Index>(steps, 100))};
  }
  const auto basis = static_cast<Real>(ends_basis(std::max(options.top, options.bottom), n));
  const Index count = options.top + options.bottom;
  return {2 * basis + 4 * static_cast<Real>(count) + 8, 100 + 20 * static_cast<Real>(count)};
}

/// A kept derivative, the mean over a layer's blocks: its weights (attention's twice, as measured,
/// and convolutions', which are packed both ways), what its
/// norm keeps and, for each of its inner layers, values and their slopes; attention's weights of every pair
/// of positions and head.
Real kept_block_bytes(const Cell& cell) {
  const Size size = size_of(cell);
  if (!cell.spec) return 16 * size.n * sizeof(Real);  // its weights are in memory already
  const auto positions = static_cast<Real>(cell.spec->shape().positions);
  Real most = 0;
  for (const Run& run : runs_of(*cell.spec, cell.depths.back())) {
    Real numbers = 0;
    for (const BranchKind* kind : cell.spec->family->branches()) {
      numbers += 8 * size.largest;
      for (const WeightSlot& slot : kind->slots(cell.spec->sizes(run.last))) {
        const Real weights = static_cast<Real>(slot.rows()) * static_cast<Real>(slot.cols());
        numbers += 2 * positions * static_cast<Real>(slot.outputs) +
                   (kind->is_attention || kind->is_conv ? 2 : 1) * weights;
      }
      if (kind->is_attention)
        numbers += 2 * static_cast<Real>(cell.spec->tokens.attention.heads) * positions * positions;
    }
    most = std::max(most, numbers);
  }
  return most * sizeof(Real) / static_cast<Real>(cell.spec->family->blocks.size());
}

/// All but kept derivatives: states, bases, one block.
Real least_product_bytes(const Cell& cell, const AnalysisOptions& options) {
  const Real vectors = blocks_of(cell) + 1 + product_work(cell, options).vectors;
  const Size size = size_of(cell);
  return vectors * size.largest * sizeof(Real) + std::max(kept_block_bytes(cell), size.weights_at_work) +
         fixed_bytes;
}

/// Time of a flop in the product with one column over that of one in the dense computation, measured with
/// twelve layers at n = 512 to 2048 (docs/performance.md): 13 to 24 for one position, where the weights come
/// from memory for each column, 2 to 6 for 16 and 64 positions, which make a matrix of the column.
Real single_column_penalty(const Cell& cell) {
  return cell.spec && cell.spec->shape().positions >= 16 ? 6 : 20;
}

Real product_flops(const Cell& cell, const AnalysisOptions& options) {
  const Size size = size_of(cell);
  const ProductWork work = product_work(cell, options);
  Real flops = 0;
  for (const Index depth : cell.depths)
    flops += work.products * (static_cast<Real>(depth) * size.flops_per_column + 4 * size.n * work.vectors);
  return flops;
}

/// Below n = 1024 J is formed even where products take less time (from n = 256 with 16 positions, measured):
/// either is a matter of a second at most, and with J there are all metrics, and ends that are verified.
bool products_are_cheaper(const Cell& cell, const AnalysisOptions& options) {
  constexpr Real smallest = 1024;
  return size_of(cell).n >= smallest &&
         single_column_penalty(cell) * product_flops(cell, options) < dense_flops(cell, options);
}

}  // namespace

JacobianForm spectrum_form(const Cell& cell, const AnalysisOptions& options, Real max_memory) {
  if (!options.spectrum || looks_back(options)) return JacobianForm::dense;
  const bool is_auto = options.method == "auto", ends = options.top + options.bottom > 0;
  if (!is_auto && spectrum_methods().at(options.method).needs != JacobianForm::map)
    return JacobianForm::dense;
  const bool fits = dense_bytes(cell, options) <= max_memory;
  if (is_density(options))
    return fits && size_of(cell).n < static_cast<Real>(spectrum_methods().at(options.method).dense_below)
               ? JacobianForm::dense
               : JacobianForm::map;
  if (!ends) return JacobianForm::dense;
  if (!fits) return JacobianForm::map;
  if (options.bottom > 0) return JacobianForm::dense;
  return !is_auto || products_are_cheaper(cell, options) ? JacobianForm::map : JacobianForm::dense;
}

namespace {

/// What a cell takes beyond its need where memory allows: derivatives that are kept, and the product method
/// beside J, which `auto` may turn to.
Real extra_bytes(const Cell& cell, const AnalysisOptions& options, bool formed, Real max_memory) {
  if (!formed)
    return static_cast<Real>(detail::kept_blocks(cell, options, max_memory)) * kept_block_bytes(cell);
  const bool may_turn = options.spectrum && options.method == "auto";
  if (!by_factors(options) && !(may_turn && detail::room_for_factors(cell, options, max_memory))) return 0;
  const Size size = size_of(cell);
  const Real product = by_factors(options) ? 0 : factored_matrices * size.largest * size.n * sizeof(Real);
  return product +
         static_cast<Real>(detail::kept_factors(cell, options, max_memory)) * kept_block_bytes(cell);
}

}  // namespace

CellCost cost_of(const Cell& cell, const AnalysisOptions& options, Real max_memory) {
  CellCost cost;
  cost.form = spectrum_form(cell, options, max_memory);
  const bool formed = cost.form == JacobianForm::dense;
  if (options.spectrum)
    cost.method = options.method != "auto" ? options.method : formed ? "dense" : "spectra";
  cost.bytes = formed ? dense_bytes(cell, options) : least_product_bytes(cell, options);
  cost.extra_bytes = extra_bytes(cell, options, formed, max_memory);
  cost.flops = formed ? dense_flops(cell, options) : product_flops(cell, options);
  return cost;
}

Index detail::kept_blocks(const Cell& cell, const AnalysisOptions& options, Real bytes) {
  const Real blocks = (bytes - least_product_bytes(cell, options)) / kept_block_bytes(cell);
  return static_cast<Index>(std::clamp<Real>(blocks, 0, blocks_of(cell)));
}

namespace {

Real with_factors_bytes(const Cell& cell, const AnalysisOptions& options) {
  const Size size = size_of(cell);
  return dense_bytes(cell, options) +
         (by_factors(options) ? 0 : factored_matrices * size.largest * size.n * sizeof(Real));
}

}  // namespace

bool detail::room_for_factors(const Cell& cell, const AnalysisOptions& options, Real bytes) {
  return by_factors(options) || with_factors_bytes(cell, options) <= bytes;
}

detail::FactorWork detail::factor_work(const Cell& cell, Index depth) {
  constexpr Real worth = 4, at_once = 1e9;
  const Size size = size_of(cell);
  const Real work = factored_flops(cell, depth),
             dense = static_cast<Real>(depth) * size.n * size.flops_per_column +
                     spectrum_flops * size.n * size.n * size.n;
  return {work / dense, work <= worth * dense || work <= at_once};
}

Index detail::kept_factors(const Cell& cell, const AnalysisOptions& options, Real bytes) {
  const Real blocks = (bytes - with_factors_bytes(cell, options)) / kept_block_bytes(cell);
  return static_cast<Index>(std::clamp<Real>(blocks, 0, blocks_of(cell)));
}

namespace {

/// Of a stack given block by block.
Real stack_bytes(const Stack& stack) {
  Real bytes = 0;
  for (Index l = 0; l < stack.blocks(); ++l) {
    bytes += block_overhead_bytes;
    for (const auto& [role, pair] : stack.block(l)->parts().weights)
      bytes += static_cast<Real>(pair.weight->size()) * sizeof(Real);
  }
  return bytes;
}

/// Kept until the end: the metrics of every row, in vectors that may be half empty; of a verdict the text of
/// its checks; of rows that differ in more than the seed their labels and, at the end, their summary.
Real shared_bytes(const SweepPlan& plan, const CellList& cells) {
  const auto rows = static_cast<Real>(cells.rows());
  const Real of_row = 2 * static_cast<Real>(metrics().size() * sizeof(Real)) +
                      check_text_bytes * static_cast<Real>(plan.analysis.checks.size());
  const Real groups = rows / static_cast<Real>(cells.cells_per_kind());
  return rows * of_row + groups * summary_bytes + (plan.stack ? stack_bytes(*plan.stack->stack) : 0);
}

}  // namespace

CostEstimate estimate_cost(const SweepPlan& plan, const CellList& cells, int threads, Real max_memory) {
  CostEstimate cost;
  cost.cells = cells.size(), cost.rows = cells.rows();
  for (std::size_t k = 0; k < cells.kinds(); ++k) {
    const CellCost each = cost_of(cells.first_of_kind(k), plan.analysis, max_memory);
    cost.bytes_per_worker = std::max(cost.bytes_per_worker, each.bytes);
    cost.extra_bytes = std::max(cost.extra_bytes, each.extra_bytes);
    cost.flops += each.flops * static_cast<Real>(cells.cells_per_kind());
  }
  const int workers = spread_of(cells.size(), threads).cells_at_once;
  cost.shared_bytes = shared_bytes(plan, cells);
  cost.bytes = cost.shared_bytes + cost.bytes_per_worker * workers;
  if (plan.stack) cost.bytes = std::max(cost.bytes, plan.stack->reading_bytes);
  cost.extra_bytes = std::min(cost.extra_bytes * workers, std::max<Real>(max_memory - cost.bytes, 0));
  return cost;
}

}  // namespace rezero
