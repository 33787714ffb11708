/// One row in the table of plan options is all that an option needs to be known everywhere.

#include "cli/cli_support.h"
#include "cli/stack_options.h"
#include "rezero/config/resolve.h"

namespace rezero {
namespace {

using namespace detail;

/// A table with a single option that the program does not have, over the member of another.
const OptionTable& stencils() {
  static const OptionTable table = {{"Stencils",
                                     {PlanOption{"stencil-size", &PlanOptions::kernel, "size of the stencil"}
                                          .named("S")
                                          .by_default("5")
                                          .unless([](const Family& family) -> std::string {
                                            return family.name == "mlp" ? "it has no stencil" : "";
                                          })}}};
  return table;
}

PlanOptions with_stencil(Index size) {
  PlanOptions options;
  options.kernel = size;
  return options;
}

template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(CliPlanOptions, ARowIsInHelpAndOnTheCommandLine) {
  cli::CommandLine line("usage", "");
  cli::add_plan_options(line, OptionUse::analysis, stencils());
  EXPECT_TRUE(contains(line.help(),
                       "\nStencils:\n      --stencil-size S            "
                       "  size of the stencil [5]\n"))
      << line.help();
  const auto parsed = line.parse({"--stencil-size", "7"});
  EXPECT_EQ(cli::written_options(*parsed, stencils()).kernel, 7);
  const std::string why = refusal([&] {
    cli::written_options(*line.parse({"--stencil-size", "seven"}), stencils());
  });
  EXPECT_TRUE(contains(why, "--stencil-size")) << why;
}

TEST(CliPlanOptions, ARowIsMerged) {
  EXPECT_EQ(merge(with_stencil(3), {}, stencils()).kernel, 3);
  EXPECT_EQ(merge(with_stencil(3), with_stencil(7), stencils()).kernel, 7);
}

TEST(CliPlanOptions, ARowIsInPlansAndTheirSchema) {
  EXPECT_EQ(Json::parse(plan_options_json(with_stencil(7), -1, stencils()))["stencil_size"], 7);
  EXPECT_EQ(plan_options_from_json(R"({"stencil_size": 7})", "p", stencils()).kernel, 7);
  EXPECT_THROW(plan_options_from_json(R"({"stencil_size": "seven"})", "p", stencils()), IoError);
  EXPECT_THROW(plan_options_from_json(R"({"kernel": 7})", "p", stencils()), IoError);
  EXPECT_EQ(plan_schema_properties(stencils()), R"("stencil_size": {"$ref": "#/$defs/size"})");
}

TEST(CliPlanOptions, ARowContradictsStackFilesAndFamilies) {
  EXPECT_NO_THROW(refuse_contradictions(with_stencil(7), stencils()));
  for (const auto& [name, source] :
       {std::pair("--stack", &PlanOptions::stack), std::pair("--checkpoint", &PlanOptions::checkpoint)}) {
    PlanOptions both = with_stencil(7);
    both.*source = std::vector<std::string>{"x"};
    const std::string beside = refusal([&] { refuse_contradictions(both, stencils()); });
    EXPECT_TRUE(contains(beside, "--stencil-size and " + std::string(name) + " contradict each other"))
        << beside;
  }
  const std::string misfit =
      refusal([] { refuse_misfits(with_stencil(7), families().at("mlp"), stencils()); });
  EXPECT_EQ(misfit, "--stencil-size contradicts --family mlp (it has no stencil)");
  EXPECT_NO_THROW(refuse_misfits(with_stencil(7), families().at("conv"), stencils()));
  EXPECT_NO_THROW(refuse_misfits({}, families().at("mlp"), stencils()));
}

/// Every option that may stand in a plan, with its default: what the table says is what resolving does.
TEST(CliPlanOptions, DefaultsOfTheTableAreThoseOfPlans) {
  for (const Family& family : families()) {
    const Ran bare = ran({"--family", std::string(family.name), "--dump-plan"});
    ASSERT_EQ(bare.code, 0) << bare.err;
    for_each_option(option_table(), [&](const PlanOption& option) {
      if (!option.used_in(OptionUse::analysis) || (option.misfit && !option.misfit(family).empty())) return;
      if (option.name == "family" || (option.standard.empty() && !option.standard_of)) return;
      if (option.name == "cotangent") return;  // needs a profile
      const std::string text = option.standard_of ? option.standard_of(family) : std::string(option.standard);
      const Ran written = ran({"--family", std::string(family.name), option.shown(), text, "--dump-plan"});
      EXPECT_EQ(written.out, bare.out) << option.name << written.err;
    });
  }
}

TEST(CliPlanOptions, NoTwoRowsShareANameOrAMember) {
  std::vector<const PlanOption*> seen;
  for_each_option(option_table(), [&](const PlanOption& option) {
    for (const PlanOption* other : seen) {
      EXPECT_NE(option.name, other->name);
      EXPECT_FALSE(option.member == other->member) << option.name << " " << other->name;
    }
    seen.push_back(&option);
  });
}

}  // namespace
}  // namespace rezero
