#include "rezero/analysis/run_cell.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "analysis/by_maps.h"
#include "analysis/depth_view.h"
#include "analysis/equal_shape_runs.h"
#include "analysis/factors.h"
#include "core/underflow.h"
#include "rezero/analysis/observe.h"
#include "rezero/analysis/recipe.h"
#include "rezero/core/contract.h"
#include "rezero/core/error.h"
#include "rezero/random/sample.h"

namespace rezero {
namespace {

/// A formed J after the maps of a view, with everything known about it.
class SeenMatrix {
 public:
  SeenMatrix(const ForwardStep& step, const detail::DepthView& view)
      : blocks_(step.blocks),
        J_(step.jacobian),
        probe_(*step.probe),
        underflow_(step.underflow),
        zero_columns_hold_(step.zero_columns_hold) {
    for (Index i = 0; i < view.count_after(); ++i) apply(view, i);
    if (!renormalize(J_)) throw NumericalError("the final norm's derivative is not finite");
  }

  ForwardStep step(const detail::DepthView& view) const {
    return {blocks_, view.state(), J_, underflow_, &probe_, zero_columns_hold_};
  }

 private:
  void apply(const detail::DepthView& view, Index i) {
    probe_.apply([&](int sample) { return view.after(i, {true, sample}); });
    const detail::UnderflowWatch watch;
    const ScaledMap map = view.after(i);
    Matrix image(map.map->rows(), J_.mantissa.cols());
    map.map->apply(J_.mantissa, image);
    if (watch.underflowed()) underflow_ = std::max(underflow_, Underflow::product);
    if (view.rounds(i)) zero_columns_hold_ = zero_columns_hold_ && !has_new_zero_column(J_.mantissa, image);
    J_.mantissa.swap(image);
    J_.exponent += map.exponent;
  }

  /// Zeros of a norm other than its null directions are due to cancellation.
  static bool has_new_zero_column(const Matrix& before, const Matrix& after) {
    for (Index j = 0; j < after.cols(); ++j)
      if (after.col(j).isZero(0) && !before.col(j).isZero(0)) return true;
    return false;
  }

  Index blocks_;
  ScaledMatrix J_;
  RoundingProbe probe_;
  Underflow underflow_;
  bool zero_columns_hold_;
};

/// One cell on its way through the stack; collects results block by block.
class CellRun {
 public:
  CellRun(const Cell& cell, const AnalysisOptions& options, const CellContext& context,
          const PartVisitor& visit)
      : cell_(cell), options_(options), context_(context), deliver_(visit) {
    if (context_.on_step) work_ = step_work(cell.route, *cell.geometry, cell.depths, options);
  }

  void take() {
    try {
      pass();
    } catch (const Cancelled&) {
      throw;
    } catch (const UsageError&) {  // a plan that cannot be, not a cell that failed
      throw;
    } catch (const NumericalError& error) {
      fail_rest("numerical", error.what());
    } catch (const std::bad_alloc&) {
      fail_rest("memory", "out of memory (use a smaller width, fewer threads or --max-memory)");
    } catch (const std::exception& error) {  // a mistake of ours in one cell is no reason to lose the others
      fail_rest("internal", error.what());
    }
  }

 private:
  bool keeps_states() const { return options_.profile || !options_.checks.empty(); }

  void pass() {
    stack_ = cell_.stack ? cell_.stack : build_stack(*cell_.spec, cell_.labels.seed, cell_.depths.back());
    if (cell_.route.form == JacobianForm::map || cell_.route.by_rows)
      return detail::run_by_maps(
          stack_, cell_, options_, context_, [this] { note_block(); },
          [this](DepthResult depth) { keep(std::move(depth)); });
    if (cell_.route.uses_factors)
      passed_ = std::make_shared<detail::PassedBlocks>(stack_, cell_.route.kept_blocks(context_.memory),
                                                       context_.threads);
    x0_ = {stack_->input(), 0};
    states_.push_back(x0_);
    ForwardOptions forward;
    forward.workers = context_.threads;
    forward.measure_changes = !options_.checks.empty();
    forward.checkpoint = [this] { context_.checkpoint(); };
    forward.on_block = [this](const BlockStep& step) { note(step); };
    std::vector<Index> blocks;
    for (const Index depth : cell_.depths) blocks.push_back(depth * stack_->blocks_per_layer());
    forward_jacobian(
        *stack_, x0_.mantissa, tangents(), blocks, [this](const ForwardStep& step) { visit(step); }, forward);
  }

