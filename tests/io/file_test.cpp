#include "rezero/io/file.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <csignal>
#include <cstring>
#include <thread>

#include "io/io_support.h"

namespace rezero {
namespace {

TEST(File, ReadsAllBytes) {
  const TemporaryFolder folder;
  std::string bytes(300000, 'x');
  bytes[5] = '\0', bytes[299999] = '\xff';
  spill(folder / "a", bytes);
  EXPECT_EQ(read_file(folder / "a", 300000), bytes);
  spill(folder / "empty", "");
  EXPECT_EQ(read_file(folder / "empty", 0), "");
}

TEST(File, ReadsPartByPart) {
  const TemporaryFolder folder;
  spill(folder / "a", "0123456789");
  FileReader file(folder / "a");
  EXPECT_EQ(file.size(), std::uint64_t{10});
  std::string out = "<";
  EXPECT_EQ(file.read(out, 4), 4u);
  EXPECT_EQ(file.read(out, UINT64_MAX), 6u);
  EXPECT_EQ(file.read(out, 1), 0u);
  EXPECT_EQ(out, "<0123456789");
}

TEST(File, LimitIsExact) {
  const TemporaryFolder folder;
  spill(folder / "a", "12345");
  EXPECT_EQ(read_file(folder / "a", 5), "12345");
  EXPECT_MESSAGE(message_of([&] { read_file(folder / "a", 4); }), "it has 5 bytes, the limit is 4");
}

TEST(File, HugeFileIsRefusedUnread) {
  const TemporaryFolder folder;
  spill(folder / "sparse", "");
  std::filesystem::resize_file(folder / "sparse", std::uintmax_t{1} << 40);
  EXPECT_MESSAGE(message_of([&] { read_file(folder / "sparse"); }), "1099511627776 bytes");
}

TEST(File, ReadsPipesUpToTheLimit) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  const std::string bytes(500000, 'p');
  for (const std::uint64_t limit : {500000, 400000}) {
    std::signal(SIGPIPE, SIG_IGN);
    std::thread writer([&] { spill(folder / "fifo", bytes); });
    const std::string message = message_of([&] { EXPECT_EQ(read_file(folder / "fifo", limit), bytes); });
    writer.join();
    if (limit < bytes.size())
      EXPECT_MESSAGE(message, "it goes on, the limit is 400000");
    else
      EXPECT_EQ(message, "");
  }
}

TEST(File, ReadsFilesOfUnknownSize) {
  EXPECT_NE(read_file("/proc/self/status", 1 << 20), "");
}

TEST(File, OnlyRegularFilesAndPipes) {
  const TemporaryFolder folder;
  EXPECT_MESSAGE(message_of([&] { read_file(folder / "."); }), "it is a directory");
  EXPECT_MESSAGE(message_of([] { read_file("/dev/zero"); }), "cannot read '/dev/zero' (it is a device)");
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (folder / "s").c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_MESSAGE(message_of([&] { read_file(folder / "s"); }), "it is a socket");
  ::close(fd);
}

TEST(File, MissingFilesAndStrangePaths) {
  const TemporaryFolder folder;
  EXPECT_MESSAGE(message_of([&] { read_file(folder / "a\n\x1b[31mb"); }), "b' (No such file or directory)");
  EXPECT_MESSAGE(message_of([&] { read_file(""); }), "cannot read ''");
  EXPECT_MESSAGE(message_of([&] { read_file(std::string("a\0b", 3)); }), "zero byte");
}

}  // namespace
}  // namespace rezero
