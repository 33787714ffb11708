/// Drawing and writing a stack file ignored the signal that asks to stop.

#include <gtest/gtest.h>

#include "io/io_support.h"
#include "rezero/io/stack_file.h"
#include "support/stacks.h"

namespace rezero {
namespace {

TEST(Regression, ExportCouldNotBeStopped) {
  const StackPtr stack = build_stack(testing::stack_spec({"residual", "mlp", 4, "relu"}), 1, 5);
  const TemporaryFolder folder;
  int calls = 0;
  write_stack_file(*stack, folder / "whole", {}, [&calls] { ++calls; });
  EXPECT_GE(calls, 5 + 5 + 1 + 2 * 5);  // blocks described and written, the input, two weights per block
  for (int allowed = 0; allowed < calls; ++allowed) {
    int left = allowed;
    const auto stop = [&left] {
      if (left-- == 0) throw Cancelled();
    };
    EXPECT_THROW(write_stack_file(*stack, folder / "cut", {}, stop), Cancelled) << allowed;
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / ""), {}), 1);
}

}  // namespace
}  // namespace rezero