  void note(const BlockStep& step) {
    if (!options_.checks.empty()) blocks_.push_back(block_facts(step));
    if (options_.profile) {
      ScaledReal norm = frobenius_norm(step.at.branch_value);
      if (!norm.is_zero()) norm.exponent += step.before.exponent;
      branch_norm_.push_back(norm);
      const BlockScales scales = step.layer.scales();
      branch_scale_.push_back(scales.branch), skip_scale_.push_back(scales.skip);
    }
    if (passed_) passed_->add(step);
    if (keeps_states()) states_.push_back({step.at.value, step.before.exponent});
    end_norms_ = detail::EndNorms(step.layer);
    note_block();
  }

  void note_block() const {
    if (context_.on_step) context_.on_step(work_.block);
  }

  void visit(const ForwardStep& step) {
    if (keeps_states()) states_.back() = step.state;  // as renormalized
    DepthResult depth = result_of(step);
    if (options_.profile || !options_.checks.empty()) look_back(depth);
    keep(std::move(depth));
  }

  void keep(DepthResult depth) {
    CellResult part{cell_.index, cell_.labels, {}, {}};
    if (options_.spectrum && depth.spectrum.status == SpectrumStatus::breakdown)
      part.failures.push_back({depth.depth, "spectrum", depth.spectrum.message});
    part.depths.push_back(std::move(depth));
    const std::size_t i = delivered_++;
    deliver_(std::move(part));
    if (context_.on_step) context_.on_step(work_.depth[i]);
  }

  /// The identity, or the columns of one position.
  Matrix tangents() const {
    const Index n = stack_->shape().size();
    const LinearMapPtr columns = detail::seen_columns(*stack_, options_.view);
    return columns ? to_dense(*columns) : Matrix::Identity(n, n);
  }

  DepthResult result_of(const ForwardStep& step) const {
    const detail::DepthView view(*stack_, options_, step.blocks, x0_.mantissa, step.state, end_norms_);
    std::optional<SeenMatrix> matrix;
    if (view.count_after() > 0) matrix.emplace(step, view);
    ReportedJacobian seen = reported(matrix ? matrix->step(view) : step, view.start());
    seen.depth = step.blocks / stack_->blocks_per_layer();
    seen.null_directions = view.null_directions();
    if (auto why = cell_.route.factors_missing(delivered_))
      seen.J.factors.missing = std::move(*why);
    else
      seen.J.factors = detail::factors_of(passed_, step.blocks, view, stack_->shape().size(),
                                          [this] { context_.checkpoint(); });
    return observe(seen, options_, cell_.labels.seed, context_.threads);
  }

  /// The backward pass from this depth: gradients for profiles and checks, suffix norms for profiles.
  void look_back(DepthResult& depth) {
    BackwardRequest request;
    request.cotangent = cotangent();
    request.suffix_norms = options_.profile;
    request.workers = context_.threads;
    request.checkpoint = [this] { context_.checkpoint(); };
    const BackwardResult back = backward_pass(*stack_, states_, request);
    if (options_.profile) depth.profile = profile(back);
    if (options_.checks.empty()) return;
    std::vector<BlockFacts> blocks = blocks_;
    for (BlockFacts& facts : blocks) {
      const auto l = static_cast<std::size_t>(facts.block);
      add_gradient_facts(facts, back.gate_gradient[l], back.last_weight_gradient[l]);
    }
    const CheckObservation seen{&depth, &blocks};
    for (const CheckSpec& check : options_.checks) depth.checks.push_back(check.check().run(seen, check));
  }

  /// A unit vector: all entries equal for `ones` (as for the reference values), otherwise Haar-random.
  Vector cotangent() const {
    const Index n = states_.back().mantissa.size();
    if (options_.cotangent == CotangentLaw::ones) return Vector::Ones(n);
    Vector u = normal_vector(n, stream_key(cell_.labels.seed, StreamRole::cotangent));
    return u / u.norm();
  }

