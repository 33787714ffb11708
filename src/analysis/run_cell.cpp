#include <algorithm>
#include <cmath>
#include <iterator>

#include "analysis/by_products.h"
#include "analysis/equal_shape_runs.h"
#include "analysis/factors.h"
#include "analysis/final_norm.h"
#include "core/underflow.h"
#include "rezero/analysis/observe.h"
#include "rezero/analysis/run_cell.h"
#include "rezero/core/contract.h"
#include "rezero/core/error.h"
#include "rezero/random/sample.h"

namespace rezero {
namespace {

/// One cell on its way through the stack: what is collected block by block.
class CellRun {
 public:
  CellRun(const Cell& cell, const AnalysisOptions& options, const CellContext& context,
          const PartVisitor& visit)
      : cell_(cell), options_(options), context_(context), deliver_(visit) {}

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
    if (cell_.route.form == JacobianForm::map)
      return detail::run_by_products(stack_, cell_, options_, context_,
                                     [this](DepthResult depth) { keep(std::move(depth)); });
    x0_ = {stack_->input(), 0};
    states_.push_back(x0_);
    ForwardOptions forward;
    forward.workers = context_.threads;
    forward.measure_changes = !options_.checks.empty();
    forward.checkpoint = [this] { context_.checkpoint(); };
    forward.on_block = [this](const BlockStep& step) { note(step); };
    for (Index depth : cell_.depths) block_depths_.push_back(depth * stack_->blocks_per_layer());
    forward_jacobian(
        *stack_, x0_.mantissa, tangents(), block_depths_, [this](const ForwardStep& step) { visit(step); },
        forward);
  }

  void note(const BlockStep& step) {
    if (!options_.checks.empty()) blocks_.push_back(block_facts(step));
    if (options_.profile) {
      ScaledReal norm = frobenius_norm(step.at.branch_value);
      if (!norm.is_zero()) norm.exponent += step.before.exponent;
      branch_norm_.push_back(norm);
      note_scales(step.layer.parts());
    }
    if (keeps_states()) states_.push_back({step.at.value, step.before.exponent});
    last_norm_ = step.layer.parts().post_norm;
    if (context_.on_block) context_.on_block();
  }

  void note_scales(const BlockParts& parts) {
    const Real branch = parts.branch_scale.values.mean();
    branch_scale_.push_back(branch);
    skip_scale_.push_back(parts.mix == MixRule::gated ? 1 - branch : parts.skip_scale.values.mean());
  }

  void visit(const ForwardStep& step) {
    if (keeps_states()) states_.back() = step.state;  // as renormalized
    DepthResult depth = seen(step);
    depth.depth = step.depth / stack_->blocks_per_layer();
    if (options_.profile || !options_.checks.empty()) look_back(depth);
    keep(std::move(depth));
  }

  void keep(DepthResult depth) {
    CellResult part{cell_.index, cell_.labels, {}, {}};
    if (options_.spectrum && depth.spectrum.status == SpectrumStatus::breakdown)
      part.failures.push_back({depth.depth, "spectrum", depth.spectrum.message});
    part.depths.push_back(std::move(depth));
    ++delivered_;
    deliver_(std::move(part));
  }

  /// The identity, or the columns of one position.
  Matrix tangents() const {
    const Shape shape = stack_->shape();
    if (!options_.view.wrt) return Matrix::Identity(shape.size(), shape.size());
    Matrix columns = Matrix::Zero(shape.size(), shape.features);
    columns.middleRows(*options_.view.wrt * shape.features, shape.features).setIdentity();
    return columns;
  }

