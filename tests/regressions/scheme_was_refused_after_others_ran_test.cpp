/// A scheme that does not fit its family was found only at its turn: the dry run passed, then the run exited
/// with 2 in the middle of a report.

#include <gtest/gtest.h>

#include <limits>

#include "rezero/config/resolve.h"
#include "rezero/core/error.h"
#include "support/stacks.h"

namespace rezero {
namespace {

std::string refusal(const PlanOptions& options, PlanUse use = PlanUse::analysis) {
  try {
    ResolveContext context;
    context.use = use;
    resolve_plan(options, context);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

/// The error from building all blocks of a stack.
std::string refusal(const StackSpec& spec, Index depth) {
  try {
    const StackPtr stack = build_stack(spec, 0, depth);
    for (Index l = 0; l < stack->blocks(); ++l) stack->block(l);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Regression, SchemeWasRefusedAfterOthersRan) {
  Index refused = 0;
  for (const Family& family : families())
    for (const Scheme& scheme : schemes()) {
      SCOPED_TRACE(std::string(family.name) + " " + std::string(scheme.name));
      PlanOptions options;
      options.family = std::string(family.name);
      options.scheme = {"residual", std::string(scheme.name)};
      options.depth = {2, 3}, options.width = {4};
      testing::StackText text{std::string(scheme.name), std::string(family.name), 4};
      text.conv.image = {2, 2, 1};
      const std::string expected = refusal(testing::stack_spec(text), 3);
      EXPECT_EQ(refusal(options), expected);
      EXPECT_EQ(refusal(options, PlanUse::verify), expected);
      refused += expected.empty() ? 0 : 1;
    }
  EXPECT_GT(refused, 10);
}

/// Including reasons that depend on other options of the cell.
TEST(Regression, SchemeWasRefusedForTheOptionsOfItsCell) {
  PlanOptions options;
  options.family = "conv", options.norm = "batch_norm", options.order = "pre";
  options.scheme = {"residual", "zero-gamma"};
  EXPECT_NE(refusal(options).find("needs a norm at the end"), std::string::npos);
  options = {};
  options.family = "conv", options.scheme = {"nf-resnet:gains=published"};
  options.activation = {"relu"};
  EXPECT_EQ(refusal(options), "");
  options.activation = {"relu", "softplus"};
  EXPECT_NE(refusal(options).find("no gain for activation 'softplus'"), std::string::npos);
}

/// A list whose length differs from the depth; the cost of the test does not depend on the depth.
TEST(Regression, SchemeWasRefusedForItsDepth) {
  StackSpec spec = testing::stack_spec({"rezero:alphas=a.json"});
  for (ParamValue& value : spec.scheme.params().values()) value.series = {0, 0.5, 1};
  EXPECT_NO_THROW(require_fit(spec, 3));
  EXPECT_THROW(require_fit(spec, 4), UsageError);
  EXPECT_THROW(build_stack(spec, 0, 4), UsageError);
  for (const Scheme& scheme : schemes()) {
    if (scheme.needs_convolutions) continue;
    const StackSpec deep = testing::stack_spec({std::string(scheme.name)});
    EXPECT_NO_THROW(require_fit(deep, std::numeric_limits<std::uint32_t>::max())) << scheme.name;
  }
}

}  // namespace
}  // namespace rezero