  Profile profile(const BackwardResult& back) const {
    Profile profile;
    for (std::size_t l = 0; l < states_.size(); ++l) {
      const ScaledVector& state = states_[l];
      const auto n = static_cast<Real>(state.mantissa.size());
      const ScaledReal norm = frobenius_norm(state.mantissa), &square = back.suffix_square[l];
      profile.forward_rms.push_back(
          ScaledReal::make(norm.mantissa / std::sqrt(n), norm.exponent + state.exponent));
      profile.gradient_square.push_back(ScaledReal::make(square.mantissa / n, square.exponent));
    }
    profile.branch_norm = branch_norm_;
    profile.gate_gradient = back.gate_gradient;
    profile.skip_scale = skip_scale_, profile.branch_scale = branch_scale_;
    return profile;
  }

  /// Marks every depth not yet visited as failed, with the reason.
  void fail_rest(const std::string& kind, const std::string& message) {
    for (; delivered_ < cell_.depths.size(); ++delivered_)
      deliver_({cell_.index, cell_.labels, {}, {{cell_.depths[delivered_], kind, message}}});
  }

  const Cell& cell_;
  const AnalysisOptions& options_;
  const CellContext& context_;
  const PartVisitor& deliver_;
  StepWork work_;              ///< if anyone counts it
  std::size_t delivered_ = 0;  ///< depths
  StackPtr stack_;
  ScaledVector x0_;
  std::vector<ScaledVector> states_;
  std::vector<ScaledReal> branch_norm_;
  std::vector<Real> skip_scale_, branch_scale_;
  std::vector<BlockFacts> blocks_;
  std::shared_ptr<detail::PassedBlocks> passed_;  ///< for the product method
  detail::EndNorms end_norms_;                    ///< of the last block passed
};

/// Adds the verdict on the weights, once of a file: its samples all have the same.
void add_recipe(const Cell& cell, const AnalysisOptions& options, DepthResult& depth) {
  if (cell.labels.sample.value_or(0) > 0) return;
  depth.checks.push_back(check_recipe(cell.recipe ? *cell.recipe : *options.recipe, depth.blocks));
}

/// The verdict on the weights alone, which needs neither states nor derivatives.
void deliver_recipe(const Cell& cell, const AnalysisOptions& options, const CellContext& context,
                    const PartVisitor& visit) {
  const StepWork work =
      context.on_step ? step_work(cell.route, *cell.geometry, cell.depths, options) : StepWork{};
  for (std::size_t i = 0; i < cell.depths.size(); ++i) {
    context.checkpoint();
    DepthResult depth;
    depth.depth = cell.depths[i];
    depth.blocks = cell.depths[i] * cell.geometry->blocks_per_layer();
    add_recipe(cell, options, depth);
    visit({cell.index, cell.labels, {std::move(depth)}, {}});
    if (context.on_step) context.on_step(work.depth[i]);
  }
}

}  // namespace

void CellContext::checkpoint() const {
  if (stop && *stop) throw Cancelled();
}

void run_cell(const Cell& cell, const AnalysisOptions& options, const CellContext& context,
              const PartVisitor& visit) {
  if (options.is_recipe_alone()) return deliver_recipe(cell, options, context, visit);
  if (options.recipe) {  // about the whole file, whatever the other checks see of it at a time
    AnalysisOptions others = options;
    others.recipe.reset();
    return run_cell(cell, others, context, [&](CellResult part) {
      for (DepthResult& depth : part.depths) add_recipe(cell, options, depth);
      visit(std::move(part));
    });
  }
  if (!options.checks.empty() && detail::changes_shape(cell))
    return detail::check_runs(
        cell, options, [&](const Cell& part) { return run_cell(part, options, context); }, visit);
  CellRun(cell, options, context, visit).take();
}

CellResult run_cell(const Cell& cell, const AnalysisOptions& options, const CellContext& context) {
  CellResult all{cell.index, cell.labels, {}, {}};
  run_cell(cell, options, context, [&all](CellResult part) {
    std::move(part.depths.begin(), part.depths.end(), std::back_inserter(all.depths));
    std::move(part.failures.begin(), part.failures.end(), std::back_inserter(all.failures));
  });
  return all;
}

CellResult run_stack(const StackPtr& stack, const std::vector<Index>& depths, const AnalysisOptions& options,
                     const CellContext& context) {
  return run_cell(Cell(stack, depths, options), options, context);
}

}  // namespace rezero
