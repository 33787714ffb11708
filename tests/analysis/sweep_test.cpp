/// How a plan is expanded, run and reduced. The plans at the top serve all tests.
#include "rezero/analysis/sweep.h"

#include <gtest/gtest.h>

#include "rezero/core/error.h"
#include "support/layer_cases.h"
#include "support/stacks.h"

namespace rezero {
namespace {

SweepPlan plan_of(const std::vector<std::string>& schemes, std::vector<Index> depths,
                  std::vector<Index> widths, std::vector<std::uint64_t> seeds) {
  SweepPlan plan;
  for (const std::string& scheme : schemes) plan.schemes.emplace_back(scheme);
  plan.family = &families().at("mlp");
  plan.depths = std::move(depths), plan.widths = std::move(widths), plan.seeds = std::move(seeds);
  plan.activations.emplace_back("relu");
  plan.initializers.emplace_back(parse_named_spec("he"));
  return plan;
}

TEST(ExpandCells, OnePassWhereTheSchemeIgnoresTheDepth) {
  const SweepPlan plan = plan_of({"residual", "depth-power"}, {1, 2, 8}, {4, 6}, {1, 2});
  const CellList cells = expand_cells(plan);
  ASSERT_EQ(cells.size(), 4u + 12u);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    EXPECT_EQ(cells[i].index, i);
    EXPECT_EQ(cells[i].depths.size(), i < 4 ? 3u : 1u);
  }
  EXPECT_EQ(cells[0].labels.width, 4);
  EXPECT_EQ(cells[0].labels.seed, 1u);
  EXPECT_EQ(cells[1].labels.seed, 2u);
  EXPECT_EQ(cells[2].labels.width, 6);
  EXPECT_EQ(cells[4].depths, std::vector<Index>{1});
  EXPECT_EQ(cells[6].depths, std::vector<Index>{8});
}

TEST(ExpandCells, EveryIndexIsOneOfTheNestedLoops) {
  SweepPlan plan = plan_of({"depth-power", "residual", "fixed"}, {1, 2}, {4, 6, 8}, {7, 3});
  plan.activations.emplace_back("tanh");
  plan.initializers.emplace_back(parse_named_spec("xavier"));
  const CellList cells = expand_cells(plan);
  std::size_t i = 0, rows = 0;
  for (const SchemeSpec& scheme : plan.schemes)
    for (const Index width : plan.widths)
      for (const Activation& activation : plan.activations)
        for (const Initializer& initializer : plan.initializers)
          for (const std::uint64_t seed : plan.seeds)
            for (Index first = 1; first <= (scheme.depends_on_depth() ? 2 : 1); ++first, ++i) {
              const Cell cell = cells[i];
              EXPECT_EQ(cell.index, i);
              EXPECT_EQ(cell.labels.scheme->canonical(), scheme.canonical());
              EXPECT_EQ(cell.labels.width, width);
              EXPECT_EQ(cell.labels.activation, activation.canonical());
              EXPECT_EQ(cell.labels.init, initializer.canonical());
              EXPECT_EQ(cell.labels.seed, seed);
              EXPECT_EQ(cell.depths.front(), first);
              rows += cell.depths.size();
            }
  EXPECT_EQ(cells.size(), i);
  EXPECT_EQ(cells.rows(), rows);
}

/// The kinds are all cells of the first seed, in order.
TEST(ExpandCells, KindsAreTheCellsOfTheFirstSeed) {
  SweepPlan plan = plan_of({"depth-power", "residual"}, {1, 2}, {4, 6}, {7, 3, 5});
  plan.activations.emplace_back("tanh");
  plan.initializers.emplace_back(parse_named_spec("xavier"));
  const CellList cells = expand_cells(plan);
  EXPECT_EQ(cells.cells_per_kind(), 3u);
  EXPECT_EQ(cells.kinds() * cells.cells_per_kind(), cells.size());
  std::vector<std::size_t> of_first_seed, found;
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (cells[i].labels.seed == 7) of_first_seed.push_back(i);
  cells.for_each_kind([&](const CellKind& kind) {
    found.push_back(kind.first_cell);
    const Cell cell = cells[kind.first_cell];
    EXPECT_EQ(kind.depths, cell.depths);
    EXPECT_EQ(kind.spec->scheme.canonical(), cell.spec->scheme.canonical());
    EXPECT_EQ(kind.spec->activation.canonical(), cell.spec->activation.canonical());
    EXPECT_EQ(kind.spec->initializer.canonical(), cell.spec->initializer.canonical());
    EXPECT_EQ(kind.geometry.shape(), cell.geometry->shape());
    const Route route = route_of(kind.geometry, kind.depths, plan.analysis);
    EXPECT_EQ(route.bytes, cell.route.bytes);
    EXPECT_EQ(route.flops, cell.route.flops);
  });
  EXPECT_EQ(found, of_first_seed);
  EXPECT_EQ(found.size(), cells.kinds());
}

bool equal(const std::vector<ScaledReal>& a, const std::vector<ScaledReal>& b) {
  return a == b;
}

void expect_equal(const DepthResult& a, const DepthResult& b) {
  EXPECT_EQ(a.depth, b.depth);
  EXPECT_TRUE(equal(a.spectrum.sigma, b.spectrum.sigma));
  EXPECT_EQ(a.frobenius_square, b.frobenius_square);
  EXPECT_EQ(a.identity_error, b.identity_error);
  EXPECT_EQ(a.output_error, b.output_error);
  EXPECT_EQ(a.metrics, b.metrics);
  ASSERT_EQ(a.profile.has_value(), b.profile.has_value());
  if (!a.profile) return;
  EXPECT_TRUE(equal(a.profile->forward_rms, b.profile->forward_rms));
  EXPECT_TRUE(equal(a.profile->branch_norm, b.profile->branch_norm));
  EXPECT_TRUE(equal(a.profile->gradient_square, b.profile->gradient_square));
  EXPECT_TRUE(equal(a.profile->gate_gradient, b.profile->gate_gradient));
}

struct Ran {
  std::vector<CellResult> cells;
  SweepSummary summary;
};

/// The rows of each cell put together.
Ran run(const SweepPlan& plan, int threads) {
  Ran ran;
  RunOptions options;
  options.threads = threads;
  ran.summary = run_sweep(plan, expand_cells(plan), options, [&](const CellResult& row) {
    EXPECT_EQ(std::max(row.depths.size(), row.failures.size()), 1u);
    if (ran.cells.empty() || ran.cells.back().cell != row.cell) return ran.cells.push_back(row);
    CellResult& cell = ran.cells.back();
    cell.depths.insert(cell.depths.end(), row.depths.begin(), row.depths.end());
    cell.failures.insert(cell.failures.end(), row.failures.begin(), row.failures.end());
  });
  return ran;
}

/// Equal numbers, order and summaries for any number of threads: with many cells and with one.
TEST(LawSweep, ThreadsDoNotChangeNumbers) {
  SweepPlan many = plan_of({"residual", "depth-power", "rezero"}, {1, 4, 7}, {6, 33}, {1, 2, 3});
  SweepPlan single = plan_of({"fixed"}, {1, 3}, {100}, {5});
  for (SweepPlan* plan : {&many, &single}) {
    plan->analysis.profile = true;
    const Ran one = run(*plan, 1);
    for (int threads : {2, 3, 4}) {
      const Ran other = run(*plan, threads);
      ASSERT_EQ(other.cells.size(), one.cells.size());
      for (std::size_t i = 0; i < one.cells.size(); ++i) {
        EXPECT_EQ(other.cells[i].cell, i) << "cell order";
        ASSERT_EQ(other.cells[i].depths.size(), one.cells[i].depths.size());
        for (std::size_t d = 0; d < one.cells[i].depths.size(); ++d)
          expect_equal(one.cells[i].depths[d], other.cells[i].depths[d]);
      }
      ASSERT_EQ(other.summary.rows.size(), one.summary.rows.size());
      for (std::size_t r = 0; r < one.summary.rows.size(); ++r)
        for (std::size_t m = 0; m < metrics().size(); ++m) {
          EXPECT_EQ(other.summary.rows[r].metrics[m].mean, one.summary.rows[r].metrics[m].mean);
          EXPECT_EQ(other.summary.rows[r].metrics[m].standard_error,
                    one.summary.rows[r].metrics[m].standard_error);
        }
    }
  }
}

/// A depth is a prefix: it has the same numbers alone or among others.
TEST(LawSweep, DepthsDoNotDependOnTheirCompany) {
  SweepPlan all = plan_of({"residual", "depth-power"}, {1, 2, 3, 4, 5}, {9}, {4}), few = all;
  few.depths = {3, 5};
  all.analysis.profile = few.analysis.profile = true;
  const Ran a = run(all, 1), b = run(few, 1);
  expect_equal(a.cells[0].depths[2], b.cells[0].depths[0]);
  expect_equal(a.cells[0].depths[4], b.cells[0].depths[1]);
  expect_equal(a.cells[3].depths[0], b.cells[1].depths[0]);
}

/// The profile of a cell against its formulas.
TEST(RunCell, Profile) {
  SweepPlan plan = plan_of({"fixed:alpha=0.5"}, {4}, {8}, {4});
  plan.analysis.profile = true;
  const Ran ran = run(plan, 1);
  const Profile& profile = *ran.cells[0].depths[0].profile;
  std::size_t mean_square = 0;
  for (const Metric& metric : metrics()) {
    if (metric.name == "mean_square") break;
    ++mean_square;
  }
  const StackPtr stack = testing::stack({"fixed:alpha=0.5", "mlp", 8}, 4, 4);
  ASSERT_EQ(profile.forward_rms.size(), 5u);
  ASSERT_EQ(profile.gradient_square.size(), 5u);
  Vector x = stack->input();
  for (std::size_t l = 0; l < 4; ++l) {
    EXPECT_NEAR(*profile.forward_rms[l].to_real(), x.norm() / std::sqrt(8.0), 1e-13 * x.norm());
    const Vector next = stack->block(static_cast<Index>(l))->evaluate(x);
    EXPECT_NEAR(*profile.branch_norm[l].to_real(), (next - x).norm() / 0.5, 1e-13 * next.norm());
    x = next;
  }
  EXPECT_NEAR(*profile.forward_rms[4].to_real(), x.norm() / std::sqrt(8.0), 1e-13 * x.norm());
  EXPECT_NEAR(*profile.gradient_square[0].to_real(), *ran.cells[0].depths[0].metrics[mean_square],
              1e-13 * *profile.gradient_square[0].to_real());
  EXPECT_EQ(profile.gradient_square[4].to_real(), std::optional<Real>(1));
}

SweepPlan transformer_plan(const std::string& scheme, bool causal) {
  SweepPlan plan = plan_of({scheme}, {3}, {6}, {4});
  plan.family = &families().at("transformer");
  plan.tokens.tokens = 4, plan.hidden_ratio = 2;
  plan.tokens.attention.heads = plan.tokens.attention.kv_heads = 2;
  plan.tokens.attention.causal = causal;
  return plan;
}

DepthResult only_depth(const SweepPlan& plan) {
  const Ran ran = run(plan, 1);
  EXPECT_TRUE(ran.cells.at(0).failures.empty());
  return ran.cells.at(0).depths.at(0);
}

Matrix full_jacobian(const SweepPlan& plan) {
  const CellList cells = expand_cells(plan);
  const StackPtr stack = build_stack(*cells[0].spec, cells[0].labels.seed, cells[0].depths.back());
  return testing::plain(testing::last_step(*stack).jacobian);
}

/// --wrt and --of give blocks of the full J, and exact zeros above a causal diagonal.
TEST(RunSweep, OneTokensViewIsABlockOfTheJacobian) {
  for (const char* scheme : {"pre-ln", "post-ln", "ngpt"})
    for (bool causal : {false, true}) {
      SweepPlan plan = transformer_plan(scheme, causal);
      const Matrix J = full_jacobian(plan);
      for (Index of = -1; of < 4; ++of)
        for (Index wrt = -1; wrt < 4; ++wrt) {
          if (of >= 0)
            plan.analysis.view.of = of;
          else
            plan.analysis.view.of.reset();
          if (wrt >= 0)
            plan.analysis.view.wrt = wrt;
          else
            plan.analysis.view.wrt.reset();
          const DepthResult got = only_depth(plan);
          const Matrix rows = of < 0 ? J : J.middleRows(6 * of, 6);
          const Matrix block = wrt < 0 ? rows : Matrix(rows.middleCols(6 * wrt, 6));
          ASSERT_EQ(got.rows, block.rows());
          ASSERT_EQ(got.cols, block.cols());
          EXPECT_EQ(got.depth, 3);
          EXPECT_EQ(got.blocks, 6);
          EXPECT_EQ(got.identity_error.has_value(), got.rows == got.cols);
          if (of >= 0 && wrt > of && causal) {
            EXPECT_TRUE(got.frobenius_square->is_zero()) << scheme << of << wrt;
            continue;
          }
          EXPECT_NEAR(*got.frobenius_square->to_real(), block.squaredNorm(), 1e-12 * block.squaredNorm());
          ASSERT_EQ(static_cast<Index>(got.spectrum.sigma.size()), std::min(block.rows(), block.cols()));
          EXPECT_NE(got.spectrum.status, SpectrumStatus::breakdown);
        }
    }
}

/// Exact zeros that the last norm proves: the mean of each token for layer norm, its own direction for the L2
/// norm.
TEST(RunSweep, NullDirectionsOfTheLastNorm) {
  const struct {
    const char* scheme;
    bool final_norm;
    Index null;
  } table[] = {
      {"post-ln", false, 4}, {"post-ln:norm=rms", false, 0}, {"pre-ln", false, 0}, {"pre-ln", true, 4},
      {"ngpt", false, 4},    {"deepnorm", false, 4},         {"rezero", true, 4},  {"pre-rms", true, 0}};
  for (const auto& row : table) {
    SCOPED_TRACE(row.scheme);
    SweepPlan plan = transformer_plan(row.scheme, false);
    plan.analysis.final_norm = row.final_norm;
    EXPECT_EQ(only_depth(plan).spectrum.null_directions, row.null);
    plan.analysis.view.of = 1;
    EXPECT_EQ(only_depth(plan).spectrum.null_directions, row.null / 4) << "one token's rows";
    plan.analysis.view.wrt = 2, plan.analysis.view.of.reset();
    EXPECT_EQ(only_depth(plan).spectrum.null_directions, 0) << "24 rows, six values";
  }
}

/// Batch norm last: one per feature, which no single position's rows show; group norm: one per group and
/// sample.
TEST(RunSweep, NullDirectionsOfNormsOverPositions) {
  const struct {
    const char* kind;
    Index groups, samples, null, null_of_one;
  } table[] = {{"layer_norm", 1, 1, 5, 1},
               {"batch_norm", 1, 1, 6, 0},
               {"group_norm", 3, 1, 3, 0},
               {"group_norm", 2, 5, 10, 0},
               {"batch_norm_eval", 1, 1, 0, 0}};
  for (const auto& row : table) {
    SCOPED_TRACE(row.kind);
    BlockParts parts = testing::random_parts({"linear", "identity", {6, 5}});
    parts.post_norm = NormSpec::of(row.kind);
    parts.post_norm.samples = row.samples;
    if (parts.post_norm.kind->find("groups")) parts.post_norm.set("groups", static_cast<Real>(row.groups));
    const StackPtr stack = make_stack({parts}, testing::normal(30, 1));
    AnalysisOptions options;
    EXPECT_EQ(run_stack(stack, {1}, options).depths.at(0).spectrum.null_directions, row.null);
    options.view.of = 1;
    EXPECT_EQ(run_stack(stack, {1}, options).depths.at(0).spectrum.null_directions, row.null_of_one);
  }
}

/// The final norm acts on what each depth sees: J_seen = ∂N(x_L) J, with the scheme's own kind and ε.
TEST(RunSweep, FinalNormIsAppliedToWhatIsSeen) {
  for (const char* scheme : {"pre-ln", "pre-rms", "rezero:alpha=0.4", "residual"}) {
    SweepPlan plan = transformer_plan(scheme, false);
    plan.depths = {1, 3};
    plan.analysis.final_norm = true;
    const Ran ran = run(plan, 1);
    const CellList cells = expand_cells(plan);
    const StackPtr stack = build_stack(*cells[0].spec, cells[0].labels.seed, 3);
    const auto kept = testing::steps(*stack, Matrix::Identity(24, 24), {2, 6});
    const NormSpec norm =
        std::string(scheme) == "pre-rms" ? NormSpec::of("rms_norm", 1e-6) : NormSpec::of("layer_norm");
    for (std::size_t d : {0, 1}) {
      const Linearization at = norm.layer({6, 4})->linearize(testing::plain(kept[d].state));
      Matrix seen(24, 24);
      at.derivative->apply(testing::plain(kept[d].jacobian), seen);
      EXPECT_NEAR(*ran.cells[0].depths[d].frobenius_square->to_real(), seen.squaredNorm(),
                  1e-12 * seen.squaredNorm())
          << scheme;
    }
  }
}

/// glu has degree 2 and overflows: those depths fail by name; shallower ones and other cells are unaffected.
TEST(RunSweep, FailingCellsDoNotStopOthers) {
  for (int threads : {1, 3}) {
    SweepPlan plan = plan_of({"residual", "rezero"}, {2, 40}, {32}, {1, 2});
    plan.family = &families().at("glu");
    const Ran ran = run(plan, threads);
    ASSERT_EQ(ran.cells.size(), 4u);
    EXPECT_EQ(ran.summary.failures, 2);
    for (std::size_t i : {0, 1}) {
      ASSERT_EQ(ran.cells[i].depths.size(), 1u);
      EXPECT_EQ(ran.cells[i].depths[0].depth, 2);
      ASSERT_EQ(ran.cells[i].failures.size(), 1u);
      EXPECT_EQ(ran.cells[i].failures[0].depth, 40);
      EXPECT_EQ(ran.cells[i].failures[0].kind, "numerical");
      EXPECT_EQ(ran.cells[i].failures[0].message.find("block "), 0u);
    }
    for (std::size_t i : {2, 3}) EXPECT_EQ(ran.cells[i].depths.size(), 2u);
    EXPECT_EQ(ran.summary.rows.size(), 3u);
  }
}

TEST(RunSweep, StopsBetweenBlocks) {
  const SweepPlan plan = plan_of({"residual"}, {100000}, {8}, {1, 2});
  for (int threads : {1, 2}) {
    StopFlag stop{false};
    RunOptions options;
    options.threads = threads, options.stop = &stop;
    Index reached = 0;
    options.progress = [&](const SweepProgress& now) {
      EXPECT_EQ(now.cells, 2u);
      EXPECT_EQ(now.cells_done, 0u);
      EXPECT_NEAR(now.share * 200000, static_cast<Real>(++reached), 0.1) << "serial, one by one";
      if (reached == 50) stop = true;
    };
    EXPECT_THROW(run_sweep(plan, expand_cells(plan), options, [](const CellResult&) { ADD_FAILURE(); }),
                 Cancelled);
    EXPECT_LT(reached, 60);
  }
}

/// Never above 1, never back, and 1 at the end and only there, whatever the cells do.
TEST(RunSweep, ProgressEndsAtOne) {
  struct Case {
    const char *family, *method;
    Index tokens, top;
    bool profile;
    std::vector<Index> depths;
  };
  const std::vector<Case> cases = {{"mlp", "auto", 1, 0, false, {1, 2, 5}},
                                   {"transformer", "auto", 3, 0, true, {1, 4}},
                                   {"mlp", "spectra", 1, 2, false, {3}},
                                   {"mlp", "product", 1, 0, false, {2, 40}},
                                   {"glu", "auto", 1, 0, false, {1, 2, 40}}};  // depth 40 overflows
  for (const Case& c : cases)
    for (const int threads : {1, 3}) {
      SweepPlan plan = plan_of({"residual", "depth-power"}, c.depths, {8, 12}, {1, 2});
      plan.family = &families().at(c.family);
      plan.tokens.tokens = c.tokens;
      plan.analysis.method = c.method, plan.analysis.top = c.top, plan.analysis.profile = c.profile;
      const CellList cells = expand_cells(plan);
      std::vector<SweepProgress> seen;
      RunOptions options;
      options.threads = threads;
      options.progress = [&](const SweepProgress& now) { seen.push_back(now); };
      run_sweep(plan, cells, options, [](const CellResult&) {});
      ASSERT_FALSE(seen.empty());
      for (std::size_t i = 1; i < seen.size(); ++i) {
        EXPECT_GE(seen[i].share, seen[i - 1].share);
        EXPECT_GE(seen[i].cells_done, seen[i - 1].cells_done);
        EXPECT_EQ(seen[i].cells, cells.size());
        EXPECT_LE(seen[i].share, 1);
      }
      EXPECT_EQ(seen.back().share, 1);
      EXPECT_EQ(seen.back().cells_done, cells.size());
      EXPECT_LT(seen[seen.size() / 2].share, 0.95) << c.family << " " << c.method;
      // one call per block and depth at least, unless cells fail
      if (std::string(c.family) != "glu") {
        EXPECT_GE(seen.size(), cells.rows() + cells.size() * 2);
      }
    }
}

struct Place {
  std::size_t cell;
  Index depth;
  bool operator==(const Place& other) const { return cell == other.cell && depth == other.depth; }
};

Place place_of(const CellResult& row) {
  return {row.cell, row.depths.empty() ? row.failures.at(0).depth : row.depths[0].depth};
}

TEST(RunSweep, RowsLeaveInPlanOrderFailuresInTheirPlace) {
  SweepPlan plan = plan_of({"residual", "rezero"}, {1, 2, 40}, {32}, {1, 2, 3});
  plan.family = &families().at("glu");  // of degree 2: depth 40 overflows where nothing scales it down
  std::vector<Place> expected;
  for (std::size_t cell = 0; cell < 6; ++cell)
    for (const Index depth : plan.depths) expected.push_back({cell, depth});
  for (const int threads : {1, 2, 4}) {
    RunOptions options;
    options.threads = threads;
    std::vector<Place> places;
    run_sweep(plan, expand_cells(plan), options, [&](const CellResult& row) {
      places.push_back(place_of(row));
      EXPECT_EQ(row.failures.size(), row.cell < 3 && places.back().depth == 40 ? 1u : 0u);
    });
    EXPECT_TRUE(places == expected) << threads;
  }
}

/// The third depth takes longer than any test waits; the rows before it do not wait for it.
TEST(RunSweep, ARowLeavesBeforeItsStackIsDone) {
  const SweepPlan plan = plan_of({"residual"}, {1, 2, 100'000'000}, {8}, {1, 2});
  for (const int threads : {1, 2}) {
    StopFlag stop{false};
    RunOptions options;
    options.threads = threads, options.stop = &stop;
    std::vector<Place> places;
    const auto sink = [&](const CellResult& row) {
      places.push_back(place_of(row));
      stop = places.size() == 2;
    };
    EXPECT_THROW(run_sweep(plan, expand_cells(plan), options, sink), Cancelled);
    EXPECT_TRUE((places == std::vector<Place>{{0, 1}, {0, 2}}));
  }
}

TEST(RunSweep, AnExceptionOfTheSinkIsNoFailureOfTheCell) {
  const SweepPlan plan = plan_of({"residual"}, {1, 2, 3}, {4}, {1, 2});
  for (const int threads : {1, 2}) {
    RunOptions options;
    options.threads = threads;
    int calls = 0;
    const auto sink = [&](const CellResult& row) {
      EXPECT_TRUE(row.failures.empty());
      if (++calls == 2) throw IoError("disk full");
    };
    EXPECT_THROW(run_sweep(plan, expand_cells(plan), options, sink), IoError);
    EXPECT_EQ(calls, 2);
  }
}

TEST(RunSweep, AnExceptionOfTheSinkComesOut) {
  const SweepPlan plan = plan_of({"residual"}, {1}, {4}, {1, 2, 3, 4, 5, 6});
  for (int threads : {1, 2}) {
    RunOptions options;
    options.threads = threads;
    int calls = 0;
    EXPECT_THROW(run_sweep(plan, expand_cells(plan), options,
                           [&](const CellResult& r) {
                             ++calls;
                             if (r.cell == 2) throw IoError("disk full");
                           }),
                 IoError);
    EXPECT_EQ(calls, 3);
  }
}

TEST(EstimateCost, GrowsWithTheWork) {
  const SweepPlan small = plan_of({"residual"}, {1, 8}, {16}, {1}),
                  large = plan_of({"residual"}, {1, 8}, {64}, {1, 2});
  const CostEstimate a = estimate_cost(small, expand_cells(small)),
                     b = estimate_cost(large, expand_cells(large));
  EXPECT_EQ(a.cells, 1u);
  EXPECT_EQ(a.rows, 2u);
  EXPECT_EQ(b.cells, 2u);
  EXPECT_GT(b.flops, 2 * 64 * a.flops * 0.9);
  EXPECT_GE(a.bytes_per_cell, 6 * 16 * 16 * 8);
  EXPECT_EQ(b.bytes(2), 2 * b.bytes_per_cell + b.shared_bytes);
}

/// The metrics of each row wait for the summary.
TEST(EstimateCost, CountsWhatIsKeptOfRows) {
  std::vector<std::uint64_t> seeds(1000);
  for (std::size_t i = 0; i < seeds.size(); ++i) seeds[i] = i;
  const SweepPlan one = plan_of({"residual"}, {1, 8}, {16}, {1}),
                  many = plan_of({"residual"}, {1, 8}, {16}, seeds);
  const CostEstimate a = estimate_cost(one, expand_cells(one)), b = estimate_cost(many, expand_cells(many));
  EXPECT_EQ(b.cells, 1000u);
  EXPECT_EQ(b.rows, 2000u);
  EXPECT_EQ(b.bytes_per_cell, a.bytes_per_cell);
  EXPECT_DOUBLE_EQ(b.flops, 1000 * a.flops);
  EXPECT_GE(b.shared_bytes - a.shared_bytes, 1998.0 * static_cast<Real>(metrics().size() * sizeof(Real)));
}

/// Two linear stacks of two blocks with 8 features, at three inputs.
SweepPlan plan_of_checkpoints() {
  SweepPlan plan;
  plan.depths = {1, 2};
  plan.stack.emplace();
  const SampleList samples{std::make_shared<const Vector>(testing::normal(24, 5)), 3};
  for (const char* name : {"a", "b"}) {
    const BlockParts parts = testing::random_parts({"dense", "tanh", {8, 1}});
    plan.stack->files.push_back({{name, ""}, make_stack({parts, parts}, samples[0]), samples});
  }
  return plan;
}

TEST(ExpandCells, CheckpointsAndSamplesAreAxes) {
  const SweepPlan plan = plan_of_checkpoints();
  const CellList cells = expand_cells(plan);
  ASSERT_EQ(cells.size(), 6u);
  EXPECT_EQ(cells.kinds(), 2u);
  EXPECT_EQ(cells.cells_per_kind(), 3u);
  EXPECT_EQ(cells.rows(), 12u);
  for (std::size_t i = 0; i < 6; ++i) {
    const Cell cell = cells[i];
    EXPECT_EQ(cell.index, i);
    EXPECT_EQ(cell.labels.stack, i < 3 ? "a" : "b");
    EXPECT_EQ(cell.labels.checkpoint, static_cast<Index>(i / 3));
    EXPECT_EQ(cell.labels.sample, static_cast<Index>(i % 3));
    EXPECT_EQ(cell.stack->input(), (*plan.stack->first().samples)[static_cast<Index>(i % 3)]);
    EXPECT_EQ(cell.depths.size(), 2u);
  }
  std::vector<std::size_t> firsts;
  cells.for_each_kind([&](const CellKind& kind) { firsts.push_back(kind.first_cell); });
  EXPECT_EQ(firsts, (std::vector<std::size_t>{0, 3}));
}

TEST(RunSweep, SamplesAreSummedUpAndCheckpointsAreNot) {
  const SweepPlan plan = plan_of_checkpoints();
  std::vector<CellResult> rows;
  const SweepSummary summary =
      run_sweep(plan, expand_cells(plan), {}, [&](const CellResult& row) { rows.push_back(row); });
  ASSERT_EQ(summary.rows.size(), 4u);
  for (const SummaryRow& row : summary.rows) {
    EXPECT_FALSE(row.labels.sample);
    EXPECT_EQ(row.metrics[0].count, 3);
    EXPECT_GT(*row.metrics[0].standard_error, 0);
  }
  EXPECT_EQ(summary.rows[1].depth, 2);
  EXPECT_EQ(summary.rows[2].labels.checkpoint, 1);
}

TEST(EstimateCost, CountsCheckpointsAndSamples) {
  const SweepPlan plan = plan_of_checkpoints();
  const CostEstimate all = estimate_cost(plan, expand_cells(plan));
  SweepPlan one = plan;
  one.stack->files.pop_back();
  one.stack->files[0].samples.reset();
  const CostEstimate single = estimate_cost(one, expand_cells(one));
  EXPECT_EQ(all.cells, 6u);
  EXPECT_DOUBLE_EQ(all.flops, 6 * single.flops);
  EXPECT_EQ(all.bytes_per_cell, single.bytes_per_cell);
  EXPECT_GE(all.shared_bytes - single.shared_bytes, 2 * 8 * 8 * 8 + 24 * 8);
}

TEST(EstimateCost, CountsALoadedStack) {
  SweepPlan plan;
  plan.depths = {1};
  const BlockParts parts = testing::random_parts({"linear", "identity", {32, 1}});
  plan.stack.emplace();
  plan.stack->files.push_back({{}, make_stack({parts, parts}, testing::normal(32, 1))});
  const CostEstimate cost = estimate_cost(plan, expand_cells(plan));
  EXPECT_GE(cost.shared_bytes, 2 * 32 * 32 * 8);
  EXPECT_EQ(cost.bytes(1), cost.bytes_per_cell + cost.shared_bytes);
  plan.stack->reading_bytes = 1e9;
  EXPECT_EQ(estimate_cost(plan, expand_cells(plan)).bytes(1), 1e9) << "the most that was in memory at once";
}

}  // namespace
}  // namespace rezero
