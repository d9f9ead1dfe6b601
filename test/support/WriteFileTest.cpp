// Every kind of place to which a file may be written, and what remains after a failure, a signal and a kill.
#include "support/WriteFile.h"
#include "support/StagingFolder.h"
#include "test/support/TemporaryFolder.h"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <gmock/gmock.h>
#include <set>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <thread>

using namespace nstf;
using namespace nstf::support;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

namespace {

struct WriteFileTest : testing::Test {
  std::string failure(const fs::path &path, std::string_view bytes = "x") {
    try {
      writeFile(path, bytes);
    } catch (const std::runtime_error &error) {
      return error.what();
    }
    return "no error";
  }
  std::set<std::string> names(const fs::path &where) {
    std::set<std::string> result;
    for (const fs::directory_entry &entry : fs::directory_iterator(where))
      result.insert(entry.path().filename().string());
    return result;
  }
  std::set<std::string> names() { return names(folder.path()); }

  /// Runs `body` in a child that has a staging folder by then, sends it `signal`, and returns the signal that ended it.
  int endedBy(int signal, std::function<void()> body) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
      body();
      (void)!write(ends[1], "x", 1);
      for (;;)
        pause();
    }
    close(ends[1]);
    char byte;
    EXPECT_EQ(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    kill(child, signal);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }

  /// A staging folder like that of a writer of weights.
  void stage(const std::string &name) {
    auto *staging = new StagingFolder(folder / name);
    fs::create_directory(staging->content());
    std::ofstream(staging->content() / "weights") << "many";
  }

  test::TemporaryFolder folder;
};

using Names = std::set<std::string>;

TEST_F(WriteFileTest, NewAndOldFiles) {
  writeFile(folder / "a", "first");
  EXPECT_EQ(test::readFile(folder / "a"), "first");
  ASSERT_EQ(chmod((folder / "a").c_str(), 0640), 0);
  writeFile(folder / "a", {"sec", "", "ond"});
  EXPECT_EQ(test::readFile(folder / "a"), "second");
  EXPECT_EQ(fs::status(folder / "a").permissions(), fs::perms(0640)) << "who may read it stays";
  writeFile(folder / "b", "");
  EXPECT_EQ(names(), (Names{"a", "b"}));
}

TEST_F(WriteFileTest, ALinkStaysOne) {
  fs::create_directory(folder / "there");
  folder.write("there/a", "old");
  fs::create_symlink("there/a", folder / "link");
  fs::create_symlink("link", folder / "link to link");
  writeFile(folder / "link to link", "new");
  EXPECT_EQ(test::readFile(folder / "there/a"), "new");
  fs::create_symlink("there/b", folder / "dangling");
  writeFile(folder / "dangling", "made");
  EXPECT_EQ(test::readFile(folder / "there/b"), "made");
  EXPECT_TRUE(fs::is_symlink(folder / "link") && fs::is_symlink(folder / "dangling"));
  EXPECT_EQ(names(folder / "there"), (Names{"a", "b"}));
  fs::create_symlink("nowhere/c", folder / "dangling far");
  EXPECT_THAT(failure(folder / "dangling far"), EndsWith("cannot write: No such file or directory"));
  fs::create_symlink("circle", folder / "circle");
  EXPECT_THAT(failure(folder / "circle"), HasSubstr("circle: cannot write: Too many levels of symbolic links"));
}

TEST_F(WriteFileTest, WhereNothingCanBeWritten) {
  EXPECT_THAT(failure(folder / "none/a"), HasSubstr("none/a: cannot write: No such file or directory"));
  EXPECT_THAT(failure(folder.path()), EndsWith(": cannot write: Is a directory"));
  folder.write("file", "x");
  EXPECT_THAT(failure(folder / "file/a"), EndsWith(": cannot write: Not a directory"));
  EXPECT_THAT(failure(folder / std::string("a\0b", 3)), HasSubstr("a\\x00b: expected a path without a NUL"));
  EXPECT_THAT(failure(folder / "\x1b[31m/a"), HasSubstr("/\\x1b[31m/a: cannot write: "));
  EXPECT_THROW(checkWritable(folder / "none/a"), std::runtime_error);
  EXPECT_THROW(checkWritable(folder.path()), std::runtime_error);
  checkWritable(folder / "a");
  checkWritable(folder / "file");
  EXPECT_EQ(names(), Names{"file"});
}

