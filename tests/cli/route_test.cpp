/// How a spectrum is computed is decided by the plan: neither threads nor memory that the plan does not name
/// show in a report, and --dry-run says what a run then does.

#include <cmath>
#include <regex>

#include "cli/cli_support.h"
#include "rezero/analysis/estimate.h"
#include "rezero/config/resolve.h"

namespace rezero {
namespace {

struct Case {
  PlanUse use;
  std::string typed;
};

const std::vector<Case>& cases() {
  constexpr PlanUse analysis = PlanUse::analysis, verify = PlanUse::verify;
  static const std::vector<Case> all = {
      {analysis, "--depth 1,4 --width 8 --seed 0:2"},
      {analysis, "--scheme plain --depth 12 --width 24 --seed 0:2 --values none"},
      {analysis, "--scheme plain,residual --family linear --depth 2,9 --width 16"},
      {analysis,
       "--scheme rezero:alpha=0.3 --family dense --activation tanh --depth 3 --width 12 --seed 0:3"},
      {analysis, "--scheme depth-power --family preactivation --depth 2,5 --width 10 --seed 4,5"},
      {analysis,
       "--scheme fixed:alpha=0.5 --family glu --activation silu --hidden-ratio 1.5 --depth 4 --width 6"},
      {analysis, "--scheme residual --family attention --tokens 5 --width 8 --heads 2 --depth 2"},
      {analysis,
       "--scheme pre-ln --family transformer --tokens 6 --width 8 --heads 2 --depth 2 --causal --rope"},
      {analysis, "--scheme post-ln --family transformer --tokens 4 --width 8 --depth 3 --seed 0:1"},
      {analysis, "--scheme pre-ln --family transformer --tokens 6 --width 8 --depth 2 --final-norm"},
      {analysis, "--scheme pre-ln --family transformer --tokens 6 --width 8 --depth 1,2 --wrt token:1"},
      {analysis,
       "--scheme pre-ln --family transformer --tokens 6 --width 8 --depth 1,2 --of token:5 --final-norm"},
      {analysis,
       "--scheme post-ln --family glu-transformer --tokens 5 --width 8 --depth 2 --wrt token:0 --of token:3"},
      {analysis, "--scheme residual --family conv --image 4x4 --width 4 --depth 3"},
      {analysis,
       "--scheme rezero-resnet --family conv --image 8x8 --stages 2,2 --widths 4,8 --depth 4 --seed 0:1"},
      {analysis,
       "--scheme residual --family conv --bottleneck --image 4x4 --batch 2 --norm batch_norm --width 8 "
       "--depth 2"},
      {analysis, "--scheme plain,depth-power --depth 6 --width 32 --top 3 --seed 0:1"},
      {analysis, "--scheme residual --depth 3 --width 32 --bottom 2 --seed 0:1"},
      {analysis, "--scheme depth-power --depth 2,4 --width 40 --top 2 --bottom 2 --seed 0:3"},
      {analysis, "--scheme residual --depth 2,4 --width 40 --method spectra --top 3 --seed 0:3"},
      {analysis,
       "--scheme pre-ln --family transformer --tokens 6 --width 8 --depth 2 --method spectra --top 2 "
       "--final-norm --of token:2"},
      {analysis, "--scheme rezero --depth 4 --width 40 --method spectra --top 1 --bottom 1"},
      {analysis, "--scheme residual --depth 3 --width 32 --method density --seed 0:1"},
      {analysis,
       "--scheme pre-ln --family transformer --tokens 6 --width 8 --depth 2 --method density --final-norm"},
      {analysis, "--scheme plain --depth 20 --width 16 --method product --seed 0:1"},
      {analysis,
       "--scheme post-ln --family transformer --tokens 3 --width 6 --depth 4 --method product --final-norm "
       "--wrt token:1"},
      {analysis, "--scheme plain,residual --depth 5 --width 16 --method dense --profile --cotangent ones"},
      {analysis, "--scheme admin --family mlp --depth 3 --width 16 --method bdcsvd --profile"},
      {analysis,
       "--scheme branchnorm --family transformer --tokens 4 --width 8 --depth 2 --method jacobi --profile"},
      {verify, "--scheme rezero,plain --depth 5 --width 12 --check identity,isometry,alive --seed 0:1"},
      {verify, "--scheme rezero-resnet --family conv --image 8x8 --stages 2,2 --widths 4,8"},
      {verify, "--scheme residual --family glu --depth 30 --width 12 --check isometry --method product"},
  };
  return all;
}

Args arguments(const Case& c, const Args& more) {
  Args args;
  if (c.use == PlanUse::verify) args.push_back("verify");
  std::istringstream words(c.typed);
  for (std::string word; words >> word;) args.push_back(word);
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

SweepPlan plan_of(const Case& c, const Args& more = {}) {
  ResolveContext context;
  context.use = c.use;
  Args args = arguments(c, more);
  args.push_back("--dump-plan");
  return resolve_plan(plan_options_from_json(ran(args).out, "dumped"), context);
}

/// All that does not tell about the run itself; a notice may tell how long another run would take.
std::string bytes_of(const Ran& got) {
  static const std::regex duration(R"(about [^)]*)");
  return std::to_string(got.code) + std::regex_replace(got.err, duration, "") +
         got.out.substr(0, got.out.find("\"run\": "));
}

void expect_equal_bytes(const Case& c, const Args& limit) {
  const auto with = [&](const char* threads) {
    Args more = limit;
    more.insert(more.end(), {"--threads", threads, "--format", "json"});
    return bytes_of(ran(arguments(c, more)));
  };
  const std::string one = with("1");
  for (const char* threads : {"2", "3", "8"})
    EXPECT_TRUE(with(threads) == one)
        << c.typed << (limit.empty() ? "" : " --max-memory " + limit[1]) << " with " << threads << " threads";
}

/// Limits that let the largest cell take the route that it would take without one, or another, or none; and
/// that let some cells go side by side, but not all.
TEST(LawRoute, ThreadsDoNotShow) {
  for (const Case& c : cases()) {
    expect_equal_bytes(c, {});
    const SweepPlan plan = plan_of(c);
    const Real bytes = estimate_cost(plan, expand_cells(plan)).bytes(1);
    for (const Real limit : {std::ceil(bytes), std::floor(bytes) - 1, std::ceil(2.5 * bytes)})
      expect_equal_bytes(c, {"--max-memory", std::to_string(static_cast<long long>(limit))});
  }
}

/// Two cells, of which one alone has room for factors: the answers used to depend on the number of threads.
TEST(LawRoute, LittleMemoryAndManyThreads) {
  expect_equal_bytes({PlanUse::analysis, "--scheme plain --depth 24 --width 96 --seed 0:1 --values none"},
                     {"--max-memory", "42M"});
}

/// Whether a row tells what only a formed J can.
bool has_entries(const Json& row) {
  if (row.contains("density")) return row["density"]["probes"] == 0;
  return !row["metrics"]["mean_square"].is_null();
}

/// `method   spectra by products, n = 640, …`
void expect_as_announced(const Case& c, const Args& limit) {
  Args dry = limit;
  dry.push_back("--dry-run");
  const std::string said = ran(arguments(c, dry)).out;
  const Ran got = ran(arguments(c, limit));
  if (got.code == 5) return;
  const SweepPlan plan = plan_of(c, limit);
  const CellList cells = expand_cells(plan);
  const Json rows = got.json()["results"];
  for (std::size_t i = 0, row = 0; i < cells.size(); ++i) {
    const Cell cell = cells[i];
    const bool formed = cell.route.form == JacobianForm::dense;
    const std::string way = "method   " + cell.route.method + (formed ? " on J formed" : " by products");
    EXPECT_TRUE(contains(said, way)) << c.typed << ": " << way << "\n" << said;
    for (std::size_t d = 0; d < cell.depths.size(); ++d, ++row) {
      const Json& spectrum = rows[row]["spectrum"];
      Json methods = Json::array({spectrum["method"]});
      for (const Json& fallback : spectrum["fallbacks"]) methods.push_back(fallback["method"]);
      const bool turned = spectrum["method"] == "product" && plan.analysis.method == "auto";
      const bool structure = spectrum["method"] == "permuted-diagonal";
      EXPECT_TRUE(turned || structure || std::count(methods.begin(), methods.end(), cell.route.method) > 0)
          << c.typed << ": " << spectrum.dump();
      EXPECT_EQ(has_entries(rows[row]), formed) << c.typed;
      EXPECT_TRUE(!turned || !cell.route.factors_missing(d)) << c.typed;
    }
  }
}

TEST(CliRoute, ARunDoesWhatADryRunSays) {
  for (const Case& c : cases()) {
    if (c.use == PlanUse::verify) continue;
    const SweepPlan plan = plan_of(c);
    expect_as_announced(c, {});
    const Real bytes = estimate_cost(plan, expand_cells(plan)).bytes(1);
    expect_as_announced(c, {"--max-memory", std::to_string(static_cast<long long>(bytes) - 1)});
  }
}

TEST(CliRoute, AMemoryLimitBelongsToThePlan) {
  const Args small = {"--scheme", "plain", "--depth", "2", "--width", "8"};
  const auto with = [&](const Args& more) {
    Args args = small;
    args.insert(args.end(), more.begin(), more.end());
    return ran(args);
  };
  EXPECT_FALSE(with({}).json()["plan"].contains("max_memory"))
      << "the machine's memory is none of the plan's";
  const Ran limited = with({"--max-memory", "50M"});
  EXPECT_EQ(limited.json()["plan"]["max_memory"], 50e6);
  const TemporaryFolder folder;
  spill(folder / "report.json", limited.out);
  EXPECT_EQ(ran({"--config", folder / "report.json"}).json()["plan"], limited.json()["plan"]);
  EXPECT_EQ(ran({"--config", folder / "report.json", "--max-memory", "1Gi"}).json()["plan"]["max_memory"],
            1073741824.0);
  spill(folder / "plan.json", "{\"scheme\": \"plain\", \"depth\": 1, \"width\": 8, \"max_memory\": \"1k\"}");
  EXPECT_EQ(ran({"--config", folder / "plan.json"}).code, 5);
  spill(folder / "plan.json", "{\"scheme\": \"plain\", \"max_memory\": 0}");
  EXPECT_TRUE(
      contains(refused({"--config", folder / "plan.json"}, 3), "max_memory: expected a positive number"));
}

/// Few routes have a line each; more than a screen holds are one line per method, whose cells add up.
TEST(DryRun, ItsLengthDoesNotDependOnTheNumberOfRoutes) {
  const auto lines_of = [](const std::string& widths, const std::string& more) {
    const Ran got = ran({"--scheme", "rezero", "--width", widths, "--depth", "2", "--max-memory", "1T", more,
                         "--dry-run", "--threads", "1"});
    EXPECT_EQ(got.code, 0) << got.err;
    std::vector<std::string> lines;
    std::istringstream text(got.out);
    for (std::string line; std::getline(text, line);)
      if (line.rfind("method", 0) == 0) lines.push_back(line);
    return lines;
  };
  const auto few = lines_of("1:16", "--tied");
  ASSERT_EQ(few.size(), 16u);
  EXPECT_TRUE(contains(few[2], "n = 3, ")) << few[2];
  const auto many = lines_of("1:2000", "--tied");
  ASSERT_EQ(many.size(), 1u);
  EXPECT_TRUE(contains(many[0], "dense on J formed, n = 1 to 2000, 7.5 MB to ")) << many[0];
  EXPECT_TRUE(contains(many[0], ": 2000 cells")) << many[0];
  const auto two = lines_of("1:2000", "--top=1");
  ASSERT_EQ(two.size(), 2u);
  EXPECT_TRUE(contains(two[0], "dense on J formed, n = 1 to 1590, ")) << two[0];
  EXPECT_TRUE(contains(two[0], ": 1590 cells")) << two[0];
  EXPECT_TRUE(contains(two[1], "spectra by products, n = 1591 to 2000, ")) << two[1];
  EXPECT_TRUE(contains(two[1], ": 410 cells")) << two[1];
}

}  // namespace
}  // namespace rezero
