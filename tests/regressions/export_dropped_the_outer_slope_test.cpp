/// A stack file contained the activation after the sum but not its slope, so leaky_relu:slope=0.3 was read
/// back as leaky_relu.

#include <gtest/gtest.h>

#include "io/io_support.h"
#include "rezero/io/stack_file.h"
#include "support/stacks.h"

namespace rezero {
namespace {

TEST(Regression, ExportDroppedTheOuterSlope) {
  StackSpec spec = testing::stack_spec({"residual", "conv", 4, "leaky_relu:slope=0.3"});
  spec.conv.image = {2, 2, 1};
  spec.conv.outer_activation = true;
  const TemporaryFolder folder;
  const std::string path = folder / "x.safetensors";
  write_stack_file(*build_stack(spec, 1, 2), path, {});
  const StackPtr back = parse_stack_file(slurp(path), path);
  EXPECT_EQ(back->block(0)->parts().post_activation->canonical(), "leaky_relu:slope=0.3");
  EXPECT_EQ(back->block(0)->parts().activation.canonical(), "leaky_relu:slope=0.3");
}

}  // namespace
}  // namespace rezero
