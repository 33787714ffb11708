#include "rezero/io/atomic_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <thread>

#include "io/io_support.h"

namespace rezero {
namespace {

mode_t mode_of(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0);
  return info.st_mode & 07777;
}

TEST(AtomicFile, AppearsOnCommitOnly) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "a");
  file.append("one ");
  file.append(std::string(200000, 'x'));
  file.append(" two");
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
  file.commit();
  EXPECT_EQ(slurp(folder / "a"), "one " + std::string(200000, 'x') + " two");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  const TemporaryFolder folder;
  spill(folder / "a", "old");
  {
    AtomicFile file(folder / "a");
    file.append(std::string(200000, 'x'));
  }
  EXPECT_EQ(slurp(folder / "a"), "old");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(AtomicFile, Permissions) {
  const TemporaryFolder folder;
  const mode_t before = ::umask(027);
  write_file(folder / "new", "x");
  ::umask(before);
  EXPECT_EQ(mode_of(folder / "new"), 0640u);
  ASSERT_EQ(::chmod((folder / "new").c_str(), 0604), 0);
  write_file(folder / "new", "y");
  EXPECT_EQ(mode_of(folder / "new"), 0604u);
  EXPECT_EQ(slurp(folder / "new"), "y");
}

TEST(AtomicFile, WriteProtectionCounts) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everything";
  const TemporaryFolder folder;
  spill(folder / "a", "old");
  ASSERT_EQ(::chmod((folder / "a").c_str(), 0444), 0);
  EXPECT_MESSAGE(message_of([&] { write_file(folder / "a", "new"); }), "Permission denied");
}

TEST(AtomicFile, LinksStay) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "sub");
  spill(folder / "sub/real", "old");
  std::filesystem::create_symlink("sub/real", folder / "link");
  std::filesystem::create_symlink("link", folder / "link2");
  std::filesystem::create_symlink("sub/later", folder / "dangling");
  write_file(folder / "link2", "new");
  write_file(folder / "dangling", "late");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link2"));
  EXPECT_EQ(slurp(folder / "sub/real"), "new");
  EXPECT_EQ(slurp(folder / "sub/later"), "late");
  std::filesystem::create_symlink("loop", folder / "loop");
  EXPECT_MESSAGE(message_of([&] { write_file(folder / "loop", "x"); }), "symbolic links");
}

TEST(AtomicFile, WritesPipesDirectly) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = slurp(folder / "fifo"); });
  write_file(folder / "fifo", "through the pipe");
  reader.join();
  EXPECT_EQ(got, "through the pipe");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(AtomicFile, WritesOpenDescriptorsWhereTheyStand) {
  const TemporaryFolder folder;
  const int fd = ::open((folder / "log").c_str(), O_CREAT | O_WRONLY, 0600);
  ASSERT_EQ(::write(fd, "head ", 5), 5);
  write_file("/dev/fd/" + std::to_string(fd), "middle");
  std::filesystem::create_symlink("/proc/self/fd/" + std::to_string(fd), folder / "link");
  write_file(folder / "link", " tail");
  ::close(fd);
  EXPECT_EQ(slurp(folder / "log"), "head middle tail");
  EXPECT_MESSAGE(message_of([&] { write_file("/dev/fd/987654", "x"); }), "Bad file descriptor");
}

TEST(AtomicFile, FullDevice) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  EXPECT_EQ(message_of([] { write_file("/dev/full", "x"); }),
            "cannot write '/dev/full' (No space left on device)");
}

TEST(AtomicFile, FileSizeLimitIsAnErrorAndLeavesNothing) {
  const TemporaryFolder folder;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{1000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = message_of([&] { write_file(folder / "a", std::string(100000, 'x')); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_MESSAGE(message, "(File too large)");
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(AtomicFile, TargetsThatCannotBeWritten) {
  const TemporaryFolder folder;
  EXPECT_MESSAGE(message_of([&] { write_file(folder / ".", "x"); }), "it is a directory");
  EXPECT_MESSAGE(message_of([&] { write_file(folder / "no/such", "x"); }), "No such file or directory");
  EXPECT_MESSAGE(message_of([&] { write_file(folder / "new/", "x"); }), "No such file or directory");
  EXPECT_MESSAGE(message_of([&] { write_file("", "x"); }), "the path is empty");
  EXPECT_MESSAGE(message_of([&] { write_file(std::string("a\0b", 3), "x"); }), "zero byte");
  EXPECT_MESSAGE(message_of([&] { write_file(folder / std::string(300, 'n'), "x"); }), "File name too long");
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(AtomicFile, LongestNameHasRoomForTheTemporary) {
  const TemporaryFolder folder;
  write_file(folder / std::string(255, 'n'), "x");
  EXPECT_EQ(folder.entries(), 1u);
}

}  // namespace
}  // namespace rezero
