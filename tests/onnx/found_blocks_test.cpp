/// Roles of the weights of reference models, and those models against recipes.

#include "rezero/onnx/found_blocks.h"

#include <gtest/gtest.h>

#include "onnx/reference.h"
#include "rezero/analysis/recipe.h"
#include "rezero/core/error.h"

namespace rezero {
namespace {

using Names = std::map<Role, std::string>;

std::vector<FoundBlock> blocks_of(const std::string& name) {
  return onnx::found_blocks(*rezero::testing::onnx_stack(rezero::testing::onnx_json(name + ".json")));
}

CheckResult verdict(const std::string& scheme, const std::string& init, std::vector<FoundBlock> blocks) {
  const auto count = static_cast<Index>(blocks.size());
  return check_recipe({SchemeSpec(scheme), Initializer(init), std::move(blocks)}, count);
}

TEST(FoundBlocks, NameTheWeightsByRole) {
  const std::vector<FoundBlock> separate = blocks_of("deepnorm"), fused = blocks_of("gpt2");
  EXPECT_EQ(separate[0].weights, (Names{{Role::query, "/layers.0/branch/q/MatMul"},
                                        {Role::key, "/layers.0/branch/k/MatMul"},
                                        {Role::value, "/layers.0/branch/v/MatMul"},
                                        {Role::output, "/layers.0/branch/proj/MatMul"}}));
  EXPECT_EQ(separate[1].weights,
            (Names{{Role::up, "/layers.1/branch/fc1/MatMul"}, {Role::down, "/layers.1/branch/fc2/MatMul"}}));
  EXPECT_EQ(fused[0].weights.at(Role::value), "/h.0/attn/in_proj/MatMul (value)");
  EXPECT_EQ(fused[0].parts->weights.at(Role::value).weight->rows(), 8);
}

/// Both were exported with the weights of torch.nn.Linear.
TEST(FoundBlocks, ExportedModelsFollowTheirInitializer) {
  for (const std::string name : {"deepnorm", "gpt2"}) {
    EXPECT_TRUE(verdict("residual", "torch-default", blocks_of(name)).pass) << name;
    EXPECT_FALSE(verdict("residual", "normal", blocks_of(name)).pass) << name;
    EXPECT_FALSE(verdict("deepnorm", "torch-default", blocks_of(name)).pass) << name;
    std::vector<FoundBlock> scaled = blocks_of(name);
    WeightPair& up = scaled[1].parts->weights.at(Role::up);
    up.weight = std::make_shared<Matrix>(*up.weight * 1.3);
    const CheckResult check = verdict("residual", "torch-default", scaled);
    ASSERT_EQ(check.culprit_count, 1) << name;
    EXPECT_EQ(check.culprits[0].parameter, scaled[1].weights.at(Role::up));
  }
}

TEST(FoundBlocks, GatesHaveTheirNames) {
  const CheckResult check = verdict("rezero", "torch-default", blocks_of("activations"));
  EXPECT_EQ(check.culprits[0].parameter, "layers.0.resweight");
}

/// What has no role is listed, and blocks of no known form are not judged.
TEST(FoundBlocks, NothingIsGuessed) {
  EXPECT_EQ(blocks_of("gpt2")[0].unmatched, std::vector<std::string>{"/Add"});
  const std::vector<FoundBlock> convolutions = blocks_of("groupnorm_resnet");
  EXPECT_FALSE(convolutions[0].parts);
  EXPECT_EQ(convolutions[0].unmatched,
            (std::vector<std::string>{"layers.0.branch.conv1.weight", "layers.0.branch.conv2.weight"}));
  EXPECT_THROW(verdict("residual", "torch-default", convolutions), UsageError);
}

}  // namespace
}  // namespace rezero