TEST_F(WriteFileTest, ADeviceStaysOne) {
  std::string null = folder / "null", full = folder / "full";
  if (mknod(null.c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0 ||
      mknod(full.c_str(), S_IFCHR | 0666, makedev(1, 7)) != 0)
    GTEST_SKIP() << "devices: mknod isn't allowed here: " << std::strerror(errno);
  if (int opened = open(null.c_str(), O_WRONLY); opened < 0)
    GTEST_SKIP() << "devices: they cannot be opened here: " << std::strerror(errno);
  else
    close(opened);
  writeFile(null, "bytes");
  EXPECT_TRUE(fs::is_character_file(null));
  fs::create_symlink("null", folder / "link");
  writeFile(folder / "link", "bytes");
  EXPECT_TRUE(fs::is_character_file(null) && fs::is_symlink(folder / "link"));
  EXPECT_EQ(failure(full), full + ": cannot write: No space left on device");
  EXPECT_TRUE(fs::is_character_file(full));
  EXPECT_EQ(names(), (Names{"full", "link", "null"}));
}

TEST_F(WriteFileTest, AFifoWithAReader) {
  std::string fifo = folder / "fifo", read, large(1 << 20, 'x');
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::thread reader([&] { read = test::readFile(fifo); });
  writeFile(fifo, {"head", large});
  reader.join();
  EXPECT_EQ(read, "head" + large);
  EXPECT_TRUE(fs::is_fifo(fifo));
  EXPECT_EQ(names(), Names{"fifo"});
}

TEST_F(WriteFileTest, WhatIsOpenAlreadyIsWrittenToInPlace) {
  int file = open((folder / "a").c_str(), O_RDWR | O_CREAT, 0600), ends[2];
  struct stat before, after;
  ASSERT_EQ(stat((folder / "a").c_str(), &before), 0);
  fs::create_symlink("/proc/self/fd/" + std::to_string(file), folder / "link"); // like /dev/stdout
  writeFile(folder / "link", "bytes");
  ASSERT_EQ(stat((folder / "a").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(test::readFile(folder / "a"), "bytes");
  close(file);
  ASSERT_EQ(pipe(ends), 0); // like a shell's >(command)
  writeFile("/dev/fd/" + std::to_string(ends[1]), "piped");
  char bytes[6] = {};
  EXPECT_EQ(read(ends[0], bytes, 5), 5);
  EXPECT_STREQ(bytes, "piped");
  close(ends[0]), close(ends[1]);
}

TEST_F(WriteFileTest, SeveralAreWrittenAllOrNone) {
  folder.write("b", "old");
  writeFiles({{folder / "a", "1"}, {folder / "b", "2"}});
  EXPECT_EQ(test::readFile(folder / "a") + test::readFile(folder / "b"), "12");
  EXPECT_THROW(writeFiles({{folder / "a", "3"}, {folder / "c", "4"}, {folder / "none/d", "5"}}), std::runtime_error);
  EXPECT_EQ(test::readFile(folder / "a"), "1");
  EXPECT_EQ(names(), (Names{"a", "b"}));
}

TEST_F(WriteFileTest, AStagingFolderPublishesOrExchanges) {
  folder.write("file", "here");
  StagingFolder staging(folder / "file");
  std::ofstream(staging.content()) << "content";
  staging.exchange(folder / "file");
  EXPECT_EQ(test::readFile(folder / "file") + test::readFile(staging.content()), "contenthere");
  staging.exchange(folder / "file");
  EXPECT_EQ(test::readFile(folder / "file") + test::readFile(staging.content()), "herecontent");
  staging.publish(folder / "file");
  EXPECT_EQ(test::readFile(folder / "file"), "content");
  fs::create_directory(folder / "folder");
  StagingFolder overFolder(folder / "folder");
  std::ofstream(overFolder.content()) << "content";
  EXPECT_THROW(overFolder.publish(folder / "folder"), std::runtime_error) << "a file over a folder";
  EXPECT_TRUE(fs::is_directory(folder / "folder"));
}

TEST_F(WriteFileTest, ASignalRemovesWhatIsBeingWritten) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EQ(endedBy(signal,
                      [&] {
                        removeStagingFoldersOnSignals();
                        stage("weights");
                        stage("more");
                        EXPECT_EQ(names().size(), 2u);
                      }),
              signal);
    EXPECT_THAT(names(), IsEmpty()) << "signal " << signal;
  }
}

TEST_F(WriteFileTest, AChildLeavesItsParentsFolderAlone) {
  removeStagingFoldersOnSignals();
  stage("weights");
  EXPECT_EQ(endedBy(SIGTERM, [] {}), SIGTERM);
  EXPECT_EQ(names().size(), 1u);
}

TEST_F(WriteFileTest, WhatAKilledWriterLeftGoesAtTheNextWriteBeside) {
  EXPECT_EQ(endedBy(SIGKILL, [&] { stage("weights"); }), SIGKILL);
  fs::create_directory(folder / ".a.nstf-writing-empty"); // its writer was killed before it had a lock
  fs::create_directory(folder / ".a.nstf-writing-mine");
  folder.write(".a.nstf-writing-mine/notes", "somebody's");
  folder.write(".a.nstf-writing-file", "somebody's");
  EXPECT_EQ(names().size(), 4u);
  stage("live"); // this process is its writer
  writeFile(folder / "other", "bytes");
  std::set<std::string> left = names();
  ASSERT_EQ(left.size(), 4u);
  EXPECT_TRUE(left.count("other") && left.count(".a.nstf-writing-mine") && left.count(".a.nstf-writing-file"));
  EXPECT_THAT(*left.rbegin(), "other");
  left.erase("other");
  EXPECT_THAT(*left.rbegin(), HasSubstr(".live.nstf-writing-"));
  EXPECT_TRUE(fs::exists(folder / *left.rbegin() / "content/weights"));
}

TEST_F(WriteFileTest, ManyWritersBesideEachOther) {
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i)
        failures += failure(folder / std::to_string(t % 4), std::string(100 + t, 'a' + t)) != "no error";
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(names(), (Names{"0", "1", "2", "3"}));
}

} // namespace
