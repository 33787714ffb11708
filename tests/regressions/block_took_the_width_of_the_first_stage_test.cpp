/// Schemes with one number per feature made as many as the first stage has channels: layerscale, ngpt and
/// admin ended in an internal error at the second stage, layernorm-scaling at its second block.

#include <gtest/gtest.h>

#include "rezero/core/error.h"
#include "support/stacks.h"

namespace rezero {
namespace {

StackSpec three_stages(const Scheme& scheme) {
  testing::StackText text{std::string(scheme.name), "conv", 3};
  text.conv.image = {5, 4, 2};
  text.conv.stages = {1, 2, 2}, text.conv.widths = {3, 4, 6};
  return testing::stack_spec(text);
}

bool fits(const StackSpec& spec) {
  try {
    require_fit(spec, 5);
  } catch (const UsageError&) {
    return false;
  }
  return true;
}

TEST(Regression, BlockTookTheWidthOfTheFirstStage) {
  Index built = 0;
  for (const Scheme& scheme : schemes()) {
    SCOPED_TRACE(scheme.name);
    const StackSpec spec = three_stages(scheme);
    if (!fits(spec)) continue;
    const StackPtr net = build_stack(spec, 3, 5);
    Vector x = net->input();
    for (Index l = 0; l < 5; ++l) {
      SCOPED_TRACE(l);
      ASSERT_NO_THROW(x = net->block(l)->linearize(x).value);
      EXPECT_TRUE(x.allFinite());
    }
    ++built;
  }
  EXPECT_GE(built, 34);
}

TEST(Regression, ScalesPerFeatureAreOfTheBlocksOwnWidth) {
  const Index outputs[] = {3, 4, 4, 6, 6}, inputs[] = {3, 3, 4, 4, 6};
  const auto block = [](const char* scheme, Index l) {
    return build_stack(three_stages(schemes().at(scheme)), 3, 5)->block(l);
  };
  for (Index l = 0; l < 5; ++l) {
    EXPECT_EQ(block("layerscale", l)->parts().branch_scale.values.size(), outputs[l]);
    EXPECT_EQ(block("ngpt", l)->parts().branch_scale.values.size(), outputs[l]);
    EXPECT_EQ(block("admin", l)->parts().skip_scale.values.size(), outputs[l]);
    EXPECT_EQ(block("layernorm-scaling", l)->parts().pre_norm.weight->size(), inputs[l]);
  }
}

}  // namespace
}  // namespace rezero
