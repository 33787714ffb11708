/// mix-ln:ratio=0.29 at 100 layers made 28 post-norm: 0.29 · 100 rounds to 28.999…96.

#include <gtest/gtest.h>

#include "support/stacks.h"

namespace rezero {
namespace {

TEST(Regression, MixLnLostALayerToRounding) {
  testing::StackText text;
  text.scheme = "mix-ln:ratio=0.29", text.width = 4;
  const StackPtr stack = testing::stack(text, 1, 100);
  EXPECT_TRUE(stack->block(28)->parts().post_norm);
  EXPECT_FALSE(stack->block(29)->parts().post_norm);
}

}  // namespace
}  // namespace rezero
