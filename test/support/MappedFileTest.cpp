// The files that can be read, and those that are refused.
#include "support/MappedFile.h"
#include "test/support/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

using namespace nstf;
using support::MappedFile;
using support::readTextFile;

namespace {

template <typename Action> std::string messageOf(Action action) {
  try {
    action();
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "no error";
}

struct MappedFileTest : testing::Test {
  std::string failure(const std::string &name) {
    return messageOf([&] { MappedFile file(folder / name); });
  }
  std::string at(const std::string &name) { return (folder / name).string() + ": "; }
  test::TemporaryFolder folder;
};

TEST_F(MappedFileTest, AFile) {
  MappedFile file(folder.write("a", "text"));
  EXPECT_EQ(file.text(), "text");
  EXPECT_EQ(file.size(), 4u);
  EXPECT_EQ(file.path(), folder / "a");
  MappedFile other = std::move(file);
  EXPECT_EQ(other.text(), "text");
  EXPECT_EQ(file.size(), 0u);
  other = MappedFile(folder.write("b", ""));
  EXPECT_EQ(other.text(), "");
  std::filesystem::create_symlink("a", folder / "link");
  EXPECT_EQ(readTextFile(folder / "link"), "text");
}

TEST_F(MappedFileTest, WhatIsNoFile) {
  EXPECT_EQ(failure("none"), at("none") + "No such file or directory");
  std::filesystem::create_directory(folder / "folder");
  EXPECT_EQ(failure("folder"), at("folder") + "expected a file but got a folder");
  ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(failure("fifo"), at("fifo") + "expected a file but got a FIFO") << "and doesn't wait for a writer";
  EXPECT_EQ(messageOf([] { MappedFile file("/dev/zero"); }), "/dev/zero: expected a file but got a character device");
  sockaddr_un address = {AF_UNIX, {}};
  std::string name = folder / "socket";
  ASSERT_LT(name.size(), sizeof address.sun_path);
  name.copy(address.sun_path, name.size());
  int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(socket, reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
  EXPECT_EQ(failure("socket"), at("socket") + "expected a file but got a socket");
  close(socket);
}

TEST_F(MappedFileTest, NamesThatAreNone) {
  folder.write("a", "text");
  EXPECT_EQ(failure(std::string("a\0b", 3)), at("a\\x00b") + "expected a path without a NUL character");
  EXPECT_EQ(failure("\x1b[31m"), at("\\x1b[31m") + "No such file or directory");
  EXPECT_LT(failure(std::string(5'000'000, 'x')).size(), 600u);
}

TEST_F(MappedFileTest, TextHasALimit) {
  folder.write("long", std::string(101, 'x'));
  EXPECT_EQ(readTextFile(folder / "long", 101).size(), 101u);
  EXPECT_EQ(messageOf([&] { readTextFile(folder / "long", 100); }),
            at("long") + "expected a text of at most 100 bytes but got 101");
}

} // namespace
