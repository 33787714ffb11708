/// Reading a stack file took ten times its size without regard to --max-memory.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "rezero/config/resolve.h"
#include "rezero/core/error.h"
#include "rezero/io/safetensors.h"
#include "rezero/io/stack_file.h"
#include "support/stacks.h"

namespace rezero {
namespace {

constexpr Index width = 64, blocks = 6;
constexpr Real doubles = 8.0 * blocks * width * width;

class ReadingTookMemoryThatNobodyCounted : public ::testing::Test {
 protected:
  ReadingTookMemoryThatNobodyCounted() {
    std::string name = (std::filesystem::temp_directory_path() / "rezero-XXXXXX").string();
    path_ = ::mkdtemp(name.data()), file_ = (path_ / "x.safetensors").string();
    write_stack_file(*testing_stack(), file_, {});
    std::ifstream in(file_, std::ios::binary);
    bytes_ = {std::istreambuf_iterator<char>(in), {}};
  }
  ~ReadingTookMemoryThatNobodyCounted() override { std::filesystem::remove_all(path_); }

  static StackPtr testing_stack() { return testing::stack({"residual", "linear", width}, 1, blocks); }

  std::filesystem::path path_;
  std::string file_, bytes_;
};

TEST_F(ReadingTookMemoryThatNobodyCounted, TheFileThenItsNumbersAreAskedFor) {
  std::vector<Real> asked;
  parse_stack_file(bytes_, file_, [&](Real bytes) { asked.push_back(bytes); });
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_GE(asked[0], static_cast<Real>(bytes_.size()));
  EXPECT_GE(asked[1] - asked[0], doubles);
}

/// After a refusal, the header is not parsed and no number is converted.
TEST_F(ReadingTookMemoryThatNobodyCounted, ARefusalComesFirst) {
  const auto refuse = [](Real) { throw MemoryError("no"); };
  EXPECT_THROW(parse_stack_file("garbage garbage", file_, refuse), MemoryError);
  const auto refuse_numbers = [this](Real bytes) {
    if (bytes > static_cast<Real>(bytes_.size()) + doubles / 2) throw MemoryError("no");
  };
  std::string bad = bytes_;
  bad.replace(bad.size() - 8, 8, 8, '\xff');  // a NaN, which a conversion would find
  EXPECT_THROW(parse_stack_file(bad, file_, refuse_numbers), MemoryError);
  EXPECT_THROW(parse_stack_file(bad, file_), IoError);
}

TEST_F(ReadingTookMemoryThatNobodyCounted, APlanAsksBeforeItReads) {
  PlanOptions options;
  options.stack = {file_};
  ResolveContext context;
  std::vector<Real> asked;
  context.require_memory = [&](Real bytes, const std::string& path) {
    EXPECT_EQ(path, file_);
    asked.push_back(bytes);
  };
  const SweepPlan plan = resolve_plan(options, context);
  ASSERT_EQ(asked.size(), 3u);
  EXPECT_EQ(asked[0], static_cast<Real>(bytes_.size()));
  EXPECT_EQ(plan.stack->reading_bytes, asked[2]);
  context.require_memory = [](Real, const std::string&) { throw MemoryError("no"); };
  EXPECT_THROW(resolve_plan(options, context), MemoryError);
}

}  // namespace
}  // namespace rezero
