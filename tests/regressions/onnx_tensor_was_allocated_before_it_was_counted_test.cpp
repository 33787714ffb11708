/// A tensor of real numbers that gave its data in fields was allocated by its shape alone: ten bytes that
/// claim 2^30 numbers asked for 8 GB, and ended in std::bad_alloc where there was no room for them.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <string>

#include "rezero/core/error.h"
#include "rezero/onnx/reader.h"

namespace rezero {
namespace {

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 128; value >>= 7) out += static_cast<char>((value & 127) | 128);
  return out + static_cast<char>(value);
}

/// A TensorProto with one extent (field 1), a type (field 2), and no data.
std::string tensor_without_data(std::uint64_t extent, int type) {
  return '\x08' + varint(extent) + '\x10' + varint(static_cast<std::uint64_t>(type));
}

/// Half of what the claim takes may be allocated.
class OnnxTensorWasAllocatedBeforeItWasCounted : public ::testing::Test {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "AddressSanitizer reserves more address space than the limit";
#endif
    if (!onnx::can_read()) GTEST_SKIP() << "built without libonnx";
    ASSERT_EQ(getrlimit(RLIMIT_AS, &before_), 0);
    const rlimit less = {rlim_t{1} << 32, before_.rlim_max};
    limited_ = setrlimit(RLIMIT_AS, &less) == 0;
    ASSERT_TRUE(limited_);
  }
  void TearDown() override {
    if (limited_) setrlimit(RLIMIT_AS, &before_);
  }

 private:
  rlimit before_ = {};
  bool limited_ = false;
};

TEST_F(OnnxTensorWasAllocatedBeforeItWasCounted, EveryType) {
  for (const int type : {1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 16}) {  // of TensorProto.DataType
    try {
      onnx::parse_tensor(tensor_without_data(std::uint64_t{1} << 30, type), "claim.pb");
      ADD_FAILURE() << "type " << type << " was read";
    } catch (const IoError& error) {
      EXPECT_NE(std::string(error.what()).find("has 0 numbers, its shape 1073741824 takes"),
                std::string::npos)
          << "type " << type << ": " << error.what();
    } catch (const std::exception& error) {
      ADD_FAILURE() << "type " << type << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace rezero