  /// What the report sees of a step: through the final norm, and one position's rows if that is asked for.
  DepthResult seen(const ForwardStep& step) {
    const Shape shape = stack_->shape_after(step.depth);
    NormSpec last = last_norm_;
    Index null_directions = last ? last.null_directions(shape) : 0;
    const FactorSource factors =
        detail::factors_of(stack_, step.depth, delivered_, cell_, options_, context_);
    if (!options_.final_norm && !options_.view.of && !options_.view.wrt)
      return observe(step, x0_, options_, cell_.labels.seed, {null_directions, factors, context_.threads});
    ScaledVector state = step.state;
    ScaledMatrix jacobian = step.jacobian;
    RoundingProbe probe = *step.probe;
    Underflow underflow = step.underflow;
    bool zero_columns_hold = step.zero_columns_hold;
    if (options_.final_norm) {
      const ScaledVector before = state;
      probe.apply([&](int sample) {
        return detail::final_norm_at(*stack_, before, step.depth - 1, {true, sample}).derivative;
      });
      detail::watch_underflow();
      last = apply_final_norm(state, jacobian, step.depth - 1, null_directions);
      if (detail::underflowed()) underflow = std::max(underflow, Underflow::product);
      zero_columns_hold =
          zero_columns_hold && !has_new_zero_column(step.jacobian.mantissa, jacobian.mantissa);
    }
    ScaledVector start = x0_;
    if (options_.view.of) {
      const Index row = *options_.view.of * shape.features;
      state.mantissa = Vector(state.mantissa.segment(row, shape.features));
      start.mantissa = Vector(start.mantissa.segment(row, shape.features));
      jacobian.mantissa = Matrix(jacobian.mantissa.middleRows(row, shape.features));
      probe.keep_rows(row, shape.features);
      // A direction that spans several positions says nothing of one position's rows.
      null_directions = last && last.kind->across_positions ? 0 : null_directions / shape.positions;
    }
    if (!renormalize(jacobian)) throw NumericalError("the final norm's derivative is not finite");
    return observe({step.depth, state, jacobian, underflow, &probe, zero_columns_hold}, start, options_,
                   cell_.labels.seed, {null_directions, factors, context_.threads});
  }

  /// What a norm makes zero but for its null directions has cancelled.
  static bool has_new_zero_column(const Matrix& before, const Matrix& after) {
    for (Index j = 0; j < after.cols(); ++j)
      if (after.col(j).isZero(0) && !before.col(j).isZero(0)) return true;
    return false;
  }

  /// Gives the norm, and the null directions of its derivative.
  NormSpec apply_final_norm(ScaledVector& state, ScaledMatrix& jacobian, Index l,
                            Index& null_directions) const {
    detail::FinalNorm norm = detail::final_norm_at(*stack_, state, l);
    Matrix through(jacobian.mantissa.rows(), jacobian.mantissa.cols());
    norm.derivative.map->apply(jacobian.mantissa, through);
    jacobian.mantissa.swap(through);
    jacobian.exponent += norm.derivative.exponent;
    state = std::move(norm.value);
    null_directions = norm.null_directions;
    return norm.norm;
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

  /// A unit vector: all entries equal to 1 for `ones` (as reference values are made with), Haar-random
  /// otherwise.
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

  /// Every depth not yet visited fails, and says where.
  void fail_rest(const std::string& kind, const std::string& message) {
    for (; delivered_ < cell_.depths.size(); ++delivered_)
      deliver_({cell_.index, cell_.labels, {}, {{cell_.depths[delivered_], kind, message}}});
  }

  const Cell& cell_;
  const AnalysisOptions& options_;
  const CellContext& context_;
  const PartVisitor& deliver_;
  std::size_t delivered_ = 0;  ///< depths
  StackPtr stack_;
  ScaledVector x0_;
  std::vector<Index> block_depths_;
  std::vector<ScaledVector> states_;
  std::vector<ScaledReal> branch_norm_;
  std::vector<Real> skip_scale_, branch_scale_;
  std::vector<BlockFacts> blocks_;
  NormSpec last_norm_;  ///< of the block that was passed last
};

}  // namespace

void CellContext::checkpoint() const {
  if (stop && *stop) throw Cancelled();
}

void run_cell(const Cell& cell, const AnalysisOptions& options, const CellContext& context,
              const PartVisitor& visit) {
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
