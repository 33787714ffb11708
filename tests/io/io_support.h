#pragma once
/// Shared by the tests of io: a separate folder, error messages, hostile bytes.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "rezero/core/error.h"

namespace rezero {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "rezero-io-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

inline std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void spill(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// The message of the E thrown by f: one line without control characters or third-party text. "" if it throws
/// nothing.
template <class E = IoError, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const E& error) {
    const std::string text = error.what();
    for (unsigned char c : text) EXPECT_TRUE(c >= 0x20 && c != 0x7f) << "control character in: " << text;
    EXPECT_EQ(text.find("json.exception"), std::string::npos) << text;
    EXPECT_FALSE(text.empty());
    return text;
  }
  return "";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
#define EXPECT_MESSAGE(text, part) EXPECT_TRUE(contains(text, part)) << "message: " << (text)

/// parse(bytes) for every shorter beginning of `bytes`: an IoError each time.
template <class Parse>
void expect_every_truncation_refused(const std::string& bytes, Parse parse) {
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(message_of([&] { parse(bytes.substr(0, size)); }), "") << "cut to " << size << " bytes";
}

/// parse(bytes) with each of the first `count` bytes replaced by other values: accepted or an IoError, no
/// crash.
template <class Parse>
void expect_mutations_survived(const std::string& bytes, std::size_t count, Parse parse) {
  for (std::size_t at = 0; at < count; ++at)
    for (int change = 1; change < 256; ++change) {
      std::string mutated = bytes;
      mutated[at] = static_cast<char>(mutated[at] ^ change);
      message_of([&] { parse(mutated); });
    }
}

}  // namespace rezero
